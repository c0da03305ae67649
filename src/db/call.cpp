// Numbers for statements.
#include "db/call.hpp"

#include <atomic>
#include <utility>

namespace rowq::detail::db {

namespace {

// Starts at 1: 0 is the empty Query. 32 bits last for 4 billion statements of a process.
std::uint32_t next_number() noexcept {
    static std::atomic<std::uint32_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

} // namespace

Query::Query(std::string text) : text_(std::move(text)), number_(next_number()) {}

} // namespace rowq::detail::db
