// One set of columns for every description but one, whose names need quoting and whose types are unusual.
#include "support/described_tables.hpp"

#include "support/job_table.hpp"

#include <array>

namespace rowq::test {

namespace {

namespace sql = detail::sql;

struct Transfer {
    std::int64_t id = 0;
    std::string account;
    std::int64_t cents = 0;
};

struct ColumnTypes {
    std::string_view name;
    std::string_view postgres; // as its catalog writes it
    std::string_view sqlite;
    bool nullable = true;
    bool computed = false;
};

constexpr std::array usual{
    ColumnTypes{"id", "bigint", "INTEGER", false},
    ColumnTypes{"queue", "text", "TEXT", false},
    ColumnTypes{"priority", "integer", "INTEGER", false},
    ColumnTypes{"retry_after", "timestamp with time zone", "TEXT", false},
    ColumnTypes{"attempt", "integer", "INTEGER"},
    ColumnTypes{"locked_until", "timestamp with time zone", "TEXT"},
    ColumnTypes{"processed_at", "timestamp with time zone", "TEXT"},
    ColumnTypes{"account", "text", "TEXT"},
    ColumnTypes{"cents", "bigint", "INTEGER"},
    ColumnTypes{"doubled", "bigint", "INTEGER", true, true},
    ColumnTypes{"headers", "jsonb", "TEXT"},
    ColumnTypes{"payload", "text", "TEXT"}};

constexpr std::array unusual{
    ColumnTypes{"The \"Id\"", "uuid", "TEXT", false},
    ColumnTypes{"select", "character varying(40)", "TEXT"},
    ColumnTypes{"lease end", "timestamp(3) without time zone", "DATETIME"},
    ColumnTypes{"payload", "jsonb", "JSON"}};

bool is_unusual(const DescribedTable& described) { return described.name == "lease_quoted"; }

std::vector<ColumnTypes> columns_of(const DescribedTable& described) {
    return is_unusual(described) ? std::vector<ColumnTypes>(unusual.begin(), unusual.end())
                                 : std::vector<ColumnTypes>(usual.begin(), usual.end());
}

void add_form(std::vector<DescribedTable>& tables, Form form) {
    const std::string name(to_string(form));
    const auto add = [&](std::string_view ending, const rowq::detail::Description& description,
                         std::string dead_letter) {
        tables.push_back(
            {name + "_" + std::string(ending), detail::Table(description), std::move(dead_letter)});
    };
    const auto in_form = [&](auto table) {
        if (form == Form::lease) return table.locked_until("locked_until");
        if (form == Form::advisory) return table.lock_key("accounts-{account}/{cents}");
        return table;
    };
    add("bare", in_form(rowq::table("jobs").id("id", generated).payload("payload")).description(),
        "graveyard");
    add("usual", describe(form, {.priority = false, .headers = false}).description(), "failed");
    add("full", describe(form, {.processed_at = true}).description(), "failed");
    add("one_queue", describe(form, {.group = false}).description(), "graveyard");
    add("rows",
        in_form(rowq::table<Transfer>("jobs")
                    .id("id", &Transfer::id)
                    .column("account", &Transfer::account)
                    .attempt("attempt", generated)
                    .column("cents", &Transfer::cents, generated))
            .description(),
        "graveyard");
}

} // namespace

std::vector<DescribedTable> described_tables() {
    std::vector<DescribedTable> tables;
    for (const Form form : {Form::row_lock, Form::lease, Form::advisory}) add_form(tables, form);
    tables.push_back(
        {"lease_quoted",
         detail::Table(rowq::table("main.Two \"Words\"")
                           .id("The \"Id\"")
                           .group("select")
                           .locked_until("lease end")
                           .payload("payload")
                           .description()),
         "it's dead"});
    return tables;
}

detail::sql::Catalog catalog_of(Server server, const DescribedTable& described) {
    sql::Catalog catalog;
    for (const auto& column : columns_of(described))
        catalog.columns.push_back(
            {std::string(column.name),
             std::string(server == Server::postgres ? column.postgres : column.sqlite),
             column.nullable, column.computed});
    return catalog;
}

std::string ddl_of(Server server, const DescribedTable& described) {
    const auto dialect = dialect_of(server);
    bool id_is_generated = false;
    for (const auto& column : described.table.columns())
        id_is_generated |= column.role == detail::Role::id && column.generated;
    std::string columns;
    for (const auto& column : columns_of(described)) {
        if (!columns.empty()) columns += ", ";
        columns += dialect->quote(column.name) + " ";
        columns += server == Server::postgres ? column.postgres : column.sqlite;
        if (column.name == "id") columns += " PRIMARY KEY";
        if (column.name == "id" && server == Server::postgres && id_is_generated)
            columns += " GENERATED ALWAYS AS IDENTITY";
        if (column.computed) columns += " GENERATED ALWAYS AS (cents * 2) STORED";
        if (!column.nullable) columns += " NOT NULL";
        if (column.name == "attempt") columns += " DEFAULT 1";
    }
    std::string ddl;
    const std::string table = dialect->quote_table(described.table.name());
    if (server == Server::postgres && !described.table.schema().empty())
        ddl = "CREATE SCHEMA " + dialect->quote(described.table.schema()) + ";";
    ddl += "CREATE TABLE " + table + " (" + columns + ");";
    if (!described.table.has(detail::Role::group))
        ddl += "CREATE TABLE " + dialect->quote_table(described.dead_letter) + " (" + columns + ")";
    return ddl;
}

std::unique_ptr<detail::sql::Dialect> dialect_of(Server server) {
    return server == Server::postgres ? sql::postgres_dialect() : sql::sqlite_dialect();
}

std::string_view to_string(detail::sql::Parameter parameter) noexcept {
    static constexpr std::array<std::string_view, 17> names{
        "group",  "now", "limit", "id",       "token",   "expiry",  "due_at",  "destination", "ids",
        "tokens", "key", "lock",  "priority", "attempt", "headers", "payload", "data"};
    return names.at(static_cast<std::size_t>(parameter));
}

std::string_view to_string(detail::sql::Output output) noexcept {
    static constexpr std::array<std::string_view, 11> names{
        "id",   "attempt", "token", "headers",  "payload",    "data",
        "lock", "key",     "seen",  "priority", "retry_after"};
    return names.at(static_cast<std::size_t>(output));
}

std::vector<std::pair<std::string, detail::sql::Statement>> named_statements(
    const detail::sql::Statements& statements) {
    std::vector<std::pair<std::string, sql::Statement>> named{
        {"claim", statements.claim},        {"candidates", statements.candidates},
        {"take", statements.take},          {"ack", statements.ack},
        {"retry", statements.retry},        {"retry_after", statements.retry_after},
        {"give_back", statements.give_back}};
    for (const auto& statement : statements.dead_letter)
        named.emplace_back("dead_letter", statement);
    named.emplace_back("renew", statements.renew);
    named.emplace_back("unfinished", statements.unfinished);
    named.emplace_back("unlock", statements.unlock);
    std::erase_if(named, [](const auto& each) { return each.second.empty(); });
    return named;
}

std::vector<std::pair<std::string, detail::sql::Statement>> other_statements(
    const detail::sql::Dialect& dialect, const detail::Table& table) {
    return {
        {"insert", dialect.insert(table, {})},
        {"insert with everything", dialect.insert(table, {true, true, true})},
        {"stats", dialect.stats(table)},
        {"list", dialect.list(table, "")},
        {"list what is due", dialect.list(table, "due")}};
}

} // namespace rowq::test
