// PostgreSQL: asking for a table's columns and indexes, and judging the columns' types.
#pragma once

#include "sql/dialect.hpp"

namespace rowq::detail::sql {

[[nodiscard]] Statement postgres_columns(const Dialect& dialect, const Table& table);
[[nodiscard]] Statement postgres_indexes(const Dialect& dialect, const Table& table);
[[nodiscard]] std::vector<std::string> postgres_type_problems(
    const Table& table, const Catalog& catalog);

} // namespace rowq::detail::sql
