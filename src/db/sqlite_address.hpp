// What an address of an SQLite database says.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace rowq::detail::db {

enum class SqliteMode { read_only, read_write, create };

struct SqliteAddress {
    std::string text; // as it was given
    std::string path; // absolute; empty: a database in memory
    SqliteMode mode = SqliteMode::create;
    std::optional<int> synchronous; // SQLite's number for the level; empty: SQLite's own default
    std::optional<std::chrono::milliseconds> busy_timeout; // empty: the statement time-out

    [[nodiscard]] bool in_memory() const noexcept { return path.empty(); }
    [[nodiscard]] std::string shown() const { return in_memory() ? ":memory:" : path; }
};

// sqlite:app.db  sqlite:/abs/app.db  sqlite://relative  sqlite:///abs  sqlite::memory:, each with ?synchronous=off|normal|full|extra
// &busy_timeout=ms &mode=ro|rw|rwc. The path is percent-decoded, and made absolute at once: a later chdir() does not move it.
// Throws `connect` naming what is wrong.
[[nodiscard]] SqliteAddress parse_sqlite_address(std::string_view url);

} // namespace rowq::detail::db
