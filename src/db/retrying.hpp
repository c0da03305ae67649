// Conflicts that the server solved at our expense are its affair: the work is done again, and nobody hears of it.
#pragma once

#include <rowq/error.hpp>

namespace rowq::detail::db {

// A serialization failure or a deadlock: everything was rolled back, and the same may succeed now.
[[nodiscard]] bool is_conflict(const Error& error) noexcept;

// A random time that doubles with each try; 10 ms at most before the second.
void rest_before_try(int attempt);

// Runs `work` again while it meets conflicts, five times in all.
template <class Work>
auto retrying(Work work) {
    constexpr int tries = 5;
    for (int attempt = 1;; ++attempt) {
        try {
            return work();
        } catch (const Error& error) {
            if (!is_conflict(error) || attempt == tries) throw;
        }
        rest_before_try(attempt);
    }
}

} // namespace rowq::detail::db
