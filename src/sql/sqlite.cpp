// SQLite: statement texts. 3.35 and newer. Instants are text, as db/values.hpp writes them.
#include "sql/text.hpp"

#include <utility>

namespace rowq::detail::sql {

namespace {

class Sqlite final : public Dialect {
public:
    std::string_view name() const noexcept override { return "SQLite"; }
    std::string placeholder(std::size_t number) const override {
        return "?" + std::to_string(number);
    }

    // SQLite knows no limit; a description's own holds.
    std::string quote(std::string_view name) const override { return quoted(name, 128, "rowq"); }

    Statements statements(
        const Table& table, const Catalog& catalog, std::string_view dead_letter) const override;
    Statement catalog_columns(const Table& table) const override;
    Statement catalog_indexes(const Table& table) const override;
    Statement server_clock() const override {
        return Writer(*this).operator<<("SELECT strftime('%Y-%m-%d %H:%M:%f', 'now')").done();
    }
    std::vector<std::string> type_problems(
        const Table& table, const Catalog& catalog) const override;
    std::string claim_index_ddl(const Table& table) const override;
    std::vector<std::string> init_ddl(const InitOptions& options) const override;

private:
    Statement claim_leases(const Table& table, const Catalog& catalog) const;
    Statement candidates(const Table& table) const;
    Statement take(const Table& table) const;
    Statement renew(const Table& table) const;
    std::vector<Statement> dead_letter_to_table(
        const Table& table, const Catalog& catalog, std::string_view destination) const;
    std::string pragma(std::string_view function, const Table& table) const;
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
    pieces.where_due(text);
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
    pieces.where_due(text);
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
    pieces.and_due(text);
    if (counts) text << " RETURNING " << expressions(columns);
    return text.returns(outputs(columns)).done();
}

Statement Sqlite::renew(const Table& table) const {
    const Pieces pieces(*this, table);
    const std::string id = pieces.column(Role::id), lease = pieces.column(Role::locked_until);
    Writer text(*this);
    text << "UPDATE " << pieces.table() << " SET " << lease << " = " << Parameter::expiry
         << " WHERE (" << id << ", " << lease << ") IN (SELECT i.value, t.value FROM json_each("
         << Parameter::ids << ") AS i JOIN json_each(" << Parameter::tokens
         << ") AS t ON t.key = i.key) RETURNING " << id << ", " << lease;
    return text.returns({Output::id, Output::token}).done();
}

std::vector<Statement> Sqlite::dead_letter_to_table(
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
            values.emplace_back("NULL");
        else if (counted)
            values.push_back("COALESCE(" + names.back() + ", 1) + 1");
        else
            values.push_back(names.back());
    }
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
    s.unfinished = pieces.unfinished();
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

std::string Sqlite::pragma(std::string_view function, const Table& table) const {
    std::string text = std::string(function) + "(" + literal(table.relation());
    if (!table.schema().empty()) text += ", " + literal(table.schema());
    return text + ")";
}

// An INTEGER PRIMARY KEY is the rowid, and never NULL whatever its declaration says.
Statement Sqlite::catalog_columns(const Table& table) const {
    Writer text(*this);
    text
        << "SELECT name, type, \"notnull\" = 0 AND NOT (pk = 1 AND upper(type) = 'INTEGER'), hidden IN (2, 3) FROM "
        << pragma("pragma_table_xinfo", table) << " WHERE hidden <> 1 ORDER BY cid";
    return text.done();
}

Statement Sqlite::catalog_indexes(const Table& table) const {
    const std::string schema = table.schema().empty() ? "" : quote(table.schema()) + ".";
    Writer text(*this);
    text
        << "SELECT l.name, x.seqno, x.name, x.\"desc\", CASE WHEN l.partial THEN (SELECT substr(s.sql, instr(upper(s.sql), ' WHERE ') + 7) FROM "
        << schema << "sqlite_master s WHERE s.name = l.name) END FROM "
        << pragma("pragma_index_list", table) << " l JOIN pragma_index_xinfo(l.name"
        << (table.schema().empty() ? "" : ", " + literal(table.schema()))
        << ") x ON x.key = 1 UNION ALL SELECT '(rowid)', 0, name, 0, NULL FROM "
        << pragma("pragma_table_info", table)
        << " WHERE pk = 1 AND upper(type) = 'INTEGER' ORDER BY 1, 2";
    return text.done();
}

std::vector<std::string> Sqlite::type_problems(const Table& table, const Catalog& catalog) const {
    std::vector<std::string> problems;
    const auto problem = [&](const CatalogColumn& column, Role role, std::string_view words) {
        problems.push_back(
            "column \"" + column.name + "\" is declared " +
            (column.type.empty() ? "without a type" : column.type) +
            (column.nullable ? "" : " NOT NULL") + "; the role " + std::string(to_string(role)) +
            " needs " + std::string(words));
    };
    const auto holds = [](const CatalogColumn& column,
                          std::initializer_list<std::string_view> words) {
        const std::string type = lower(column.type);
        for (const auto word : words) {
            if (type.find(word) != std::string::npos) return true;
        }
        return false;
    };
    for (const Role role : {Role::retry_after, Role::locked_until, Role::processed_at}) {
        if (!table.has(role)) continue;
        const auto* column = catalog.find(table.column(role));
        if (column == nullptr) continue;
        if (!holds(*column, {"text", "char", "datetime", "timestamp"}))
            problem(
                *column, role,
                "a TEXT column with instants in UTC as 'YYYY-MM-DD HH:MM:SS.ffffff'");
        else if (role != Role::retry_after && !column->nullable)
            problem(*column, role, "a column that may be NULL");
    }
    for (const Role role : {Role::priority, Role::attempt}) {
        if (!table.has(role)) continue;
        const auto* column = catalog.find(table.column(role));
        if (column != nullptr && !holds(*column, {"int"}))
            problem(*column, role, "an INTEGER column");
    }
    if (const auto* id = catalog.find(table.column(Role::id));
        id != nullptr && holds(*id, {"blob", "real", "floa", "doub"}))
        problem(*id, Role::id, "an INTEGER or TEXT column");
    return problems;
}

std::string Sqlite::claim_index_ddl(const Table& table) const {
    const Pieces pieces(*this, table);
    std::string text = "CREATE INDEX IF NOT EXISTS ";
    if (!table.schema().empty()) text += quote(table.schema()) + ".";
    text += quote(std::string(table.relation()).substr(0, 122) + "_claim") + " ON " +
            quote(table.relation()) + " (";
    if (table.has(Role::group)) text += pieces.column(Role::group) + ", ";
    text += pieces.claim_order() + ")";
    if (table.has(Role::processed_at))
        text += " WHERE " + pieces.column(Role::processed_at) + " IS NULL";
    return text;
}

// AUTOINCREMENT: an id is never used twice, so a late worker cannot settle another's row.
std::vector<std::string> Sqlite::init_ddl(const InitOptions& options) const {
    const std::string now = "(strftime('%Y-%m-%d %H:%M:%f000', 'now'))";
    std::string text =
        "CREATE TABLE IF NOT EXISTS " + quote_table(options.table) +
        " (\n    id INTEGER PRIMARY KEY AUTOINCREMENT,\n    queue TEXT NOT NULL DEFAULT 'default',\n    priority INTEGER NOT NULL DEFAULT 0,\n    retry_after TEXT NOT NULL DEFAULT " +
        now + ",\n    attempt INTEGER NOT NULL DEFAULT 1,\n";
    if (options.form == Form::lease) text += "    locked_until TEXT,\n";
    text +=
        "    headers TEXT NOT NULL DEFAULT '{}',\n    payload TEXT NOT NULL,\n    created_at TEXT NOT NULL DEFAULT " +
        now + "\n)";
    return {std::move(text), claim_index_ddl(Table(init_description(options)))};
}

} // namespace

std::unique_ptr<Dialect> sqlite_dialect() { return std::make_unique<Sqlite>(); }

} // namespace rowq::detail::sql
