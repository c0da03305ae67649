// PostgreSQL: statement texts. 12 and newer.
#include "sql/text.hpp"

#include <utility>

namespace rowq::detail::sql {

namespace {

// Aliases c0, c1, .. for the columns of an inner query: a row may hold the id twice.
std::string aliased(const std::vector<ResultColumn>& columns) {
    std::string text;
    for (std::size_t i = 0; i < columns.size(); ++i)
        text += (i == 0 ? "" : ", ") + columns[i].expression + " AS c" + std::to_string(i);
    return text;
}

std::string aliases(std::size_t count, std::string_view prefix) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
        text.append(i == 0 ? "" : ", ").append(prefix).append("c").append(std::to_string(i));
    return text;
}

bool starts_with_any(std::string_view type, std::initializer_list<std::string_view> beginnings) {
    for (const auto beginning : beginnings) {
        if (type.substr(0, beginning.size()) == beginning) return true;
    }
    return false;
}

class Postgres final : public Dialect {
public:
    std::string_view name() const noexcept override { return "PostgreSQL"; }
    std::string placeholder(std::size_t number) const override {
        return "$" + std::to_string(number);
    }

    // NAMEDATALEN of a stock server, less its zero byte; longer names would be cut silently.
    std::string quote(std::string_view name) const override {
        return quoted(name, 63, "PostgreSQL");
    }

