// Statements that read the same on every database: inserts, and what people look at.
#include "sql/dialect.hpp"

#include "sql/text.hpp"

#include <rowq/table.hpp>

#include <utility>

namespace rowq::detail::sql {

std::string Dialect::quote_table(std::string_view name) const {
    const auto dot = name.find('.');
    if (dot == std::string_view::npos) return quote(name);
    return quote(name.substr(0, dot)) + '.' + quote(name.substr(dot + 1));
}

namespace {

// Whether a publisher writes the column, and with what.
std::optional<Parameter> written(
    const TableColumn& column, const InsertShape& shape, bool row_mode) {
    const auto given = [&](bool asked, Parameter parameter) {
        return asked || !column.generated ? std::optional(parameter) : std::nullopt;
    };
    switch (column.role) {
    case Role::id:
        return row_mode && !column.generated ? std::optional(Parameter::id) : std::nullopt;
    case Role::group: return Parameter::group;
    case Role::priority: return given(shape.priority, Parameter::priority);
    case Role::retry_after: return given(shape.due_at, Parameter::due_at);
    case Role::attempt: return given(false, Parameter::attempt);
    case Role::headers: return given(shape.headers, Parameter::headers);
    case Role::payload: return Parameter::payload;
    case Role::data: return given(false, Parameter::data);
    case Role::locked_until:
    case Role::processed_at: return std::nullopt;
    }
    return std::nullopt;
}

} // namespace

Statement Dialect::insert(const Table& table, const InsertShape& shape) const {
    std::vector<std::string> columns;
    std::vector<Parameter> values;
    for (const auto& column : table.columns()) {
        const auto value = written(column, shape, !table.has(Role::payload));
        if (!value) continue;
        columns.push_back(quote(column.name));
        values.push_back(*value);
    }
    Writer text(*this);
    text << "INSERT INTO " << quote_table(table.name());
    if (columns.empty())
        text << " DEFAULT VALUES";
    else
        text << " (" << joined(columns, ", ") << ") VALUES (";
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i > 0) text << ", ";
        text << values[i];
    }
    if (!columns.empty()) text << ")";
    text << " RETURNING " << quote(table.column(Role::id));
    return text.returns({Output::id}).done();
}

namespace {

// The conditions of the states, each of which a row has exactly one of.
struct States {
    const Dialect& dialect;
    const Table& table;

    [[nodiscard]] std::string column(Role role) const { return dialect.quote(table.column(role)); }

    void done(Writer& text) const {
        if (table.has(Role::processed_at))
            text << column(Role::processed_at) << " IS NOT NULL";
        else
            text << "false";
    }
    void open(Writer& text) const {
        if (table.has(Role::processed_at))
            text << column(Role::processed_at) << " IS NULL";
        else
            text << "true";
    }
    void working(Writer& text) const {
        open(text);
        if (!table.has(Role::locked_until))
            text << " AND false";
        else
            text << " AND " << column(Role::locked_until) << " > " << Parameter::now;
    }
    void free(Writer& text) const {
        open(text);
        if (table.has(Role::locked_until))
            text << " AND (" << column(Role::locked_until) << " IS NULL OR "
                 << column(Role::locked_until) << " <= " << Parameter::now << ")";
    }
    void delayed(Writer& text) const {
        free(text);
        if (!table.has(Role::retry_after))
            text << " AND false";
        else
            text << " AND " << column(Role::retry_after) << " > " << Parameter::now;
    }
    void due(Writer& text) const {
        free(text);
        if (table.has(Role::retry_after))
            text << " AND " << column(Role::retry_after) << " <= " << Parameter::now;
    }
};

} // namespace

Statement Dialect::stats(const Table& table) const {
    const States states{*this, table};
    const std::string group = table.has(Role::group) ? quote(table.column(Role::group)) : "''";
    Writer text(*this);
    text << "SELECT " << group << ", count(*) FILTER (WHERE ";
    states.due(text);
    text << "), count(*) FILTER (WHERE ";
    states.delayed(text);
    if (table.has(Role::locked_until)) {
        text << "), count(*) FILTER (WHERE ";
        states.working(text);
        text << ")";
    } else {
        text << "), NULL";
    }
    text << ", count(*) FILTER (WHERE ";
    states.done(text);
    text << "), ";
    if (table.has(Role::retry_after)) {
        text << "min(" << quote(table.column(Role::retry_after)) << ") FILTER (WHERE ";
        states.due(text);
        text << ")";
    } else {
        text << "NULL";
    }
    text << " FROM " << quote_table(table.name());
    if (table.has(Role::group)) text << " GROUP BY 1 ORDER BY 1";
    return text.done();
}

Statement Dialect::list(const Table& table, std::string_view state) const {
    const States states{*this, table};
    const Pieces pieces(*this, table);
    const auto column_or_null = [&](Role role) {
        return table.has(role) ? quote(table.column(role)) : std::string("NULL");
    };
    Writer text(*this);
    text << "SELECT " << quote(table.column(Role::id)) << ", " << column_or_null(Role::group)
         << ", CASE WHEN ";
    states.done(text);
    text << " THEN 'done' WHEN ";
    states.working(text);
    text << " THEN 'working' WHEN ";
    states.delayed(text);
    text << " THEN 'delayed' ELSE 'due' END, " << column_or_null(Role::attempt) << ", "
         << column_or_null(Role::retry_after) << ", " << column_or_null(Role::payload) << " FROM "
         << quote_table(table.name());
    if (state == "done" || state == "working" || state == "delayed" || state == "due") {
        text << " WHERE ";
        if (state == "done")
            states.done(text);
        else if (state == "working")
            states.working(text);
        else if (state == "delayed")
            states.delayed(text);
        else
            states.due(text);
    }
    text << " ORDER BY " << pieces.claim_order() << " LIMIT " << Parameter::limit;
    return text.done();
}

Description init_description(const InitOptions& options) {
    auto table = rowq::table(options.table)
                     .id("id", generated)
                     .group("queue")
                     .priority("priority", generated)
                     .retry_after("retry_after", generated)
                     .attempt("attempt", generated)
                     .headers("headers", generated)
                     .payload("payload");
    if (options.form == Form::lease) table = table.locked_until("locked_until");
    if (options.form == Form::advisory) table = table.lock_key(options.lock_key);
    return table.description();
}

} // namespace rowq::detail::sql
