// Owners of what libpq allocates, and waiting for its socket with an end.
#pragma once

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
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

using Deadline = std::chrono::steady_clock::time_point;

[[nodiscard]] inline Deadline deadline_after(std::chrono::milliseconds limit) {
    constexpr std::chrono::milliseconds longest = std::chrono::hours(24 * 365);
    return std::chrono::steady_clock::now() + std::min(limit, longest);
}

// The events that came; 0 when the deadline passed first. A socket that cannot be polled counts as hung up.
[[nodiscard]] inline short wait_for(int socket, short events, Deadline deadline) {
    using std::chrono::milliseconds;
    pollfd ready{socket, events, 0};
    for (;;) {
        const auto left =
            std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now()).count();
        if (left <= 0) return 0;
        const int count =
            ::poll(&ready, 1, static_cast<int>(std::min<milliseconds::rep>(left, 3'600'000)));
        if (count > 0) return ready.revents;
        if (count < 0 && errno != EINTR) return POLLHUP;
    }
}

} // namespace rowq::detail::db
