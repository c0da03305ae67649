// One session with a server.
#pragma once

#include "db/call.hpp"

#include <span>
#include <string>
#include <vector>

namespace rowq::detail::db {

// What surrounds the calls of one run.
struct Frame {
    bool begin = false;  // open a transaction first
    bool commit = false; // commit at the end; both: the calls are one transaction of their own
};

// What a NOTIFY said, in the order in which it was sent.
struct Notification {
    std::string channel;
    std::string payload;
};

// A session, used by one thread at a time. Sends all calls of a run in one round trip where the protocol can (PostgreSQL: one
// pipeline, one sync). Statements are prepared on first use. Every wait has an end: the statement time-out of Options; when it
// passes, the session is closed and the error says connection_lost.
class Connection {
public:
    virtual ~Connection() = default;

    // Runs the calls in order; a call after a failed one is not executed. Without a frame and outside a transaction each call commits
    // with the others of the run, all or nothing. Inside a transaction a failure leaves the transaction aborted: rollback() ends it.
    // With commit set, a failure has rolled the transaction back when this throws.
    // Throws Error `database` (or `schema` for an unknown table, column or type mismatch found while preparing) with sqlstate and
    // server text; retryable() for 40001, 40P01 and their like. If the session breaks: connection_lost(), and outcome_unknown() if a
    // commit (explicit or implied by calls that write outside a transaction) may have reached the server.
    virtual std::vector<Result> run(std::span<const Call> calls, Frame frame = {}) = 0;

    // Ends an open transaction. Never throws: a session that cannot roll back is closed, which has the same effect.
    virtual void rollback() noexcept = 0;

    // Prepares without executing; throws `schema` where the server refuses the text.
    virtual void prepare(const Query& query) = 0;

    [[nodiscard]] virtual bool in_transaction() const noexcept = 0;

    // False once the session has broken or was closed; such a session is never usable again.
    [[nodiscard]] virtual bool usable() const noexcept = 0;

    // What came in since the last call on the channels that the session LISTENs to. Waits for nothing: poll socket() for input. Throws
    // `listen` (connection_lost) once the session has ended.
    [[nodiscard]] virtual std::vector<Notification> notifications() { return {}; }

    // The socket, to be watched for the peer's hang-up (POLLRDHUP) and never read; -1 where there is none.
    [[nodiscard]] virtual int socket() const noexcept = 0;

    virtual void close() noexcept = 0;
};

} // namespace rowq::detail::db
