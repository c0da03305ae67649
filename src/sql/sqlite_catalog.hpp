// SQLite: asking for a table's columns and indexes, and judging the columns' declared types.
#pragma once

#include "sql/dialect.hpp"

namespace rowq::detail::sql {

[[nodiscard]] Statement sqlite_columns(const Dialect& dialect, const Table& table);
[[nodiscard]] Statement sqlite_indexes(const Dialect& dialect, const Table& table);
[[nodiscard]] std::vector<std::string> sqlite_type_problems(
    const Table& table, const Catalog& catalog);

} // namespace rowq::detail::sql
