// Statement texts of one table, and what each of their placeholders and columns means.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rowq::detail::sql {

// What the caller passes for a placeholder, in the order of the text.
enum class Parameter : std::uint8_t {
    group,       // text
    now,         // the instant that decides what is due
    limit,       // integer: rows at most
    id,          // the row
    token,       // the expiry that the claim wrote, as it was read back
    expiry,      // the new end of a lease
    due_at,      // when the row is due again
    destination, // the group that dead letters go to
    ids,         // many rows: an array (PostgreSQL) or a JSON array (SQLite) as text
    tokens,      // their tokens, in the same order, likewise
    key,         // text: the rendered lock key under which the row was found
    lock,        // integer: a lock's number as the claim returned it
    priority,    // integer
    attempt,     // integer
    headers,     // JSON text
    payload,     // text or bytes
    data,        // row mode: the data columns, in the order of the description
};

// What a column of the result means.
enum class Output : std::uint8_t {
    id,
    attempt, // as it stood before this claim
    token,
    headers,
    payload,
    data,     // row mode: in the order of the description
    lock,     // integer: the number of the advisory lock that was taken; NULL: none
    key,      // text: the rendered lock key
    seen,     // integer: how many candidates the claim looked at
    priority, // these two only where the caller must sort
    retry_after,
};

struct Statement {
    std::string text; // empty: the table's form has no such statement
    std::vector<Parameter> parameters;
    std::vector<Output> outputs;

    [[nodiscard]] bool empty() const noexcept { return text.empty(); }
};

// Everything a subscription sends. Settlements change exactly one row; none means that the row is gone (or, with a token, that the
// lease is lost).
struct Statements {
    // Row lock on a server: selects and locks due rows, in claim order. Lease: takes due rows; in claim order where the server can
    // sort them, else with priority and retry_after for the caller to sort by. Advisory lock on a server: locks the first free key among
    // the `limit` first due rows and takes its row: always one result row; lock NULL: nothing free; id NULL with a lock: the row
    // was gone, the lock must be given back.
    Statement claim;

    // Without locks in the server (SQLite: row lock, advisory lock). candidates: ids (and keys) of due rows, in claim order. take: the row by
    // its id if it is still due (and has still that key); in the advisory form a write that counts the attempt.
    Statement candidates;
    Statement take;

    Statement ack;
    Statement retry;       // row lock: counts the attempt; lease: clears the lease; advisory: none
    Statement retry_after; // none without the role: retry stands in
    Statement
        give_back; // lease, advisory: an unstarted row returns with its attempt; none in the row lock form
    std::vector<Statement>
        dead_letter; // in one transaction, each must change one row; empty without a destination
    Statement renew; // lease: many rows at once; returns id and token of those still held
    Statement unfinished; // one row if the group still has a row that is not finished, due or not
    Statement unlock;     // advisory lock on a server: by its number
};

} // namespace rowq::detail::sql
