// Literals in place of parameters.
#include "support/statement_runner.hpp"

#include "support/described_tables.hpp"

#include <cstdint>
#include <string_view>

namespace rowq::test {

namespace {

std::string literal_of(detail::sql::Parameter parameter, const Arguments& arguments) {
    const auto found = arguments.find(parameter);
    if (found == arguments.end()) return "NULL";
    std::string text = "'";
    for (const char c : found->second) text.append(c == '\'' ? 2 : 1, c);
    return text + "'";
}

// A statement without its parameters: ?12 is replaced before ?1.
std::string filled(const detail::sql::Statement& statement, const Arguments& arguments) {
    std::string text = statement.text;
    for (std::size_t n = statement.parameters.size(); n > 0; --n) {
        const std::string placeholder = "?" + std::to_string(n);
        const auto at = text.find(placeholder);
        text.replace(at, placeholder.size(), literal_of(statement.parameters[n - 1], arguments));
    }
    return text;
}

// As drivers read results: `kinds` has for each column a letter, for text, number or flag.
std::vector<Value> values_of(const Rows& rows, std::string_view kinds) {
    std::vector<Value> values;
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (row[i] == "NULL")
                values.emplace_back(Null{});
            else if (kinds.at(i) == 'f')
                values.emplace_back(row[i] == "t" || row[i] == "1");
            else if (kinds.at(i) == 'n')
                values.emplace_back(std::int64_t{std::stoll(row[i])});
            else
                values.emplace_back(row[i]);
        }
    }
    return values;
}

} // namespace

void prepare(Session& session, Server server, const detail::sql::Statement& statement) {
    if (server == Server::postgres)
        session.run("DEALLOCATE ALL; PREPARE rowq_test AS " + statement.text);
    else
        session.run("EXPLAIN " + statement.text);
}

Rows execute(
    Session& session, Server server, const detail::sql::Statement& statement,
    const Arguments& arguments) {
    if (server == Server::sqlite) return session.rows(filled(statement, arguments));
    std::string list;
    for (const auto parameter : statement.parameters)
        list += (list.empty() ? "" : ", ") + literal_of(parameter, arguments);
    session.run("DEALLOCATE ALL; PREPARE rowq_test AS " + statement.text);
    return session.rows("EXECUTE rowq_test" + (list.empty() ? "" : "(" + list + ")"));
}

detail::sql::Catalog read_catalog(Session& session, Server server, const detail::Table& table) {
    const auto dialect = dialect_of(server);
    const auto columns =
        values_of(execute(session, server, dialect->catalog_columns(table)), "ttff");
    const auto indexes =
        values_of(execute(session, server, dialect->catalog_indexes(table)), "tntft");
    return detail::sql::read_catalog(columns, 4, indexes, 5);
}

} // namespace rowq::test
