// How long SQLite may wait for a lock, and how long a statement may run.
#include "db/sqlite_wait.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <thread>

namespace rowq::detail::db {

void SqliteWait::attach(sqlite3* db) noexcept {
    sqlite3_randomness(sizeof random_state_, &random_state_);
    sqlite3_busy_handler(
        db,
        [](void* self, int tries) { return static_cast<SqliteWait*>(self)->pause(tries) ? 1 : 0; },
        this);
    // Every 10,000 steps of a statement, about once a millisecond: too rare to cost anything.
    sqlite3_progress_handler(
        db, 10'000,
        [](void* self) {
            return clock::now() >= static_cast<SqliteWait*>(self)->stop_statement_ ? 1 : 0;
        },
        this);
}

bool SqliteWait::pause(int tries) noexcept {
    const clock::time_point now = clock::now();
    if (now >= give_up_lock_) return false;
    const std::int64_t cap =
        std::min<std::int64_t>(std::int64_t{64} << std::min(tries, 10), longest_pause.count());
    const std::int64_t micros =
        cap / 2 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(cap / 2));
    const auto left = std::chrono::duration_cast<std::chrono::microseconds>(give_up_lock_ - now);
    std::this_thread::sleep_for(std::min(std::chrono::microseconds{micros}, left));
    return true;
}

// splitmix64: eight bytes of state are enough to keep two processes out of step.
std::uint64_t SqliteWait::random() noexcept {
    std::uint64_t mixed = random_state_ += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
}

} // namespace rowq::detail::db
