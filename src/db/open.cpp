// From an address to a driver.
#include "db/database.hpp"
#include "db/url.hpp"

#include <rowq/error.hpp>

#include <fmt/format.h>

#if ROWQ_WITH_POSTGRES
#include "db/postgres.hpp"
#endif
#if ROWQ_WITH_SQLITE
#include "db/sqlite.hpp"
#endif

namespace rowq::detail::db {

namespace {

[[noreturn]] [[maybe_unused]] void not_built(
    std::string_view database, std::string_view library, std::string_view package) {
    throw Error(
        ErrorCode::dialect,
        fmt::format(
            "this build of rowq has no driver for {}: install {} (Debian package {}) and build rowq again",
            database, library, package));
}

std::unique_ptr<Database> postgres(
    [[maybe_unused]] std::string_view url, [[maybe_unused]] const Options& options) {
#if ROWQ_WITH_POSTGRES
    return open_postgres(url, options);
#else
    not_built("PostgreSQL", "libpq", "libpq-dev");
#endif
}

std::unique_ptr<Database> sqlite(
    [[maybe_unused]] std::string_view url, [[maybe_unused]] const Options& options) {
#if ROWQ_WITH_SQLITE
    return open_sqlite(url, options);
#else
    not_built("SQLite", "SQLite 3", "libsqlite3-dev");
#endif
}

} // namespace

std::unique_ptr<Database> open_database(std::string_view url, const Options& options) {
    switch (scheme_of(url)) {
    case Scheme::postgres: return postgres(url, options);
    case Scheme::sqlite: return sqlite(url, options);
    case Scheme::mysql:
        throw Error(
            ErrorCode::dialect,
            fmt::format(
                "{}: this version of rowq has no driver for MySQL and MariaDB; it serves postgresql:// and "
                "sqlite:",
                redact(url)));
    case Scheme::other: break;
    }
    // Not quoted: it may be anything, a password too.
    throw Error(
        ErrorCode::connect,
        url.empty()
            ? "the address of the database is empty; write postgresql://user@host/database or sqlite:file"
            : "not the address of a database; write postgresql://user@host/database or sqlite:file");
}

} // namespace rowq::detail::db
