// Reading catalogs, and the question whether an index serves the claim order.
#include "sql/catalog.hpp"

#include "sql/text.hpp"

#include <algorithm>

namespace rowq::detail::sql {

namespace {

std::string text_of(const Value& value) {
    const auto* text = std::get_if<std::string>(&value);
    return text == nullptr ? std::string() : *text;
}

bool flag_of(const Value& value) {
    if (const auto* flag = std::get_if<bool>(&value)) return *flag;
    const auto* number = std::get_if<std::int64_t>(&value);
    return number != nullptr && *number != 0;
}

// What is left of a condition when it is written without marks that do not change its meaning.
std::string bare(std::string_view condition) {
    std::string text = lower(condition);
    std::erase_if(text, [](char c) {
        return std::string_view(" \t\r\n()\"`[];").find(c) != std::string_view::npos;
    });
    return text;
}

// A partial index serves if it leaves out nothing but finished rows.
bool holds_unfinished_rows(const Table& table, const CatalogIndex& index) {
    if (index.predicate.empty()) return true;
    const auto* finished = table.find(Role::processed_at);
    if (finished == nullptr) return false;
    const std::string condition = bare(index.predicate);
    return condition == bare(finished->name + " is null") ||
           condition == bare(finished->name + " isnull");
}

} // namespace

const CatalogColumn* Catalog::find(std::string_view column) const noexcept {
    const auto found = std::find_if(
        columns.begin(), columns.end(), [&](const auto& c) { return c.name == column; });
    return found == columns.end() ? nullptr : &*found;
}

Catalog read_catalog(
    const std::vector<Value>& columns, std::size_t column_width, const std::vector<Value>& indexes,
    std::size_t index_width) {
    Catalog catalog;
    for (std::size_t i = 0; column_width >= 4 && i + column_width <= columns.size();
         i += column_width)
        catalog.columns.push_back(
            {text_of(columns[i]), text_of(columns[i + 1]), flag_of(columns[i + 2]),
             flag_of(columns[i + 3])});
    bool cut = false;
    for (std::size_t i = 0; index_width >= 5 && i + index_width <= indexes.size();
         i += index_width) {
        const std::string name = text_of(indexes[i]);
        if (catalog.indexes.empty() || catalog.indexes.back().name != name) {
            catalog.indexes.push_back({name, {}, text_of(indexes[i + 4])});
            cut = false;
        }
        cut = cut || std::holds_alternative<Null>(indexes[i + 2]) || flag_of(indexes[i + 3]);
        if (!cut) catalog.indexes.back().columns.push_back(text_of(indexes[i + 2]));
    }
    return catalog;
}

// A column between the group and the rest makes a server sort, even where only one of its values is read (processed_at IS NULL).
bool serves_claim_order(const Table& table, const Catalog& catalog) {
    std::vector<std::string> order;
    for (const Role role : {Role::group, Role::priority, Role::retry_after, Role::id}) {
        if (table.has(role)) order.push_back(table.column(role));
    }
    // Instants hardly repeat: rows that share one are few to sort.
    if (table.has(Role::retry_after)) order.pop_back();
    return std::any_of(
        catalog.indexes.begin(), catalog.indexes.end(), [&](const CatalogIndex& index) {
            return holds_unfinished_rows(table, index) && index.columns.size() >= order.size() &&
                   std::equal(order.begin(), order.end(), index.columns.begin());
        });
}

} // namespace rowq::detail::sql
