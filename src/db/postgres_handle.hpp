// Owners of what libpq allocates, and waiting for its socket with an end.
#pragma once

#include "db/cutoff.hpp"

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <memory>

namespace rowq::detail::db {

struct FinishConnection {
    void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
};
using PgHandle = std::unique_ptr<PGconn, FinishConnection>;

struct ClearAnswer {
    void operator()(PGresult* answer) const noexcept { PQclear(answer); }
};
using PgAnswer = std::unique_ptr<PGresult, ClearAnswer>;

// When a wait ends: by itself, or cut off for all.
struct Deadline {
    std::chrono::steady_clock::time_point at;
    int cutoff = -1; // see Cutoff
};

[[nodiscard]] inline Deadline deadline_after(
    std::chrono::milliseconds limit, const Cutoff& cutoff) {
    constexpr std::chrono::milliseconds longest = std::chrono::hours(24 * 365);
    return {std::chrono::steady_clock::now() + std::min(limit, longest), cutoff.descriptor()};
}

// The events that came; 0 when the deadline came first. A socket that cannot be polled counts as hung up.
[[nodiscard]] inline short wait_for(int socket, short events, Deadline deadline) {
    using std::chrono::milliseconds;
    std::array<pollfd, 2> ready{pollfd{socket, events, 0}, pollfd{deadline.cutoff, POLLIN, 0}};
    for (;;) {
        const auto left =
            std::chrono::ceil<milliseconds>(deadline.at - std::chrono::steady_clock::now()).count();
        if (left <= 0) return 0;
        const int count = ::poll(
            ready.data(), ready.size(),
            static_cast<int>(std::min<milliseconds::rep>(left, 3'600'000)));
        if (count > 0) return ready[0].revents;
        if (count < 0 && errno != EINTR) return POLLHUP;
    }
}

} // namespace rowq::detail::db
