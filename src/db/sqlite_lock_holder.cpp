// Who keeps a database locked.
#include "db/sqlite_lock_holder.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace rowq::detail::db {

namespace {

// Of SQLite's file format: the byte of the -shm file that a writer locks.
constexpr long write_lock_byte = 120;

std::string process(long id) {
    if (id == ::getpid()) return "this process, in a session of its own";
    std::string name;
    std::getline(std::ifstream(fmt::format("/proc/{}/comm", id)), name);
    return fmt::format("process {}{}", id, name.empty() ? "" : fmt::format(" ({})", name));
}

} // namespace

// From the kernel's list, not by asking the file: opening and closing it here would drop this process's own locks on it. A line reads
// "1: POSIX  ADVISORY  WRITE 4711 fe:00:1234567 120 120"; one that waits has "->" behind the number.
std::string sqlite_lock_holder(const std::string& database_path) {
    struct stat status {};
    if (::stat((database_path + "-shm").c_str(), &status) != 0) return "";
    const std::string file =
        fmt::format("{:02x}:{:02x}:{}", major(status.st_dev), minor(status.st_dev), status.st_ino);
    std::ifstream locks("/proc/locks");
    for (std::string line; std::getline(locks, line);) {
        std::istringstream words(line);
        std::string number, kind, strictness, access, place, end;
        long id = 0;
        long first = 0;
        if (!(words >> number >> kind >> strictness >> access >> id >> place >> first >> end))
            continue;
        const bool reaches =
            end == "EOF" || std::strtol(end.c_str(), nullptr, 10) >= write_lock_byte;
        if (place == file && access == "WRITE" && first <= write_lock_byte && reaches && id > 0)
            return process(id);
    }
    return "";
}

} // namespace rowq::detail::db
