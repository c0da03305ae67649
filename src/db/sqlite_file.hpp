// A database as all its users in this process share it.
#pragma once

#include "db/database.hpp"
#include "db/ofd_holds.hpp"
#include "db/sqlite_address.hpp"
#include "db/sqlite_connection.hpp"
#include "db/sqlite_writer.hpp"

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <string>

namespace rowq::detail::db {

// The waits that an address and the options ask for.
[[nodiscard]] SqliteLimits sqlite_limits(const SqliteAddress& address, const Options& options);

// One writer and one set of holds for each database file of the process, whatever the spelling of its path: the file is known by its
// device and inode. A database in memory is always one of its own. Given up when the last user lets go.
//
// Only stat() looks at the file, never open() and close(): closing any descriptor of a file drops all locks that the process has on it,
// those of SQLite too.
class SqliteFile {
public:
    // Opens the file or finds it open. Throws `connect`.
    [[nodiscard]] static std::shared_ptr<SqliteFile> open(
        const SqliteAddress& address, const Options& options);

    // The file under this path if this process has it open. Throws `connect` for a file with a second name that it has not.
    [[nodiscard]] static std::shared_ptr<SqliteFile> find(const std::string& path);

    // Files open in this process.
    [[nodiscard]] static std::size_t count();

    SqliteFile(std::unique_ptr<SqliteConnection> connection, std::string path);
    ~SqliteFile();
    SqliteFile(const SqliteFile&) = delete;
    SqliteFile& operator=(const SqliteFile&) = delete;

    // Absolute, symbolic links resolved: the name beside which SQLite keeps the write-ahead log. Empty in memory.
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    [[nodiscard]] SqliteWriter& writer() noexcept { return writer_; }
    [[nodiscard]] OfdHolds& holds() noexcept { return holds_; }

private:
    const std::string path_;
    OfdHolds holds_;
    SqliteWriter writer_;
};

} // namespace rowq::detail::db
