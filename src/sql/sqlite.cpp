// SQLite: statement texts. 3.35 and newer. Instants are text, as db/values.hpp writes them.
#include "sql/sqlite_catalog.hpp"
#include "sql/text.hpp"

#include <utility>

namespace rowq::detail::sql {

namespace {

// SQLite knows no limit; a description's own holds.
constexpr std::size_t longest_name = 128;

class Sqlite final : public Dialect {
public:
    std::string_view name() const noexcept override { return "SQLite"; }
    std::string placeholder(std::size_t number) const override {
        return "?" + std::to_string(number);
    }

    std::string quote(std::string_view name) const override {
        return quoted(name, longest_name, "rowq");
    }

    Statements statements(
        const Table& table, const Catalog& catalog, std::string_view dead_letter) const override;
    Statement catalog_columns(const Table& table) const override {
        return sqlite_columns(*this, table);
    }
    Statement catalog_indexes(const Table& table) const override {
        return sqlite_indexes(*this, table);
    }
    Statement server_clock() const override {
        return {"SELECT strftime('%Y-%m-%d %H:%M:%f', 'now')", {}, {}};
    }
    Statement time_limits(Form) const override { return {}; }
    std::vector<std::string> type_problems(
        const Table& table, const Catalog& catalog) const override {
        return sqlite_type_problems(table, catalog);
    }
    std::string claim_index_ddl(const Table& table) const override;
    std::vector<std::string> init_ddl(const InitOptions& options) const override;

private:
    Statement claim_leases(const Table& table, const Catalog& catalog) const;
    Statement candidates(const Table& table) const;
    Statement take(const Table& table) const;
    Statement renew(const Table& table) const;
    std::vector<Statement> dead_letter_to_table(
        const Table& table, const Catalog& catalog, std::string_view destination) const;
};

// Rows whose id may be NULL are addressed by rowid: by id they would be found due again and again and never taken.
Statement Sqlite::claim_leases(const Table& table, const Catalog& catalog) const {
    const Pieces pieces(*this, table);
    const auto* id = catalog.find(table.column(Role::id));
    const std::string address = id != nullptr && id->nullable ? "rowid" : pieces.column(Role::id);
    auto columns = pieces.results(1);
    if (table.has(Role::priority))
        columns.push_back({pieces.column(Role::priority), Output::priority});
    if (table.has(Role::retry_after))
        columns.push_back({pieces.column(Role::retry_after), Output::retry_after});
    Writer text(*this);
    text << "UPDATE " << pieces.table() << " SET " << pieces.column(Role::locked_until) << " = "
         << Parameter::expiry;
    if (table.has(Role::attempt)) text << ", " << pieces.next_attempt();
    text << " WHERE " << address << " IN (SELECT " << address << " FROM " << pieces.table();
    pieces.due(text, " WHERE ");
    text << " ORDER BY " << pieces.claim_order() << " LIMIT " << Parameter::limit << ") RETURNING "
         << expressions(columns);
    return text.returns(outputs(columns)).done();
}

Statement Sqlite::candidates(const Table& table) const {
    const Pieces pieces(*this, table);
    std::vector<ResultColumn> columns{{pieces.column(Role::id), Output::id}};
    if (table.form() == Form::advisory) columns.push_back({pieces.lock_key(), Output::key});
    Writer text(*this);
    text << "SELECT " << expressions(columns) << " FROM " << pieces.table();
    pieces.due(text, " WHERE ");
    text << " ORDER BY " << pieces.claim_order() << " LIMIT " << Parameter::limit;
    return text.returns(outputs(columns)).done();
}

Statement Sqlite::take(const Table& table) const {
    const Pieces pieces(*this, table);
    const bool counts = table.form() == Form::advisory && table.has(Role::attempt);
    const auto columns = pieces.results(counts ? 1 : 0);
    Writer text(*this);
    if (counts)
        text << "UPDATE " << pieces.table() << " SET " << pieces.next_attempt();
    else
        text << "SELECT " << expressions(columns) << " FROM " << pieces.table();
    text << " WHERE " << pieces.column(Role::id) << " = " << Parameter::id;
    pieces.due(text, " AND ");
    if (table.form() == Form::advisory)
        text << " AND " << pieces.lock_key() << " = " << Parameter::key;
    if (counts) text << " RETURNING " << expressions(columns);
    return text.returns(outputs(columns)).done();
}

// The lists are materialised, or one would be parsed again for each element of the other.
Statement Sqlite::renew(const Table& table) const {
    const Pieces pieces(*this, table);
    const std::string id = pieces.column(Role::id), lease = pieces.column(Role::locked_until);
    Writer text(*this);
    text << "WITH rowq_ids AS MATERIALIZED (SELECT key, value FROM json_each(" << Parameter::ids
         << ")), rowq_tokens AS MATERIALIZED (SELECT key, value FROM json_each("
         << Parameter::tokens << ")) UPDATE " << pieces.table() << " SET " << lease << " = "
         << Parameter::expiry << " WHERE (" << id << ", " << lease
         << ") IN (SELECT i.value, t.value FROM rowq_ids AS i JOIN rowq_tokens AS t"
            " ON t.key = i.key) RETURNING "
         << id << ", " << lease;
    return text.returns({Output::id, Output::token}).done();
}

std::vector<Statement> Sqlite::dead_letter_to_table(
    const Table& table, const Catalog& catalog, std::string_view destination) const {
    const Pieces pieces(*this, table);
    const auto [names, values] = pieces.moved(catalog);
    Writer copy(*this), remove(*this);
    copy << "INSERT INTO " << quote_table(destination) << " (" << joined(names, ", ") << ") SELECT "
         << joined(values, ", ") << " FROM " << pieces.table();
    pieces.where_row(copy);
    remove << "DELETE FROM " << pieces.table();
    pieces.where_row(remove);
    std::vector<Statement> both;
    both.push_back(copy.done());
    both.push_back(remove.done());
    return both;
}

Statements Sqlite::statements(
    const Table& table, const Catalog& catalog, std::string_view dead_letter) const {
    const Pieces pieces(*this, table);
    Statements s;
    s.ack = pieces.ack();
    s.retry = pieces.retry();
    s.retry_after = pieces.retry_after();
    s.give_back = pieces.give_back();
    s.unfinished =
        // Rows without a usable id are never claimed, so nobody waits for them either.
        pieces.unfinished("typeof(" + pieces.column(Role::id) + ") IN ('integer', 'text')");
    if (!dead_letter.empty()) {
        if (table.has(Role::group))
            s.dead_letter.push_back(pieces.dead_letter_to_group());
        else
            s.dead_letter = dead_letter_to_table(table, catalog, dead_letter);
    }
    if (table.form() == Form::lease) {
        s.claim = claim_leases(table, catalog);
        s.renew = renew(table);
    } else {
        s.candidates = candidates(table);
        s.take = take(table);
    }
    return s;
}

std::string Sqlite::claim_index_ddl(const Table& table) const {
    const std::string schema = table.schema().empty() ? "" : quote(table.schema()) + ".";
    return "CREATE INDEX IF NOT EXISTS " + schema +
           quote(claim_index_name(table.relation(), longest_name)) + " ON " +
           quote(table.relation()) + " " + Pieces(*this, table).claim_index();
}

// AUTOINCREMENT: an id is never used twice, so a late worker cannot settle another's row.
std::vector<std::string> Sqlite::init_ddl(const InitOptions& options) const {
    const std::string now = "(strftime('%Y-%m-%d %H:%M:%f000', 'now'))";
    std::string text = "CREATE TABLE IF NOT EXISTS " + quote_table(options.table) +
                       " (\n"
                       "    id INTEGER PRIMARY KEY AUTOINCREMENT,\n"
                       "    queue TEXT NOT NULL DEFAULT 'default',\n"
                       "    priority INTEGER NOT NULL DEFAULT 0,\n"
                       "    retry_after TEXT NOT NULL DEFAULT " +
                       now +
                       ",\n"
                       "    attempt INTEGER NOT NULL DEFAULT 1,\n";
    if (options.form == Form::lease) text += "    locked_until TEXT,\n";
    text += "    headers TEXT NOT NULL DEFAULT '{}',\n"
            "    payload TEXT NOT NULL,\n"
            "    created_at TEXT NOT NULL DEFAULT " +
            now + "\n)";
    return {std::move(text), claim_index_ddl(Table(init_description(options)))};
}

} // namespace

std::unique_ptr<Dialect> sqlite_dialect() { return std::make_unique<Sqlite>(); }

} // namespace rowq::detail::sql
