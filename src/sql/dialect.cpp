// Statements that read the same on every database: inserts, and what people look at.
#include "sql/dialect.hpp"

#include "sql/text.hpp"

#include <rowq/error.hpp>
#include <rowq/table.hpp>

#include <utility>

namespace rowq::detail::sql {

std::string Dialect::quote_table(std::string_view name) const {
    const auto dot = name.find('.');
    if (dot == std::string_view::npos) return quote(name);
    if (name.find('.', dot + 1) != std::string_view::npos)
        throw Error(
            ErrorCode::declaration,
            "the table's name \"" + std::string(name) +
                "\" has more than two parts: schema.table is the longest form");
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

enum class State : std::uint8_t { done, working, delayed, due };

State state_named(std::string_view name) {
    if (name == "done") return State::done;
    if (name == "working") return State::working;
    if (name == "delayed") return State::delayed;
    if (name == "due") return State::due;
    throw Error(
        ErrorCode::declaration, "there is no state \"" + std::string(name) +
                                    "\": the states are due, delayed, working and done");
}

// What puts a row into a state; each row is in exactly one.
class States {
public:
    States(const Dialect& dialect, const Table& table) : dialect_(dialect), table_(table) {}

    // Whether the rows can tell it at all.
    [[nodiscard]] bool told(State state) const {
        switch (state) {
        case State::done: return table_.has(Role::processed_at);
        case State::working: return table_.has(Role::locked_until);
        case State::delayed: return table_.has(Role::retry_after);
        case State::due: break;
        }
        return true;
    }

    // The conditions of a state that can be told, the first after `glue`; none where every row is due.
    void conditions(Writer& text, State state, std::string_view glue) const {
        const auto condition = [&](Role role) -> Writer& {
            text << glue;
            glue = " AND ";
            return text << dialect_.quote(table_.column(role));
        };
        if (table_.has(Role::processed_at))
            condition(Role::processed_at) << (state == State::done ? " IS NOT NULL" : " IS NULL");
        if (state == State::done) return;
        if (state == State::working) {
            condition(Role::locked_until) << " > " << Parameter::now;
            return;
        }
        if (table_.has(Role::locked_until)) {
            text << glue << "(" << dialect_.quote(table_.column(Role::locked_until));
            text << " IS NULL OR " << dialect_.quote(table_.column(Role::locked_until));
            text << " <= " << Parameter::now << ")";
            glue = " AND ";
        }
        if (table_.has(Role::retry_after))
            condition(Role::retry_after)
                << (state == State::delayed ? " > " : " <= ") << Parameter::now;
    }

    // "count(*) FILTER (WHERE ..)", or `otherwise` for a state that the rows do not tell.
    void aggregate(
        Writer& text, std::string_view function, State state, std::string_view otherwise) const {
        if (!told(state)) {
            text << otherwise;
            return;
        }
        Writer filter(dialect_);
        conditions(filter, state, "");
        text << function;
        if (filter.done().empty()) return;
        conditions(text, state, " FILTER (WHERE ");
        text << ")";
    }

private:
    const Dialect& dialect_;
    const Table& table_;
};

} // namespace

Statement Dialect::stats(const Table& table) const {
    const States states(*this, table);
    Writer text(*this);
    text << "SELECT " << (table.has(Role::group) ? quote(table.column(Role::group)) : "''");
    text << ", ";
    states.aggregate(text, "count(*)", State::due, "0");
    text << ", ";
    states.aggregate(text, "count(*)", State::delayed, "0");
    text << ", ";
    states.aggregate(text, "count(*)", State::working, "NULL");
    text << ", ";
    states.aggregate(text, "count(*)", State::done, "0");
    text << ", ";
    if (table.has(Role::retry_after))
        states.aggregate(
            text, "min(" + quote(table.column(Role::retry_after)) + ")", State::due, "NULL");
    else
        text << "NULL";
    text << " FROM " << quote_table(table.name());
    if (table.has(Role::group)) text << " GROUP BY 1 ORDER BY 1";
    return text.done();
}

Statement Dialect::list(const Table& table, std::string_view state) const {
    const States states(*this, table);
    const auto column_or_null = [&](Role role) {
        return table.has(role) ? quote(table.column(role)) : std::string("NULL");
    };
    Writer text(*this);
    text << "SELECT " << quote(table.column(Role::id)) << ", " << column_or_null(Role::group)
         << ", ";
    bool cases = false;
    for (const auto& [each, name] :
         {std::pair(State::done, "'done'"), std::pair(State::working, "'working'"),
          std::pair(State::delayed, "'delayed'")}) {
        if (!states.told(each)) continue;
        states.conditions(text, each, cases ? " WHEN " : "CASE WHEN ");
        text << " THEN " << name;
        cases = true;
    }
    text << (cases ? " ELSE 'due' END, " : "'due', ") << column_or_null(Role::attempt) << ", "
         << column_or_null(Role::retry_after) << ", " << column_or_null(Role::payload) << " FROM "
         << quote_table(table.name());
    if (!state.empty()) {
        const State wanted = state_named(state);
        if (states.told(wanted))
            states.conditions(text, wanted, " WHERE ");
        else
            text << " WHERE false";
    }
    text << " ORDER BY " << Pieces(*this, table).claim_order() << " LIMIT " << Parameter::limit;
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
