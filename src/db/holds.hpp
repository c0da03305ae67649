// Holds on rows and keys across processes, for a database that has neither row locks nor session locks.
#pragma once

#include <cstdint>
#include <optional>

namespace rowq::detail::db {

class Holds;

// One number held. Released when destroyed, and by the kernel when the process dies.
class Hold {
public:
    Hold() = default;
    Hold(Holds& holds, std::uint64_t number) noexcept : holds_(&holds), number_(number) {}
    Hold(Hold&& other) noexcept;
    Hold& operator=(Hold&& other) noexcept;
    ~Hold();
    void release() noexcept;
    [[nodiscard]] explicit operator bool() const noexcept { return holds_ != nullptr; }

private:
    Holds* holds_ = nullptr;
    std::uint64_t number_ = 0;
};

// Exclusive holds on 63-bit numbers: within the process by a set, across processes by open-file-description locks (F_OFD_SETLK) on one
// byte of a file beside the database. All brokers of a process that open the same database (whatever the spelling of its path) share
// one Holds. Safe to use from any thread.
class Holds {
public:
    virtual ~Holds() = default;

    // Without waiting; empty if someone holds the number. The top bit is ignored. Throws `database` if the file cannot be locked.
    [[nodiscard]] virtual std::optional<Hold> try_hold(std::uint64_t number) = 0;

private:
    friend class Hold;
    virtual void release(std::uint64_t number) noexcept = 0;
};

} // namespace rowq::detail::db
