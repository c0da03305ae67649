// Tables in every form with the roles that shape their statements, as golden texts and real servers both see them.
#pragma once

#include "sql/dialect.hpp"
#include "support/databases.hpp"

#include <rowq/table.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rowq::test {

struct DescribedTable {
    std::string name; // "lease_full"
    detail::Table table;
    std::string dead_letter;
};

[[nodiscard]] std::vector<DescribedTable> described_tables();

// What each server's catalog says of the table; and the DDL that makes it so, with what dead letters need.
[[nodiscard]] detail::sql::Catalog catalog_of(Server server, const DescribedTable& described);
[[nodiscard]] std::string ddl_of(Server server, const DescribedTable& described);

[[nodiscard]] std::unique_ptr<detail::sql::Dialect> dialect_of(Server server);
[[nodiscard]] std::string_view to_string(detail::sql::Parameter parameter) noexcept;
[[nodiscard]] std::string_view to_string(detail::sql::Output output) noexcept;

// Statements by the names of their events, in a fixed order; those that a form lacks are left out.
[[nodiscard]] std::vector<std::pair<std::string, detail::sql::Statement>> named_statements(
    const detail::sql::Statements& statements);

// What people and publishers send: inserts in two shapes, stats, list.
[[nodiscard]] std::vector<std::pair<std::string, detail::sql::Statement>> other_statements(
    const detail::sql::Dialect& dialect, const detail::Table& table);

} // namespace rowq::test
