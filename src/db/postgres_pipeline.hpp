// One round trip with a PostgreSQL server: messages out, answers in, with an end to every wait.
#pragma once

#include "db/postgres_handle.hpp"

#include <functional>

namespace rowq::detail::db {

enum class Arrival {
    complete,  // the server has answered everything
    timed_out, // the deadline passed first
    broken,    // the session ended
};

struct Collected {
    Arrival arrival = Arrival::broken;
    std::size_t step = 0; // of the failure: which of the messages it answers
    PgAnswer failure;     // the first; empty if none came
};

// Sends the sync after the messages that were queued, and reads on until it is answered. `on_answer` is told of each success.
[[nodiscard]] Collected finish_pipeline(
    PGconn* connection, std::size_t steps, Deadline deadline,
    const std::function<void(std::size_t step, PgAnswer answer)>& on_answer);

} // namespace rowq::detail::db
