// PostgreSQL: asking for a table's columns and indexes, and judging the columns' types.
#include "sql/postgres_catalog.hpp"

#include "sql/text.hpp"

#include <algorithm>
#include <initializer_list>

namespace rowq::detail::sql {

// The type of a domain is the type it is made of. A table that is not found gives no rows.
Statement postgres_columns(const Dialect& dialect, const Table& table) {
    Writer text(dialect);
    text << "SELECT CAST(a.attname AS text), CASE WHEN t.typtype = 'd'"
            " THEN format_type(t.typbasetype, t.typtypmod)"
            " ELSE format_type(a.atttypid, a.atttypmod) END,"
            " NOT (a.attnotnull OR t.typnotnull), a.attgenerated <> ''"
            " FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid"
            " WHERE a.attrelid = to_regclass("
         << literal(dialect.quote_table(table.name()))
         << ") AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum";
    return text.done();
}

// Any order of a column but the plain one (ascending, NULL last) makes the server sort, as if it were descending.
Statement postgres_indexes(const Dialect& dialect, const Table& table) {
    Writer text(dialect);
    text << "SELECT CAST(c.relname AS text), k.position, CAST(a.attname AS text),"
            " i.indoption[CAST(k.position AS integer) - 1] <> 0,"
            " pg_get_expr(i.indpred, i.indrelid)"
            " FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
            " JOIN pg_am m ON m.oid = c.relam AND m.amname = 'btree'"
            " CROSS JOIN LATERAL unnest(CAST(i.indkey AS smallint[]))"
            " WITH ORDINALITY AS k(number, position)"
            " LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid"
            " AND a.attnum = k.number AND k.number > 0"
            " WHERE i.indrelid = to_regclass("
         << literal(dialect.quote_table(table.name()))
         << ") AND i.indisvalid AND k.position <= i.indnkeyatts ORDER BY 1, 2";
    return text.done();
}

namespace {

using Types = std::initializer_list<std::string_view>;

// "character varying(36)" -> "character varying"; "timestamp(3) with time zone" -> "timestamp with time zone".
std::string without_length(std::string_view type) {
    const auto open = type.find('('), close = type.find(')');
    if (open == std::string_view::npos || close == std::string_view::npos) return std::string(type);
    return std::string(type.substr(0, open)).append(type.substr(close + 1));
}

class TypeCheck {
public:
    TypeCheck(const Table& table, const Catalog& catalog) : table_(table), catalog_(catalog) {}

    void need(Role role, Types types, std::string_view words) {
        const auto* column = find(role);
        if (column == nullptr) return;
        if (std::find(types.begin(), types.end(), without_length(column->type)) == types.end())
            add(*column, role, "is " + column->type, words);
    }
    void need_nullable(Role role) {
        const auto* column = find(role);
        if (column != nullptr && !column->nullable)
            add(*column, role, "is declared NOT NULL", "a column that may be NULL");
    }
    void need_not_null(Role role) {
        const auto* column = find(role);
        if (column != nullptr && column->nullable)
            add(*column, role, "may be NULL", "a column that is declared NOT NULL");
    }
    std::vector<std::string> problems;

private:
    [[nodiscard]] const CatalogColumn* find(Role role) const {
        return table_.has(role) ? catalog_.find(table_.column(role)) : nullptr;
    }
    void add(
        const CatalogColumn& column, Role role, std::string_view found, std::string_view words) {
        std::string text = "column \"" + column.name + "\" ";
        text.append(found).append("; the role ").append(to_string(role));
        problems.push_back(text.append(" needs ").append(words));
    }

    const Table& table_;
    const Catalog& catalog_;
};

} // namespace

std::vector<std::string> postgres_type_problems(const Table& table, const Catalog& catalog) {
    TypeCheck check(table, catalog);
    check.need(
        Role::id,
        {"smallint", "integer", "bigint", "text", "character varying", "character", "uuid"},
        "an integer type, text or uuid");
    check.need_not_null(Role::id);
    check.need(Role::group, {"text", "character varying", "character", "uuid"}, "text");
    check.need(Role::priority, {"smallint", "integer", "bigint"}, "an integer type");
    // A row that is retried at once reaches the end of smallint within minutes, and no claim gets past it.
    check.need(Role::attempt, {"integer", "bigint"}, "integer or bigint");
    for (const Role role : {Role::retry_after, Role::locked_until, Role::processed_at})
        check.need(
            role, {"timestamp with time zone", "timestamp without time zone"},
            "timestamp with time zone");
    for (const Role role : {Role::locked_until, Role::processed_at}) check.need_nullable(role);
    check.need(
        Role::headers, {"json", "jsonb", "text", "character varying"}, "json, jsonb or text");
    check.need(
        Role::payload, {"json", "jsonb", "text", "character varying", "character", "bytea"},
        "json, jsonb, text or bytea");
    return check.problems;
}

} // namespace rowq::detail::sql
