// The shared pieces of statement texts.
#include "sql/text.hpp"

#include <rowq/error.hpp>

#include <utility>

namespace rowq::detail::sql {

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
}

namespace {

std::string enclosed(std::string_view text, char mark) {
    std::string result(1, mark);
    for (const char c : text) {
        if (c == mark) result += mark;
        result += c;
    }
    return result + mark;
}

} // namespace

std::string literal(std::string_view text) { return enclosed(text, '\''); }

std::string quoted(std::string_view name, std::size_t longest, std::string_view server) {
    if (name.size() > longest)
        throw Error(
            ErrorCode::declaration, std::string("the name \"")
                                        .append(name)
                                        .append("\" is longer than ")
                                        .append(std::to_string(longest))
                                        .append(" bytes, the most that ")
                                        .append(server)
                                        .append(" takes"));
    return enclosed(name, '"');
}

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
    std::string result;
    for (const auto& part : parts) {
        if (!result.empty()) result += between;
        result += part;
    }
    return result;
}

void Pieces::and_due(Writer& text) const {
    if (table_.has(Role::group))
        text << " AND " << column(Role::group) << " = " << Parameter::group;
    if (table_.has(Role::retry_after))
        text << " AND " << column(Role::retry_after) << " <= " << Parameter::now;
    if (table_.has(Role::processed_at)) text << " AND " << column(Role::processed_at) << " IS NULL";
    if (table_.has(Role::locked_until))
        text << " AND (" << column(Role::locked_until) << " IS NULL OR "
             << column(Role::locked_until) << " <= " << Parameter::now << ")";
}

void Pieces::where_due(Writer& text) const {
    Writer conditions(dialect_);
    and_due(conditions);
    if (conditions.done().text.empty()) return;
    text << " WHERE true";
    and_due(text);
}

std::string Pieces::claim_order() const {
    std::vector<std::string> order;
    for (const Role role : {Role::priority, Role::retry_after, Role::id}) {
        if (table_.has(role)) order.push_back(column(role));
    }
    return joined(order, ", ");
}

std::string Pieces::next_attempt() const {
    return column(Role::attempt) + " = COALESCE(" + column(Role::attempt) + ", 1) + 1";
}

std::string Pieces::lock_key() const {
    std::vector<std::string> parts;
    for (const auto& part : table_.lock_key())
        parts.push_back(
            part.is_column ? "COALESCE(CAST(" + dialect_.quote(part.text) + " AS text), '')"
                           : literal(part.text));
    return joined(parts, " || ");
}

std::vector<ResultColumn> Pieces::results(int counted) const {
    std::vector<ResultColumn> columns{{column(Role::id), Output::id}};
    if (table_.has(Role::attempt))
        columns.push_back(
            {counted == 0 ? column(Role::attempt) : column(Role::attempt) + " - 1",
             Output::attempt});
    if (table_.has(Role::locked_until))
        columns.push_back({column(Role::locked_until), Output::token});
    if (table_.has(Role::headers)) columns.push_back({column(Role::headers), Output::headers});
    if (table_.has(Role::payload))
        columns.push_back({column(Role::payload), Output::payload});
    else
        for (const auto& name : table_.row_columns())
            columns.push_back({dialect_.quote(name), Output::data});
    return columns;
}

void Pieces::where_row(Writer& text) const {
    text << " WHERE " << column(Role::id) << " = " << Parameter::id;
    if (table_.form() == Form::lease)
        text << " AND " << column(Role::locked_until) << " = " << Parameter::token;
}

std::string Pieces::set_returned() const {
    if (table_.form() == Form::lease) return column(Role::locked_until) + " = NULL";
    return table_.form() == Form::row_lock && table_.has(Role::attempt) ? next_attempt() : "";
}

// first: "column = " or nothing, with its value.
Statement Pieces::update(std::string_view first, std::optional<Parameter> value) const {
    const std::string returned = set_returned();
    Writer text(dialect_);
    text << "UPDATE " << table() << " SET " << first;
    if (value) text << *value;
    if (!first.empty() && !returned.empty()) text << ", ";
    text << returned;
    where_row(text);
    return text.done();
}

Statement Pieces::ack() const {
    Writer text(dialect_);
    if (table_.has(Role::processed_at)) {
        text << "UPDATE " << table() << " SET " << column(Role::processed_at) << " = "
             << Parameter::now;
        if (table_.form() == Form::lease) text << ", " << column(Role::locked_until) << " = NULL";
    } else {
        text << "DELETE FROM " << table();
    }
    where_row(text);
    return text.done();
}

Statement Pieces::retry() const {
    return set_returned().empty() ? Statement{} : update("", std::nullopt);
}

Statement Pieces::retry_after() const {
    if (!table_.has(Role::retry_after)) return {};
    return update(column(Role::retry_after) + " = ", Parameter::due_at);
}

Statement Pieces::give_back() const {
    std::vector<std::string> sets;
    if (table_.form() == Form::lease) sets.push_back(column(Role::locked_until) + " = NULL");
    if (table_.has(Role::attempt))
        sets.push_back(column(Role::attempt) + " = " + column(Role::attempt) + " - 1");
    if (table_.form() == Form::row_lock || sets.empty()) return {};
    Writer text(dialect_);
    text << "UPDATE " << table() << " SET " << joined(sets, ", ");
    where_row(text);
    return text.done();
}

Statement Pieces::dead_letter_to_group() const {
    return update(column(Role::group) + " = ", Parameter::destination);
}

Statement Pieces::unfinished() const {
    Writer text(dialect_);
    text << "SELECT 1 FROM " << table() << " WHERE true";
    if (table_.has(Role::group))
        text << " AND " << column(Role::group) << " = " << Parameter::group;
    if (table_.has(Role::processed_at)) text << " AND " << column(Role::processed_at) << " IS NULL";
    text << " LIMIT 1";
    return text.returns({Output::seen}).done();
}

std::string expressions(const std::vector<ResultColumn>& columns) {
    std::vector<std::string> texts;
    for (const auto& column : columns) texts.push_back(column.expression);
    return joined(texts, ", ");
}

std::vector<Output> outputs(const std::vector<ResultColumn>& columns) {
    std::vector<Output> kinds;
    for (const auto& column : columns) kinds.push_back(column.output);
    return kinds;
}

} // namespace rowq::detail::sql
