// A database as all its users in this process share it.
#include "db/sqlite_file.hpp"

#include "db/sqlite_error.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace rowq::detail::db {

namespace {

using Identity = std::pair<dev_t, ino_t>;

// Empties itself: an entry goes with its file.
struct Registry {
    std::mutex mutex;
    std::map<Identity, std::weak_ptr<SqliteFile>> files;
};

Registry& registry() {
    static Registry all;
    return all;
}

std::optional<struct stat> look_at(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return std::nullopt;
    return status;
}

// SQLite keeps the log beside the name it was given. Two processes with two names for one file would not see each other's log and
// damage the database.
void refuse_second_name(const std::string& path, const struct stat& status) {
    if (status.st_nlink > 1)
        throw cannot_open(
            path,
            "the file has more than one name (hard links), each of which would get a write-ahead "
            "log of its own; keep one name, or use a symbolic link");
}

} // namespace

SqliteLimits sqlite_limits(const SqliteAddress& address, const Options& options) {
    return {address.busy_timeout.value_or(options.statement_timeout), options.statement_timeout};
}

std::shared_ptr<SqliteFile> SqliteFile::find(const std::string& path) {
    const std::optional<struct stat> status = look_at(path);
    if (!status) return nullptr;
    {
        Registry& all = registry();
        const std::lock_guard lock(all.mutex);
        const auto place = all.files.find({status->st_dev, status->st_ino});
        if (place != all.files.end()) {
            if (std::shared_ptr<SqliteFile> open_one = place->second.lock()) return open_one;
        }
    }
    if (S_ISREG(status->st_mode)) refuse_second_name(path, *status);
    return nullptr;
}

std::shared_ptr<SqliteFile> SqliteFile::open(const SqliteAddress& address, const Options& options) {
    const SqliteLimits limits = sqlite_limits(address, options);
    const auto connect = [&] {
        return std::make_unique<SqliteConnection>(address, SqliteConnection::Use::writer, limits);
    };
    if (address.in_memory()) return std::make_shared<SqliteFile>(connect(), "");

    std::shared_ptr<SqliteFile> file = find(address.path);
    if (file == nullptr) {
        // Outside the registry's lock: this can wait for other processes. Who comes second lets go of their own again.
        std::unique_ptr<SqliteConnection> connection = connect();
        const std::string path = connection->file();
        const std::optional<struct stat> status = look_at(path);
        if (!status) throw cannot_open(path, "it was removed while it was being opened");
        auto mine = std::make_shared<SqliteFile>(std::move(connection), path);
        Registry& all = registry();
        const std::lock_guard lock(all.mutex);
        std::weak_ptr<SqliteFile>& entry = all.files[{status->st_dev, status->st_ino}];
        file = entry.lock();
        if (file == nullptr) entry = file = mine;
    }
    file->writer().require_synchronous(address.synchronous);
    return file;
}

std::size_t SqliteFile::count() {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    return all.files.size();
}

SqliteFile::SqliteFile(std::unique_ptr<SqliteConnection> connection, std::string path)
    : path_(std::move(path)), holds_(path_), writer_(std::move(connection), !path_.empty()) {}

// Before the members end: whoever opens the file meanwhile finds an entry without a file and makes their own.
SqliteFile::~SqliteFile() {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    std::erase_if(all.files, [](const auto& entry) { return entry.second.expired(); });
}

} // namespace rowq::detail::db
