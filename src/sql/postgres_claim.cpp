// PostgreSQL: the statements that take rows and keep them. Names that start with rowq_ are ours: a user's table may be called "due".
#include "sql/postgres_claim.hpp"

#include "sql/text.hpp"

#include <utility>

namespace rowq::detail::sql {

namespace {

// Aliases c0, c1, .. for the columns of an inner query: a row may hold the id twice.
std::string aliased(const std::vector<std::string>& expressions, std::string_view letter) {
    std::vector<std::string> items;
    for (std::size_t i = 0; i < expressions.size(); ++i)
        items.push_back(
            std::string(expressions[i]).append(" AS ").append(letter) += std::to_string(i));
    return joined(items, ", ");
}

std::string aliases(std::size_t count, std::string_view letter) {
    std::vector<std::string> items;
    for (std::size_t i = 0; i < count; ++i)
        items.push_back(std::string(letter) += std::to_string(i));
    return joined(items, ", ");
}

std::string aliased(const std::vector<ResultColumn>& columns) {
    std::vector<std::string> texts;
    for (const auto& column : columns) texts.push_back(column.expression);
    return aliased(texts, "c");
}

Statement claim_rows(const Dialect& dialect, const Table& table) {
    const Pieces pieces(dialect, table);
    const auto columns = pieces.results(0);
    Writer text(dialect);
    text << "SELECT " << expressions(columns) << " FROM " << pieces.table();
    pieces.due(text, " WHERE ");
    text << " ORDER BY " << pieces.claim_order() << " LIMIT " << Parameter::limit
         << " FOR UPDATE SKIP LOCKED";
    return text.returns(outputs(columns)).done();
}

// The due rows are materialised before they are updated: a plan that walked them once per row would take more than were asked for.
Statement claim_leases(const Dialect& dialect, const Table& table) {
    const Pieces pieces(dialect, table);
    const auto columns = pieces.results(1);
    const auto order = pieces.ordering();
    Writer text(dialect);
    text << "WITH rowq_due AS MATERIALIZED (SELECT " << pieces.column(Role::id)
         << " AS rowq_id FROM " << pieces.table();
    pieces.due(text, " WHERE ");
    text << " ORDER BY " << pieces.claim_order() << " LIMIT " << Parameter::limit
         << " FOR UPDATE SKIP LOCKED), rowq_taken AS (UPDATE " << pieces.table() << " SET "
         << pieces.column(Role::locked_until) << " = " << Parameter::expiry;
    if (table.has(Role::attempt)) text << ", " << pieces.next_attempt();
    text << " FROM rowq_due WHERE " << pieces.column(Role::id) << " = rowq_id RETURNING "
         << aliased(columns) << ", " << aliased(order, "o") << ") SELECT "
         << aliases(columns.size(), "c") << " FROM rowq_taken ORDER BY "
         << aliases(order.size(), "o");
    return text.returns(outputs(columns)).done();
}

std::string key_hash(const Pieces& pieces) {
    return "hashtextextended(" + pieces.lock_key() + ", 0)";
}

// The row in its newest version, if it is still due under the same key: the statement's snapshot may be older than the commit of the key's last holder.
// UPDATE and FOR UPDATE look again at a row that has changed; a plain read would not.
void take_row(Writer& text, const Pieces& pieces, const std::vector<ResultColumn>& columns) {
    text << "UPDATE " << pieces.table() << " SET " << pieces.next_attempt()
         << " FROM rowq_tried WHERE " << pieces.column(Role::id) << " = rowq_id";
    pieces.due(text, " AND ");
    text << " AND " << key_hash(pieces) << " = rowq_lock RETURNING " << aliased(columns);
}

void read_row(Writer& text, const Pieces& pieces, const std::vector<ResultColumn>& columns) {
    text << "SELECT " << aliased(columns) << " FROM " << pieces.table()
         << " AS rowq_row JOIN rowq_tried ON rowq_row." << pieces.column(Role::id) << " = rowq_id";
    text << " AND " << key_hash(pieces) << " = rowq_lock";
    pieces.due(text, " WHERE ");
    text << " FOR UPDATE OF rowq_row";
}

// Keys are tried outside the ordered read, in claim order, and only up to the first free one.
Statement claim_key(const Dialect& dialect, const Table& table) {
    const Pieces pieces(dialect, table);
    const bool counts = table.has(Role::attempt);
    const auto columns = pieces.results(counts ? 1 : 0);
    Writer text(dialect);
    text << "WITH rowq_due AS MATERIALIZED (SELECT " << pieces.column(Role::id) << " AS rowq_id, "
         << key_hash(pieces) << " AS rowq_lock FROM " << pieces.table();
    pieces.due(text, " WHERE ");
    text << " ORDER BY " << pieces.claim_order() << " LIMIT " << Parameter::limit
         << "), rowq_tried AS MATERIALIZED (SELECT rowq_id, rowq_lock FROM rowq_due"
            " WHERE pg_try_advisory_lock(rowq_lock) LIMIT 1), rowq_taken AS (";
    if (counts)
        take_row(text, pieces, columns);
    else
        read_row(text, pieces, columns);
    text << ") SELECT rowq_lock, (SELECT count(*) FROM rowq_due), " << aliases(columns.size(), "c")
         << " FROM (VALUES (1)) AS rowq_one LEFT JOIN rowq_tried ON true"
            " LEFT JOIN rowq_taken ON true";
    auto meanings = outputs(columns);
    meanings.insert(meanings.begin(), {Output::lock, Output::seen});
    return text.returns(std::move(meanings)).done();
}

} // namespace

Statement postgres_claim(const Dialect& dialect, const Table& table) {
    switch (table.form()) {
    case Form::row_lock: return claim_rows(dialect, table);
    case Form::lease: return claim_leases(dialect, table);
    case Form::advisory: return claim_key(dialect, table);
    }
    return {};
}

// Rows are locked in the order of their ids, or two statements over the same rows could wait for each other.
Statement postgres_renew(const Dialect& dialect, const Table& table, const Catalog& catalog) {
    const Pieces pieces(dialect, table);
    const std::string id = pieces.column(Role::id), lease = pieces.column(Role::locked_until);
    const auto type_of = [&](Role role, std::string_view otherwise) {
        const auto* column = catalog.find(table.column(role));
        return column == nullptr ? std::string(otherwise) : column->type;
    };
    Writer text(dialect);
    text << "WITH rowq_held AS MATERIALIZED (SELECT " << id << " AS rowq_id FROM " << pieces.table()
         << " AS rowq_row JOIN unnest(CAST(" << Parameter::ids << " AS text[]), CAST("
         << Parameter::tokens << " AS " << type_of(Role::locked_until, "timestamp with time zone")
         << "[])) AS rowq_asked(rowq_key, rowq_token) ON " << id << " = CAST(rowq_key AS "
         << type_of(Role::id, "text") << ") AND " << lease
         << " = rowq_token ORDER BY rowq_id FOR UPDATE OF rowq_row) UPDATE " << pieces.table()
         << " SET " << lease << " = " << Parameter::expiry << " FROM rowq_held WHERE " << id
         << " = rowq_id RETURNING " << id << ", " << lease;
    return text.returns({Output::id, Output::token}).done();
}

} // namespace rowq::detail::sql
