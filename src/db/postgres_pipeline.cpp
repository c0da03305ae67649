// One round trip with a PostgreSQL server: messages out, answers in, with an end to every wait.
#include "db/postgres_pipeline.hpp"

#include "db/postgres_error.hpp"

#include <utility>

namespace rowq::detail::db {

namespace {

// Drives the socket in both directions: a server that cannot get rid of its answers stops reading.
class Exchange {
public:
    Exchange(PGconn* connection, Deadline deadline)
        : connection_(connection), deadline_(deadline) {}

    // Returns false when the deadline has passed. The answer may be null: the end of a message's answers.
    [[nodiscard]] bool next(PgAnswer& answer) {
        for (;;) {
            flush();
            if (PQisBusy(connection_) == 0) break;
            const auto events = static_cast<short>(all_sent_ ? POLLIN : POLLIN | POLLOUT);
            const short came = wait_for(PQsocket(connection_), events, deadline_);
            if (came == 0) return false;
            // After a failure libpq still hands out what had arrived, and then its own word for the failure.
            if ((came & ~POLLOUT) != 0 && PQconsumeInput(connection_) == 0) break;
        }
        answer.reset(PQgetResult(connection_));
        return true;
    }

private:
    void flush() {
        if (!all_sent_) all_sent_ = PQflush(connection_) == 0;
    }

    PGconn* connection_;
    Deadline deadline_;
    bool all_sent_ = false;
};

// Reads one answer after the other; false while there are more.
bool at_end(
    Collected& result, std::size_t& step, PGconn* connection, PgAnswer answer,
    const std::function<void(std::size_t, PgAnswer)>& on_answer) {
    if (!answer) {
        ++step;
        return PQstatus(connection) == CONNECTION_BAD;
    }
    switch (PQresultStatus(answer.get())) {
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
    case PGRES_EMPTY_QUERY: on_answer(step, std::move(answer)); return false;
    case PGRES_PIPELINE_SYNC: result.arrival = Arrival::complete; return true;
    case PGRES_PIPELINE_ABORTED: return false;
    default: break;
    }
    const bool ended = ends_session(*answer);
    // What the server said last is worth more than libpq's "closed the connection unexpectedly".
    if (!result.failure) {
        result.step = step;
        result.failure = std::move(answer);
    }
    return ended;
}

} // namespace

Collected finish_pipeline(
    PGconn* connection, std::size_t steps, Deadline deadline,
    const std::function<void(std::size_t step, PgAnswer answer)>& on_answer) {
    Collected result;
    if (PQpipelineSync(connection) != 1) return result;
    Exchange exchange(connection, deadline);
    // One end of answers a message and one for the sync: more would mean that we lost count.
    for (std::size_t step = 0; step <= steps + 1;) {
        PgAnswer answer;
        if (!exchange.next(answer)) {
            result.arrival = Arrival::timed_out;
            break;
        }
        if (at_end(result, step, connection, std::move(answer), on_answer)) break;
    }
    return result;
}

} // namespace rowq::detail::db
