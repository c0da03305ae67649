// A file system of a test's own, small enough to be full soon.
#pragma once

#include "support/sqlite_files.hpp"

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>

namespace rowq::test {

// In memory. Made before the process has threads: who may not mount does so in a user name space of this process's own.
class SmallDisk {
public:
    explicit SmallDisk(const std::string& size) {
        if (mount(size, 0) || (enter_own_name_space() && mount(size, 0))) return;
        missing_ = std::string("a small file system cannot be mounted: ") + std::strerror(errno);
    }
    ~SmallDisk() {
        if (!missing_) ::umount2(folder_.path().c_str(), MNT_DETACH);
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

    // Why there is none.
    [[nodiscard]] const std::optional<std::string>& missing() const { return missing_; }
    [[nodiscard]] bool resize(const std::string& size) { return mount(size, MS_REMOUNT); }
    [[nodiscard]] std::string operator/(std::string_view name) const { return folder_ / name; }

private:
    [[nodiscard]] bool mount(const std::string& size, unsigned long flags) const {
        return ::mount(
                   "rowq-test", folder_.path().c_str(), "tmpfs", flags, ("size=" + size).c_str()) ==
               0;
    }
    static bool enter_own_name_space() {
        const auto user = std::to_string(::getuid());
        const auto group = std::to_string(::getgid());
        if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
        std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
        std::ofstream("/proc/self/setgroups") << "deny"; // or the next is refused
        std::ofstream("/proc/self/gid_map") << "0 " << group << " 1";
        return true;
    }

    TemporaryFolder folder_;
    std::optional<std::string> missing_;
};

} // namespace rowq::test
