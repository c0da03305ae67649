// Sessions that hold rows, watched while a handler runs.
#include "claim/session.hpp"

#include "claim/settling.hpp"

namespace rowq::detail::claim {

HeldBySession::HeldBySession(
    Content c, db::PooledConnection connection, Watcher& watcher,
    std::function<void(const Id&)> on_lost)
    : Held(std::move(c)),
      connection_(std::move(connection)),
      watcher_(watcher),
      socket_(connection_->socket()) {
    watcher_.watch(socket_, [shared = signal, id = content.id, report = std::move(on_lost)] {
        shared->raise_lost();
        if (report) report(id);
    });
}

HeldBySession::~HeldBySession() { unwatch(); }

void HeldBySession::unwatch() noexcept { watcher_.forget(std::exchange(socket_, -1)); }

db::PooledConnection HeldBySession::take(const Queue& queue) {
    unwatch();
    if (signal->lost || !connection_ || !connection_->usable()) {
        signal->lost = true;
        connection_.discard();
        throw lock_lost(queue, content.id);
    }
    return std::move(connection_);
}

Error lock_lost(const Queue& queue, const Id& id) {
    return queue.located(
        Error(
            ErrorCode::lock_lost,
            "the connection that held the row has ended; nothing was changed, the row runs again"),
        id);
}

Error session_settlement_error(
    const Queue& queue, const Error& error, Outcome::Kind kind, const Id& id) {
    if (error.connection_lost() && !error.outcome_unknown()) return lock_lost(queue, id);
    return settlement_error(queue, error, kind, id);
}

} // namespace rowq::detail::claim
