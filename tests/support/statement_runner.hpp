// Runs a statement of the sql room as it stands, past the drivers: its parameters by their meaning, as literals of the server.
#pragma once

#include "sql/dialect.hpp"
#include "support/databases.hpp"

#include <map>
#include <string>

namespace rowq::test {

// The content of each parameter, unquoted; one that is not given is NULL.
using Arguments = std::map<detail::sql::Parameter, std::string>;

// Prepares the statement on the server and throws its words if that refuses it.
void prepare(Session& session, Server server, const detail::sql::Statement& statement);

// PostgreSQL: as a prepared statement, so that the server infers the parameters' types and plans as it does for a driver.
Rows execute(
    Session& session, Server server, const detail::sql::Statement& statement,
    const Arguments& arguments = {});

// What the server's catalog says of the table.
[[nodiscard]] detail::sql::Catalog read_catalog(
    Session& session, Server server, const detail::Table& table);

} // namespace rowq::test
