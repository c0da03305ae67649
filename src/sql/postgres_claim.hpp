// PostgreSQL: the statements that take rows and keep them.
#pragma once

#include "sql/dialect.hpp"

namespace rowq::detail::sql {

[[nodiscard]] Statement postgres_claim(const Dialect& dialect, const Table& table);
[[nodiscard]] Statement postgres_renew(
    const Dialect& dialect, const Table& table, const Catalog& catalog);

} // namespace rowq::detail::sql
