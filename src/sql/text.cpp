// The shared pieces of statement texts.
#include "sql/text.hpp"

#include <rowq/error.hpp>

#include <utility>

namespace rowq::detail::sql {

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
}

namespace {

std::string enclosed(std::string_view text, char mark) {
    std::string result(1, mark);
    for (const char c : text) {
        if (c == mark) result += mark;
        result += c;
    }
    return result + mark;
}

} // namespace

std::string literal(std::string_view text) { return enclosed(text, '\''); }

std::string quoted(std::string_view name, std::size_t longest, std::string_view server) {
    if (name.empty()) throw Error(ErrorCode::declaration, "a name is empty");
    if (name.find('\0') != std::string_view::npos)
        throw Error(ErrorCode::declaration, "a name cannot hold a zero byte");
    if (name.size() > longest) {
        std::string text("the name \"");
        text.append(name).append("\" is longer than ").append(std::to_string(longest));
        text.append(" bytes, the most that ").append(server).append(" takes");
        throw Error(ErrorCode::declaration, text);
    }
    return enclosed(name, '"');
}

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
    std::string result;
    for (const auto& part : parts) {
        if (!result.empty()) result += between;
        result += part;
    }
    return result;
}

std::string claim_index_name(std::string_view relation, std::size_t longest) {
    constexpr std::string_view ending = "_claim";
    std::size_t size = relation.size();
    if (size + ending.size() > longest) {
        size = longest - ending.size();
        while (size > 0 && (static_cast<unsigned char>(relation[size]) & 0xC0U) == 0x80U) --size;
    }
    return std::string(relation.substr(0, size)).append(ending);
}

std::string expressions(const std::vector<ResultColumn>& columns) {
    std::vector<std::string> texts;
    for (const auto& column : columns) texts.push_back(column.expression);
    return joined(texts, ", ");
}

std::vector<Output> outputs(const std::vector<ResultColumn>& columns) {
    std::vector<Output> kinds;
    for (const auto& column : columns) kinds.push_back(column.output);
    return kinds;
}

void Pieces::due(Writer& text, std::string_view glue) const {
    const auto condition = [&]() -> Writer& {
        text << glue;
        glue = " AND ";
        return text;
    };
    if (table_.has(Role::group)) condition() << column(Role::group) << " = " << Parameter::group;
    if (table_.has(Role::retry_after))
        condition() << column(Role::retry_after) << " <= " << Parameter::now;
    if (table_.has(Role::processed_at)) condition() << column(Role::processed_at) << " IS NULL";
    if (table_.has(Role::locked_until))
        condition() << "(" << column(Role::locked_until) << " IS NULL OR "
                    << column(Role::locked_until) << " <= " << Parameter::now << ")";
}

std::vector<std::string> Pieces::ordering() const {
    std::vector<std::string> order;
    for (const Role role : {Role::priority, Role::retry_after, Role::id}) {
        if (table_.has(role)) order.push_back(column(role));
    }
    return order;
}

std::string Pieces::next_attempt() const {
    return column(Role::attempt) + " = COALESCE(" + column(Role::attempt) + ", 1) + 1";
}

std::string Pieces::lock_key() const {
    std::vector<std::string> parts;
    for (const auto& part : table_.lock_key()) {
        if (part.is_column)
            parts.push_back("COALESCE(CAST(" + dialect_.quote(part.text) + " AS text), '')");
        else
            parts.push_back(literal(part.text));
    }
    return joined(parts, " || ");
}

std::vector<ResultColumn> Pieces::results(int counted) const {
    std::vector<ResultColumn> columns{{column(Role::id), Output::id}};
    if (table_.has(Role::attempt)) {
        const std::string attempt = column(Role::attempt);
        columns.push_back(
            {counted == 0 ? "COALESCE(" + attempt + ", 1)" : attempt + " - 1", Output::attempt});
    }
    if (table_.has(Role::locked_until))
        columns.push_back({column(Role::locked_until), Output::token});
    if (table_.has(Role::headers)) columns.push_back({column(Role::headers), Output::headers});
    if (table_.has(Role::payload)) {
        columns.push_back({column(Role::payload), Output::payload});
    } else {
        for (const auto& name : table_.row_columns())
            columns.push_back({dialect_.quote(name), Output::data});
    }
    return columns;
}