    Statements statements(
        const Table& table, const Catalog& catalog, std::string_view dead_letter) const override;
    Statement catalog_columns(const Table& table) const override;
    Statement catalog_indexes(const Table& table) const override;
    Statement server_clock() const override {
        return Writer(*this).operator<<("SELECT clock_timestamp()").done();
    }
    std::vector<std::string> type_problems(
        const Table& table, const Catalog& catalog) const override;
    std::string claim_index_ddl(const Table& table) const override;
    std::vector<std::string> init_ddl(const InitOptions& options) const override;

private:
    Statement claim_row(const Table& table) const;
    Statement claim_leases(const Table& table) const;
    Statement claim_key(const Table& table) const;
    Statement renew(const Table& table, const Catalog& catalog) const;
    Statement dead_letter_to_table(
        const Table& table, const Catalog& catalog, std::string_view destination) const;
};

Statement Postgres::claim_row(const Table& table) const {
    const Pieces pieces(*this, table);
    const auto columns = pieces.results(0);
    Writer text(*this);
    text << "SELECT " << expressions(columns) << " FROM " << pieces.table();
    pieces.where_due(text);
    text << " ORDER BY " << pieces.claim_order() << " LIMIT " << Parameter::limit
         << " FOR UPDATE SKIP LOCKED";
    return text.returns(outputs(columns)).done();
}

// The due rows are materialised before they are updated: a plan that walked them once per row would take more than were asked for.
Statement Postgres::claim_leases(const Table& table) const {
    const Pieces pieces(*this, table);
    const auto columns = pieces.results(1);
    std::vector<std::string> order;
    for (const Role role : {Role::priority, Role::retry_after, Role::id}) {
        if (table.has(role)) order.push_back(pieces.column(role));
    }
    std::string order_columns, order_aliases;
    for (std::size_t i = 0; i < order.size(); ++i) {
        order_columns += ", " + order[i] + " AS o" + std::to_string(i);
        order_aliases += (i == 0 ? "o" : ", o") + std::to_string(i);
    }
    Writer text(*this);
    text << "WITH due AS MATERIALIZED (SELECT " << pieces.column(Role::id) << " AS due_id FROM "
         << pieces.table();
    pieces.where_due(text);
    text << " ORDER BY " << pieces.claim_order() << " LIMIT " << Parameter::limit
         << " FOR UPDATE SKIP LOCKED), taken AS (UPDATE " << pieces.table() << " SET "
         << pieces.column(Role::locked_until) << " = " << Parameter::expiry;
    if (table.has(Role::attempt)) text << ", " << pieces.next_attempt();
    text << " FROM due WHERE " << pieces.column(Role::id) << " = due_id RETURNING "
         << aliased(columns) << order_columns << ") SELECT " << aliases(columns.size(), "")
         << " FROM taken ORDER BY " << order_aliases;
    return text.returns(outputs(columns)).done();
}

// Keys are tried in claim order, outside the ordered read, and only up to the first free one. Then the row is looked at again in its newest
// version: the statement's snapshot may be older than the key's last holder's commit.
Statement Postgres::claim_key(const Table& table) const {
    const Pieces pieces(*this, table);
    const bool counts = table.has(Role::attempt);
    const auto columns = pieces.results(counts ? 1 : 0);
    Writer text(*this);
    text << "WITH due AS MATERIALIZED (SELECT " << pieces.column(Role::id)
         << " AS due_id, hashtextextended(" << pieces.lock_key() << ", 0) AS lock FROM "
         << pieces.table();
    pieces.where_due(text);
    text
        << " ORDER BY " << pieces.claim_order() << " LIMIT " << Parameter::limit
        << "), tried AS MATERIALIZED (SELECT due_id, lock FROM due WHERE pg_try_advisory_lock(lock) LIMIT 1), taken AS (";
    if (counts)
        text << "UPDATE " << pieces.table() << " SET " << pieces.next_attempt()
             << " FROM tried WHERE " << pieces.column(Role::id) << " = due_id";
    else
        text << "SELECT " << aliased(columns) << " FROM " << pieces.table()
             << " AS row_taken JOIN tried ON row_taken." << pieces.column(Role::id)
             << " = due_id WHERE true";
    pieces.and_due(text);
    if (counts)
        text << " RETURNING " << aliased(columns);
    else
        text << " FOR UPDATE OF row_taken";
    text << ") SELECT tried.lock, (SELECT count(*) FROM due), " << aliases(columns.size(), "taken.")
         << " FROM (VALUES (1)) AS one(n) LEFT JOIN tried ON true LEFT JOIN taken ON true";
    auto meanings = outputs(columns);
    meanings.insert(meanings.begin(), {Output::lock, Output::seen});
    return text.returns(std::move(meanings)).done();
}

// Rows are locked in the order of their ids, or two statements over the same rows could wait for each other.
Statement Postgres::renew(const Table& table, const Catalog& catalog) const {
    const Pieces pieces(*this, table);
    const std::string id = pieces.column(Role::id), lease = pieces.column(Role::locked_until);
    const auto* id_column = catalog.find(table.column(Role::id));
    const auto* lease_column = catalog.find(table.column(Role::locked_until));
    const std::string id_type = id_column == nullptr ? "text" : id_column->type;
    const std::string lease_type =
        lease_column == nullptr ? "timestamp with time zone" : lease_column->type;
    Writer text(*this);
    text << "WITH held AS MATERIALIZED (SELECT " << id << " AS held_id FROM " << pieces.table()
         << " JOIN unnest(CAST(" << Parameter::ids << " AS text[]), CAST(" << Parameter::tokens
         << " AS " << lease_type << "[])) AS asked(asked_id, asked_token) ON " << id
         << " = CAST(asked_id AS " << id_type << ") AND " << lease
         << " = asked_token ORDER BY 1 FOR UPDATE OF " << quote(table.relation()) << ") UPDATE "
         << pieces.table() << " SET " << lease << " = " << Parameter::expiry << " FROM held WHERE "
         << id << " = held_id RETURNING " << id << ", " << lease;
    return text.returns({Output::id, Output::token}).done();
}

Statement Postgres::dead_letter_to_table(
    const Table& table, const Catalog& catalog, std::string_view destination) const {
    const Pieces pieces(*this, table);
    std::vector<std::string> names, values;
    for (const auto& column : catalog.columns) {
        if (column.computed) continue;
        names.push_back(quote(column.name));
        const bool is_lease =
            table.has(Role::locked_until) && column.name == table.column(Role::locked_until);
        const bool counted = table.form() == Form::row_lock && table.has(Role::attempt) &&
                             column.name == table.column(Role::attempt);
        if (is_lease)
            values.push_back("CAST(NULL AS " + column.type + ")");
        else if (counted)
            values.push_back("COALESCE(" + names.back() + ", 1) + 1");
        else
            values.push_back(names.back());
    }
    Writer text(*this);
    text << "WITH gone AS (DELETE FROM " << pieces.table();
    pieces.where_row(text);
    text << " RETURNING " << joined(names, ", ") << ") INSERT INTO " << quote_table(destination)
         << " (" << joined(names, ", ") << ") OVERRIDING SYSTEM VALUE SELECT "
         << joined(values, ", ") << " FROM gone";
    return text.done();
}

Statements Postgres::statements(
    const Table& table, const Catalog& catalog, std::string_view dead_letter) const {
    const Pieces pieces(*this, table);
    Statements s;
    s.ack = pieces.ack();
    s.retry = pieces.retry();
    s.retry_after = pieces.retry_after();
    s.give_back = pieces.give_back();
    s.unfinished = pieces.unfinished();
    if (!dead_letter.empty())
        s.dead_letter.push_back(
            table.has(Role::group) ? pieces.dead_letter_to_group()
                                   : dead_letter_to_table(table, catalog, dead_letter));
    switch (table.form()) {
    case Form::row_lock: s.claim = claim_row(table); break;
    case Form::lease:
        s.claim = claim_leases(table);
        s.renew = renew(table, catalog);
        break;
    case Form::advisory:
        s.claim = claim_key(table);
        s.unlock = Writer(*this)
                       .
                       operator<<("SELECT pg_advisory_unlock(")
                       .
                       operator<<(Parameter::lock)
                       .
                       operator<<(")")
                       .done();
        break;
    }
    return s;
}

// The type of a domain is the type it is made of.
Statement Postgres::catalog_columns(const Table& table) const {
    Writer text(*this);
    text
        << "SELECT CAST(a.attname AS text), CASE WHEN t.typtype = 'd' THEN format_type(t.typbasetype, t.typtypmod) ELSE format_type(a.atttypid, a.atttypmod) END, NOT a.attnotnull, a.attgenerated <> '' FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid WHERE a.attrelid = to_regclass("
        << literal(quote_table(table.name()))
        << ") AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum";
    return text.done();
}

Statement Postgres::catalog_indexes(const Table& table) const {
    Writer text(*this);
    text
        << "SELECT CAST(c.relname AS text), k.position, CAST(a.attname AS text), (i.indoption[CAST(k.position AS integer) - 1] & 1) = 1, pg_get_expr(i.indpred, i.indrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am m ON m.oid = c.relam AND m.amname = 'btree' CROSS JOIN LATERAL unnest(CAST(i.indkey AS smallint[])) WITH ORDINALITY AS k(number, position) LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number AND k.number > 0 WHERE i.indrelid = to_regclass("
        << literal(quote_table(table.name()))
        << ") AND i.indisvalid AND k.position <= i.indnkeyatts ORDER BY 1, 2";
    return text.done();
}

std::vector<std::string> Postgres::type_problems(const Table& table, const Catalog& catalog) const {
    std::vector<std::string> problems;
    const auto need = [&](Role role, std::initializer_list<std::string_view> types,
                          std::string_view words) {
        if (!table.has(role)) return;
        const auto* column = catalog.find(table.column(role));
        if (column == nullptr || starts_with_any(column->type, types)) return;
        problems.push_back(
            "column \"" + column->name + "\" is " + column->type + "; the role " +
            std::string(to_string(role)) + " needs " + std::string(words));
    };
    const auto nullability = [&](Role role, bool nullable) {
        if (!table.has(role)) return;
        const auto* column = catalog.find(table.column(role));
        if (column == nullptr || column->nullable == nullable) return;
        problems.push_back(
            "column \"" + column->name + "\" is declared " + (nullable ? "NOT NULL" : "nullable") +
            "; the role " + std::string(to_string(role)) + " needs it " +
            (nullable ? "nullable" : "NOT NULL"));
    };
    need(
        Role::id, {"smallint", "integer", "bigint", "text", "character", "uuid"},
        "an integer, text or uuid");
    nullability(Role::id, false);
    need(Role::group, {"text", "character", "uuid"}, "text");
    for (const Role role : {Role::priority, Role::attempt})
        need(role, {"smallint", "integer", "bigint"}, "an integer type");
    for (const Role role : {Role::retry_after, Role::locked_until, Role::processed_at})
        need(role, {"timestamp"}, "timestamp with time zone");
    for (const Role role : {Role::locked_until, Role::processed_at}) nullability(role, true);
    need(Role::headers, {"json", "text", "character"}, "json, jsonb or text");
    need(Role::payload, {"json", "text", "character", "bytea"}, "json, jsonb, text or bytea");
    return problems;
}

std::string Postgres::claim_index_ddl(const Table& table) const {
    const Pieces pieces(*this, table);
    std::string index(table.relation());
    index = index.substr(0, 57) + "_claim";
    std::string text =
        "CREATE INDEX IF NOT EXISTS " + quote(index) + " ON " + pieces.table() + " (";
    if (table.has(Role::group)) text += pieces.column(Role::group) + ", ";
    text += pieces.claim_order() + ")";
    if (table.has(Role::processed_at))
        text += " WHERE " + pieces.column(Role::processed_at) + " IS NULL";
    return text;
}

// Room on each page keeps updates of a claim and a retry beside their row; vacuum comes often, since every row of a queue dies.
std::vector<std::string> Postgres::init_ddl(const InitOptions& options) const {
    const Table table(init_description(options));
    std::string text =
        "CREATE TABLE IF NOT EXISTS " + quote_table(options.table) +
        " (\n    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,\n    queue text NOT NULL DEFAULT 'default',\n    priority integer NOT NULL DEFAULT 0,\n    retry_after timestamptz NOT NULL DEFAULT clock_timestamp(),\n    attempt integer NOT NULL DEFAULT 1,\n";
    if (options.form == Form::lease) text += "    locked_until timestamptz,\n";
    text +=
        "    headers jsonb NOT NULL DEFAULT '{}',\n    payload text NOT NULL,\n    created_at timestamptz NOT NULL DEFAULT clock_timestamp()\n) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0)";
    return {std::move(text), claim_index_ddl(table)};
}

} // namespace

std::unique_ptr<Dialect> postgres_dialect() { return std::make_unique<Postgres>(); }

} // namespace rowq::detail::sql
