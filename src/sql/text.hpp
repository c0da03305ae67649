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
[[nodiscard]] std::string quoted(
    std::string_view name, std::size_t longest, std::string_view server);
[[nodiscard]] std::string joined(const std::vector<std::string>& parts, std::string_view between);

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

// The pieces of one table's statements in one dialect.
class Pieces {
public:
    Pieces(const Dialect& dialect, const Table& table) : dialect_(dialect), table_(table) {}

    [[nodiscard]] std::string table() const { return dialect_.quote_table(table_.name()); }
    [[nodiscard]] std::string column(Role role) const {
        return dialect_.quote(table_.column(role));
    }

    // " WHERE .." of claimable rows.
    void where_due(Writer& text) const;
    // Without WHERE, each condition after " AND ".
    void and_due(Writer& text) const;
    [[nodiscard]] std::string claim_order() const;
    // "attempt" counted once more; NULL counts as 1.
    [[nodiscard]] std::string next_attempt() const;
    // The rendered lock key, as a text expression.
    [[nodiscard]] std::string lock_key() const;

    // id, attempt (less `counted`), token, headers, then payload or the row's columns.
    [[nodiscard]] std::vector<ResultColumn> results(int counted) const;

    // WHERE id and, in the lease form, token.
    void where_row(Writer& text) const;

    [[nodiscard]] Statement ack() const;
    [[nodiscard]] Statement retry() const;
    [[nodiscard]] Statement retry_after() const;
    [[nodiscard]] Statement give_back() const;
    [[nodiscard]] Statement dead_letter_to_group() const;
    [[nodiscard]] Statement unfinished() const;

private:
    // SET items that every way back into the queue shares: the lease cleared, or the attempt counted by the row lock form.
    [[nodiscard]] std::string set_returned() const;
    [[nodiscard]] Statement update(std::string_view first, std::optional<Parameter> value) const;

    const Dialect& dialect_;
    const Table& table_;
};

[[nodiscard]] std::string expressions(const std::vector<ResultColumn>& columns);
[[nodiscard]] std::vector<Output> outputs(const std::vector<ResultColumn>& columns);

} // namespace rowq::detail::sql
