// Holds by open-file-description locks on a file beside the database.
#include "db/ofd_holds.hpp"

#include <rowq/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>

namespace rowq::detail::db {

namespace {

// Below the largest offset, so that offset + length stays one too. The two largest numbers share a byte: a hold too few, never one too
// many.
std::uint64_t byte_of(std::uint64_t number) noexcept {
    constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<off_t>::max());
    return std::min(number & largest, largest - 1);
}

struct flock range(short type, std::uint64_t byte) noexcept {
    struct flock lock {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = static_cast<off_t>(byte);
    lock.l_len = 1;
    return lock;
}

std::string reason(int error) { return std::generic_category().message(error); }

[[noreturn]] void fail(std::string_view text, int error = 0) {
    Error::Details details;
    if (error != 0) details.server_text = reason(error);
    throw Error(ErrorCode::database, text, std::move(details));
}

} // namespace

OfdHolds::OfdHolds(const std::string& database_path)
    : database_(database_path), path_(database_path.empty() ? "" : database_path + "-rowq") {}

OfdHolds::~OfdHolds() {
    if (file_ >= 0) ::close(file_);
}

std::optional<Hold> OfdHolds::try_hold(std::uint64_t number) {
    const std::uint64_t byte = byte_of(number);
    const std::lock_guard lock(mutex_);
    const auto [place, inserted] = held_.insert(byte);
    if (!inserted) return std::nullopt;
    try {
        if (lock_byte(byte)) return Hold{*this, number};
    } catch (...) {
        held_.erase(place);
        throw;
    }
    held_.erase(place);
    return std::nullopt;
}

void OfdHolds::release(std::uint64_t number) noexcept {
    const std::uint64_t byte = byte_of(number);
    const std::lock_guard lock(mutex_);
    if (held_.erase(byte) > 0) unlock_byte(byte);
}

// The permissions and owner of the database, as SQLite gives them to its own files beside it: whoever may write the one may hold.
void OfdHolds::open_file() {
    constexpr int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
    file_ = ::open(path_.c_str(), flags | O_CREAT | O_EXCL, 0666);
    const bool created = file_ >= 0;
    if (!created && errno == EEXIST) file_ = ::open(path_.c_str(), flags | O_CREAT, 0666);
    if (file_ < 0)
        fail(fmt::format("the file that keeps row holds, {}, cannot be opened", path_), errno);
    struct stat database {};
    if (!created || ::stat(database_.c_str(), &database) != 0) return;
    const bool owned = ::geteuid() != 0 || ::fchown(file_, database.st_uid, database.st_gid) == 0;
    if (owned && ::fchmod(file_, database.st_mode & 0666) != 0) return; // it keeps 0666 & umask
}

bool OfdHolds::lock_byte(std::uint64_t byte) {
    if (path_.empty()) return true;
    if (file_ < 0) open_file();
    struct flock lock = range(F_WRLCK, byte);
    if (::fcntl(file_, F_OFD_SETLK, &lock) != 0) {
        const int error = errno;
        if (error == EAGAIN || error == EACCES) return false;
        if (error == EINVAL || error == EOPNOTSUPP || error == ENOSYS || error == ENOLCK)
            fail(
                fmt::format(
                    "the file system of {} gives no open-file-description locks, which rowq needs "
                    "to hold rows; put the database on a local file system",
                    path_),
                error);
        fail(fmt::format("a lock on {} failed", path_), error);
    }
    // Checked with the lock in hand: a file replaced before this moment is noticed, whenever it happened.
    if (file_in_place()) return true;
    unlock_byte(byte);
    fail(fmt::format(
        "{} was removed or replaced while in use, so rows held by other processes cannot be seen; "
        "stop every process that uses this database, then start them again",
        path_));
}

void OfdHolds::unlock_byte(std::uint64_t byte) noexcept {
    if (file_ < 0) return;
    struct flock lock = range(F_UNLCK, byte);
    // Fails for want of kernel memory only, when it would split a range: then the byte stays locked until this process ends.
    ::fcntl(file_, F_OFD_SETLK, &lock);
}

bool OfdHolds::file_in_place() const noexcept {
    struct stat mine {};
    struct stat named {};
    return ::fstat(file_, &mine) == 0 && mine.st_nlink > 0 && ::stat(path_.c_str(), &named) == 0 &&
           mine.st_dev == named.st_dev && mine.st_ino == named.st_ino;
}

} // namespace rowq::detail::db
