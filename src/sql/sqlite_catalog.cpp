// SQLite: asking for a table's columns and indexes, and judging the columns' declared types.
#include "sql/sqlite_catalog.hpp"

#include "sql/text.hpp"

#include <initializer_list>

namespace rowq::detail::sql {

namespace {

std::string pragma(std::string_view function, const Table& table) {
    std::string text = std::string(function) + "(" + literal(table.relation());
    if (!table.schema().empty()) text += ", " + literal(table.schema());
    return text + ")";
}

// True for the column that is the rowid under another name: it is never NULL and read in order, whatever its declaration says.
std::string is_rowid(const Table& table) {
    return "(pk = 1 AND upper(type) = 'INTEGER' AND (SELECT count(*) FROM " +
           pragma("pragma_table_xinfo", table) + " WHERE pk > 0) = 1)";
}

} // namespace

Statement sqlite_columns(const Dialect& dialect, const Table& table) {
    Writer text(dialect);
    text << "SELECT name, type, \"notnull\" = 0 AND NOT " << is_rowid(table)
         << ", hidden IN (2, 3) FROM " << pragma("pragma_table_xinfo", table)
         << " WHERE hidden <> 1 ORDER BY cid";
    return text.done();
}

Statement sqlite_indexes(const Dialect& dialect, const Table& table) {
    const bool schema = !table.schema().empty();
    Writer text(dialect);
    text << "SELECT l.name, x.seqno, x.name, x.\"desc\", CASE WHEN l.partial THEN"
            " (SELECT substr(flat, instr(upper(flat), ' WHERE ') + 7) FROM (SELECT"
            " replace(replace(replace(s.sql, char(9), ' '), char(10), ' '), char(13), ' ') AS flat"
            " FROM "
         << (schema ? dialect.quote(table.schema()) + "." : "")
         << "sqlite_master s WHERE s.type = 'index' AND s.name = l.name)) END FROM "
         << pragma("pragma_index_list", table) << " l JOIN pragma_index_xinfo(l.name"
         << (schema ? ", " + literal(table.schema()) : "")
         << ") x ON x.key = 1 UNION ALL SELECT '(rowid)', 0, name, 0, NULL FROM "
         << pragma("pragma_table_xinfo", table) << " WHERE " << is_rowid(table) << " ORDER BY 1, 2";
    return text.done();
}

namespace {

bool holds(const CatalogColumn& column, std::initializer_list<std::string_view> words) {
    const std::string type = lower(column.type);
    for (const auto word : words) {
        if (type.find(word) != std::string::npos) return true;
    }
    return false;
}

// Whether a column keeps text as it was written: others turn '007' into 7.
bool keeps_text(const CatalogColumn& column) {
    if (column.type.empty() || holds(column, {"json"})) return true;
    if (holds(column, {"int"})) return false;
    return holds(column, {"char", "clob", "text", "blob"});
}

std::string problem(const CatalogColumn& column, Role role, std::string_view words) {
    std::string text = "column \"" + column.name + "\" is declared ";
    text += column.type.empty() ? "without a type" : column.type;
    text += column.nullable ? "" : " NOT NULL";
    return text.append("; the role ").append(to_string(role)).append(" needs ").append(words);
}

// Empty: no problem.
std::string time_problem(const CatalogColumn& column, Role role) {
    if (!holds(column, {"text", "char", "datetime", "timestamp"}))
        return problem(
            column, role, "a TEXT column with instants in UTC as 'YYYY-MM-DD HH:MM:SS.ffffff'");
    if (role != Role::retry_after && !column.nullable)
        return problem(column, role, "a column that may be NULL");
    return {};
}

std::string type_problem(const CatalogColumn& column, Role role) {
    switch (role) {
    case Role::id:
        return holds(column, {"blob", "real", "floa", "doub"})
                   ? problem(column, role, "an INTEGER or TEXT column")
                   : "";
    case Role::priority:
    case Role::attempt:
        return holds(column, {"int"}) ? "" : problem(column, role, "an INTEGER column");
    case Role::retry_after:
    case Role::locked_until:
    case Role::processed_at: return time_problem(column, role);
    case Role::headers: return keeps_text(column) ? "" : problem(column, role, "a TEXT column");
    case Role::payload:
        return keeps_text(column) ? "" : problem(column, role, "a TEXT or BLOB column");
    case Role::group:
    case Role::data: return {};
    }
    return {};
}

} // namespace

std::vector<std::string> sqlite_type_problems(const Table& table, const Catalog& catalog) {
    std::vector<std::string> problems;
    for (const auto& described : table.columns()) {
        const auto* column = catalog.find(described.name);
        if (column == nullptr) continue;
        if (auto text = type_problem(*column, described.role); !text.empty())
            problems.push_back(std::move(text));
    }
    return problems;
}

} // namespace rowq::detail::sql
