// How long SQLite may wait for a lock, and how long a statement may run.
#pragma once

#include <chrono>
#include <cstdint>

struct sqlite3;

namespace rowq::detail::db {

// SQLite does not queue those who wait for its lock: each asks again and again. So waiters ask at least once a millisecond, at random
// moments, and a writer that has been busy for long leaves a gap wider than that (SqliteWriter). One for each session; used by its
// thread.
class SqliteWait {
public:
    using clock = std::chrono::steady_clock;

    // No wait between two tries is longer.
    static constexpr std::chrono::microseconds longest_pause{1'000};

    // Makes the session ask this object. It must outlive the session.
    void attach(sqlite3* db) noexcept;

    void set(clock::time_point give_up_lock, clock::time_point stop_statement) noexcept {
        give_up_lock_ = give_up_lock;
        stop_statement_ = stop_statement;
    }

    // One pause, for locks that SQLite reports without asking first; false when the time has passed.
    [[nodiscard]] bool pause(int tries) noexcept;

private:
    [[nodiscard]] std::uint64_t random() noexcept;

    clock::time_point give_up_lock_ = clock::time_point::max();
    clock::time_point stop_statement_ = clock::time_point::max();
    std::uint64_t random_state_ = 0;
};

} // namespace rowq::detail::db
