// Putting statement texts together, and the pieces that all databases share.
#pragma once

#include "sql/dialect.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rowq::detail::sql {

[[nodiscard]] std::string lower(std::string_view text);   // ASCII letters
[[nodiscard]] std::string literal(std::string_view text); // 'it''s'
[[nodiscard]] std::string joined(const std::vector<std::string>& parts, std::string_view between);

// "na""me". Throws `declaration` for a name that is empty, holds a zero byte or is longer than the server takes.
[[nodiscard]] std::string quoted(
    std::string_view name, std::size_t longest, std::string_view server);

// "jobs_claim", cut between characters where it would be too long.
[[nodiscard]] std::string claim_index_name(std::string_view relation, std::size_t longest);

// Text with its parameters in the order in which they stand in it.
class Writer {
public:
    explicit Writer(const Dialect& dialect) : dialect_(dialect) {}
    Writer& operator<<(std::string_view text) { return statement_.text += text, *this; }
    Writer& operator<<(Parameter parameter) {
        statement_.parameters.push_back(parameter);
        return *this << dialect_.placeholder(statement_.parameters.size());
    }
    Writer& returns(std::vector<Output> outputs) {
        return statement_.outputs = std::move(outputs), *this;
    }
    [[nodiscard]] Statement done() { return std::move(statement_); }

private:
    const Dialect& dialect_;
    Statement statement_;
};

// One column of a claim's result.
struct ResultColumn {
    std::string expression;
    Output output;
};
[[nodiscard]] std::string expressions(const std::vector<ResultColumn>& columns);
[[nodiscard]] std::vector<Output> outputs(const std::vector<ResultColumn>& columns);

// A row on its way to another table: the columns, and what each arrives with.
struct MovedColumns {
    std::vector<std::string> names;
    std::vector<std::string> values;
};

// The pieces of one table's statements in one dialect.
class Pieces {
public:
    Pieces(const Dialect& dialect, const Table& table) : dialect_(dialect), table_(table) {}

    [[nodiscard]] std::string table() const { return dialect_.quote_table(table_.name()); }
    [[nodiscard]] std::string column(Role role) const {
        return dialect_.quote(table_.column(role));
    }

    // What makes a row claimable, the first condition after `glue`: " WHERE " or " AND ".
    void due(Writer& text, std::string_view glue) const;
    // The columns of the claim order, as far as they play.
    [[nodiscard]] std::vector<std::string> ordering() const;
    [[nodiscard]] std::string claim_order() const { return joined(ordering(), ", "); }
    // "attempt" counted once more; NULL counts as 1.
    [[nodiscard]] std::string next_attempt() const;
    // The rendered lock key, as a text expression; NULL renders as empty text.
    [[nodiscard]] std::string lock_key() const;
    // id, attempt (less `counted`), token, headers, then payload or the row's columns.
    [[nodiscard]] std::vector<ResultColumn> results(int counted) const;

    // WHERE id and, in the lease form, token.
    void where_row(Writer& text) const;
    // Every column that can be written: the lease cleared, the attempt counted by the row lock form.
    [[nodiscard]] MovedColumns moved(const Catalog& catalog) const;
    // "(..) WHERE .." of the index that serves the claim order.
    [[nodiscard]] std::string claim_index() const;

    [[nodiscard]] Statement ack() const;
    [[nodiscard]] Statement retry() const;
    [[nodiscard]] Statement retry_after() const;
    [[nodiscard]] Statement give_back() const;
    [[nodiscard]] Statement dead_letter_to_group() const;
    [[nodiscard]] Statement unfinished(
        std::string_view readable) const; // `readable`: a condition on the id, or empty

private:
    // SET items that every way back into the queue shares: the lease cleared, or the attempt counted by the row lock form.
    [[nodiscard]] std::string set_returned() const;
    [[nodiscard]] Statement update(std::string_view first, std::optional<Parameter> value) const;
    [[nodiscard]] bool plays(const std::string& name, Role role) const;

    const Dialect& dialect_;
    const Table& table_;
};

} // namespace rowq::detail::sql
