// SQLite's failures in rowq's words.
#pragma once

#include <rowq/error.hpp>

#include <chrono>
#include <string>
#include <string_view>

struct sqlite3;

namespace rowq::detail::db {

// Of the last failure of a session. `shown` is the database's path; `waited` is how long a lock or a statement was given.
[[nodiscard]] Error sqlite_error(
    sqlite3* db, int code, std::string_view shown, std::chrono::milliseconds waited);

// For a text that does not compile, which is `schema` where it is the text's fault.
[[nodiscard]] Error sqlite_prepare_error(
    sqlite3* db, int code, std::string_view shown, std::chrono::milliseconds waited);

// Why the file could not be opened or set up: the folder, the permissions, the content.
[[nodiscard]] Error sqlite_open_error(
    sqlite3* db, int code, const std::string& path, std::chrono::milliseconds waited);

// A `connect` error about a path, without SQLite's part.
[[nodiscard]] Error cannot_open(std::string_view path, std::string_view why);

} // namespace rowq::detail::db
