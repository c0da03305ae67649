// From the fixed-size description that users build to one the rooms can ask.
#include "table/description.hpp"

#include <rowq/error.hpp>

#include <array>

namespace rowq::detail {

std::string_view to_string(Form form) noexcept {
    switch (form) {
    case Form::row_lock: return "row lock";
    case Form::lease: return "lease";
    case Form::advisory: return "advisory lock";
    }
    return "";
}

std::string_view to_string(Role role) noexcept {
    static constexpr std::array<std::string_view, 10> names{
        "id",           "group",        "priority", "retry_after", "attempt",
        "locked_until", "processed_at", "headers",  "payload",     "data"};
    return names.at(static_cast<std::size_t>(role));
}

Table::Table(const Description& description) : name_(description.table.view()) {
    for (std::size_t i = 0; i < description.count; ++i) {
        const auto& column = description.columns[i];
        columns_.push_back({std::string(column.name.view()), column.role, column.generated});
    }
    std::string_view key = description.lock_key.view();
    while (!key.empty()) {
        const bool is_column = key.front() == '{';
        if (is_column) key.remove_prefix(1);
        const auto end = key.find(is_column ? '}' : '{');
        lock_key_.push_back({std::string(key.substr(0, end)), is_column});
        key.remove_prefix(end == std::string_view::npos ? key.size() : end + (is_column ? 1 : 0));
    }
}

std::string_view Table::schema() const noexcept {
    const auto dot = name_.find('.');
    return dot == std::string::npos ? std::string_view() : std::string_view(name_).substr(0, dot);
}

std::string_view Table::relation() const noexcept {
    const auto dot = name_.find('.');
    return dot == std::string::npos ? std::string_view(name_)
                                    : std::string_view(name_).substr(dot + 1);
}

Form Table::form() const noexcept {
    if (has(Role::locked_until)) return Form::lease;
    return lock_key_.empty() ? Form::row_lock : Form::advisory;
}

const TableColumn* Table::find(Role role) const noexcept {
    for (const auto& column : columns_) {
        if (column.role == role) return &column;
    }
    return nullptr;
}

const std::string& Table::column(Role role) const {
    const auto* found = find(role);
    if (found == nullptr)
        throw Error(
            ErrorCode::declaration,
            std::string("no column plays the role ").append(to_string(role)))
            .at(name_, "");
    return found->name;
}

std::vector<std::string> Table::row_columns() const {
    std::vector<std::string> names;
    for (const auto& column : columns_) {
        if (column.role == Role::id || column.role == Role::data) names.push_back(column.name);
    }
    return names;
}

} // namespace rowq::detail