void Pieces::where_row(Writer& text) const {
    text << " WHERE " << column(Role::id) << " = " << Parameter::id;
    if (table_.form() == Form::lease)
        text << " AND " << column(Role::locked_until) << " = " << Parameter::token;
}

bool Pieces::plays(const std::string& name, Role role) const {
    const auto* found = table_.find(role);
    return found != nullptr && found->name == name;
}

MovedColumns Pieces::moved(const Catalog& catalog) const {
    MovedColumns moved;
    for (const auto& column : catalog.columns) {
        if (column.computed) continue;
        const std::string name = dialect_.quote(column.name);
        std::string value = name;
        if (plays(column.name, Role::locked_until)) value = "NULL";
        if (plays(column.name, Role::attempt) && table_.form() == Form::row_lock)
            value = "COALESCE(" + name + ", 1) + 1";
        moved.names.push_back(name);
        moved.values.push_back(std::move(value));
    }
    return moved;
}

std::string Pieces::claim_index() const {
    std::vector<std::string> columns = ordering();
    if (table_.has(Role::group)) columns.insert(columns.begin(), column(Role::group));
    std::string text = "(" + joined(columns, ", ") + ")";
    if (table_.has(Role::processed_at)) text += " WHERE " + column(Role::processed_at) + " IS NULL";
    return text;
}

std::string Pieces::set_returned() const {
    if (table_.form() == Form::lease) return column(Role::locked_until) + " = NULL";
    return table_.form() == Form::row_lock && table_.has(Role::attempt) ? next_attempt() : "";
}

// first: "column = " or nothing, with its value.
Statement Pieces::update(std::string_view first, std::optional<Parameter> value) const {
    const std::string returned = set_returned();
    Writer text(dialect_);
    text << "UPDATE " << table() << " SET " << first;
    if (value) text << *value;
    if (!first.empty() && !returned.empty()) text << ", ";
    text << returned;
    where_row(text);
    return text.done();
}

Statement Pieces::ack() const {
    Writer text(dialect_);
    if (table_.has(Role::processed_at)) {
        text << "UPDATE " << table() << " SET " << column(Role::processed_at) << " = "
             << Parameter::now;
        if (table_.form() == Form::lease) text << ", " << column(Role::locked_until) << " = NULL";
    } else {
        text << "DELETE FROM " << table();
    }
    where_row(text);
    return text.done();
}

Statement Pieces::retry() const {
    return set_returned().empty() ? Statement{} : update("", std::nullopt);
}

Statement Pieces::retry_after() const {
    if (!table_.has(Role::retry_after)) return {};
    return update(column(Role::retry_after) + " = ", Parameter::due_at);
}

Statement Pieces::give_back() const {
    std::vector<std::string> sets;
    if (table_.form() == Form::lease) sets.push_back(column(Role::locked_until) + " = NULL");
    if (table_.has(Role::attempt))
        sets.push_back(column(Role::attempt) + " = " + column(Role::attempt) + " - 1");
    if (table_.form() == Form::row_lock || sets.empty()) return {};
    Writer text(dialect_);
    text << "UPDATE " << table() << " SET " << joined(sets, ", ");
    where_row(text);
    return text.done();
}

Statement Pieces::dead_letter_to_group() const {
    return update(column(Role::group) + " = ", Parameter::destination);
}

Statement Pieces::unfinished(std::string_view readable) const {
    Writer text(dialect_);
    text << "SELECT 1 FROM " << table();
    std::string_view glue = " WHERE ";
    if (table_.has(Role::group)) {
        text << glue << column(Role::group) << " = " << Parameter::group;
        glue = " AND ";
    }
    if (table_.has(Role::processed_at)) {
        text << glue << column(Role::processed_at) << " IS NULL";
        glue = " AND ";
    }
    if (!readable.empty()) text << glue << readable;
    text << " LIMIT 1";
    return text.returns({Output::seen}).done();
}

} // namespace rowq::detail::sql
