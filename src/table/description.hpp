// A table description as the rooms read it: a role asked for, a column told.
#pragma once

#include <rowq/detail/description.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rowq::detail {

// How a row is held while it is in work.
enum class Form : std::uint8_t { row_lock, lease, advisory };
[[nodiscard]] std::string_view to_string(
    Form form) noexcept; // "row lock", "lease", "advisory lock"
[[nodiscard]] std::string_view to_string(Role role) noexcept; // "retry_after"

struct TableColumn {
    std::string name;
    Role role = Role::data;
    bool generated = false;
};

// A piece of a lock key: fixed text, or the name of a column.
struct KeyPart {
    std::string text;
    bool is_column = false;
};

class Table {
public:
    explicit Table(const Description& description);

    [[nodiscard]] const std::string& name() const noexcept {
        return name_;
    }                                                         // as written: "schema.table"
    [[nodiscard]] std::string_view schema() const noexcept;   // empty: none given
    [[nodiscard]] std::string_view relation() const noexcept; // without the schema
    [[nodiscard]] Form form() const noexcept;
    [[nodiscard]] const TableColumn* find(Role role) const noexcept;
    [[nodiscard]] bool has(Role role) const noexcept { return find(role) != nullptr; }
    [[nodiscard]] const std::string& column(Role role) const; // the role must play
    [[nodiscard]] const std::vector<TableColumn>& columns() const noexcept { return columns_; }
    [[nodiscard]] const std::vector<KeyPart>& lock_key() const noexcept { return lock_key_; }
    // Row mode: id and data columns that a Row is read from, in the order of the description.
    [[nodiscard]] std::vector<std::string> row_columns() const;

private:
    std::string name_;
    std::vector<TableColumn> columns_;
    std::vector<KeyPart> lock_key_;
};

} // namespace rowq::detail
