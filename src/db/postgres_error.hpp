// PostgreSQL's failures in rowq's words.
#pragma once

#include <rowq/error.hpp>

#include <libpq-fe.h>

#include <string>
#include <string_view>

namespace rowq::detail::db {

// What the server says of a failure: on one line, and without the contents of columns.
[[nodiscard]] std::string server_text_of(const PGresult& answer);
[[nodiscard]] std::string sqlstate_of(const PGresult& answer);

// True if the server has ended the session with this answer, or the answer is libpq's word that the session broke.
[[nodiscard]] bool ends_session(const PGresult& answer);

// True where the session's prepared statements are no use any more: a proxy in between has changed sessions, or the statement's tables
// were altered.
[[nodiscard]] bool is_stale_statement(const PGresult& answer);

// For a statement that the server refused; the session goes on.
[[nodiscard]] Error refused(const PGresult& answer);

// The same while preparing, where the text is at fault.
[[nodiscard]] Error refused_text(const PGresult& answer);

// For an attempt to connect. `text` is libpq's, at verbosity `verbose`, so that it holds the sqlstate; passwords are hidden already.
[[nodiscard]] Error cannot_connect(std::string_view name, std::string text);

// The part of `text` that is the sqlstate, or nothing.
[[nodiscard]] std::string sqlstate_in(std::string_view text);

} // namespace rowq::detail::db
