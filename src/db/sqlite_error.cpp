// SQLite's failures in rowq's words.
#include "db/sqlite_error.hpp"

#include "db/sqlite_lock_holder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace rowq::detail::db {

namespace {

Error::Details details_of(sqlite3* db, int code) {
    Error::Details details;
    details.sqlstate = std::to_string(code);
    details.server_text = db != nullptr ? sqlite3_errmsg(db) : sqlite3_errstr(code);
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL: // a lost race for the write-ahead log's locks
    case SQLITE_FULL:     // room may come back
        details.retryable = true;
        break;
    default: break;
    }
    return details;
}

std::string locked(std::string_view shown, std::chrono::milliseconds waited) {
    const std::string holder = sqlite_lock_holder(std::string(shown));
    return fmt::format(
        "{} stayed locked for {} ms by {}", shown, waited.count(),
        holder.empty() ? "another process that keeps a write transaction open, for example a "
                         "database browser, a backup or a stopped program"
                       : holder);
}

std::string text_of(int code, std::string_view shown, std::chrono::milliseconds waited) {
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL: return locked(shown, waited);
    case SQLITE_FULL: return fmt::format("disk full: {} cannot grow", shown);
    case SQLITE_READONLY: return fmt::format("{} cannot be written", shown);
    case SQLITE_IOERR: return fmt::format("reading or writing {} failed", shown);
    case SQLITE_CANTOPEN: return fmt::format("{} or a file beside it cannot be opened", shown);
    case SQLITE_CORRUPT: return fmt::format("{} is damaged", shown);
    case SQLITE_NOTADB: return fmt::format("{} is not an SQLite database", shown);
    case SQLITE_NOMEM: return fmt::format("no memory left for {}", shown);
    case SQLITE_INTERRUPT:
        return fmt::format(
            "a statement on {} ran longer than {} ms and was stopped", shown, waited.count());
    default: return fmt::format("{} failed a statement", shown);
    }
}

// What the file system knows about a path that did not open; empty if nothing is wrong with it.
std::string path_problem(const std::string& path, int system_error) {
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0) {
        if (S_ISDIR(status.st_mode)) return "it is a folder, not a file";
        if (!S_ISREG(status.st_mode)) return "it is not a regular file";
    } else if (errno == ENOENT || errno == ENOTDIR) {
        const std::string folder = std::filesystem::path(path).parent_path().string();
        if (::stat(folder.c_str(), &status) != 0)
            return fmt::format("the folder {} does not exist", folder);
        if (!S_ISDIR(status.st_mode)) return fmt::format("{} is not a folder", folder);
        // SQLite tries once more without creating it, so its own reason would be that there is no file.
        if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
            return fmt::format(
                "there is no such file, and none can be created in {}: {}", folder,
                std::generic_category().message(errno));
        if (system_error == 0 || system_error == ENOENT) return "there is no such file";
    } else {
        system_error = errno;
    }
    return system_error == 0 ? "" : std::generic_category().message(system_error);
}

} // namespace

Error sqlite_error(
    sqlite3* db, int code, std::string_view shown, std::chrono::milliseconds waited) {
    return {ErrorCode::database, text_of(code, shown, waited), details_of(db, code)};
}

Error sqlite_prepare_error(
    sqlite3* db, int code, std::string_view shown, std::chrono::milliseconds waited) {
    if ((code & 0xff) != SQLITE_ERROR) return sqlite_error(db, code, shown, waited);
    return {
        ErrorCode::schema, fmt::format("{} does not accept a statement", shown),
        details_of(db, code)};
}

Error sqlite_open_error(
    sqlite3* db, int code, const std::string& path, std::chrono::milliseconds waited) {
    Error::Details details = details_of(db, code);
    std::string why;
    switch (code & 0xff) {
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_IOERR:
        why = path_problem(path, db != nullptr ? sqlite3_system_errno(db) : 0);
        break;
    case SQLITE_NOTADB: why = "it is not an SQLite database"; break;
    default: why = text_of(code, path, waited); break;
    }
    if (why.empty()) why = "its write-ahead log beside it cannot be set up";
    return {
        ErrorCode::connect, fmt::format("{} cannot be opened: {}", path, why), std::move(details)};
}

Error cannot_open(std::string_view path, std::string_view why) {
    return {ErrorCode::connect, fmt::format("{} cannot be opened: {}", path, why)};
}

} // namespace rowq::detail::db
