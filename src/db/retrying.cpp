// Conflicts and the rest between tries.
#include "db/retrying.hpp"

#include <chrono>
#include <random>
#include <thread>

namespace rowq::detail::db {

// SQLSTATEs of the standard and of PostgreSQL; SQLite has no such conflicts, its writers take turns.
bool is_conflict(const Error& error) noexcept {
    return error.sqlstate() == "40001" || error.sqlstate() == "40P01";
}

void rest_before_try(int attempt) {
    thread_local std::minstd_rand random(std::random_device{}());
    const int longest = 5 << attempt;
    std::this_thread::sleep_for(
        std::chrono::milliseconds(std::uniform_int_distribution<int>(0, longest)(random)));
}

} // namespace rowq::detail::db
