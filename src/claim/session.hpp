// A row in work whose hold lives in a session of the server: it follows the delivery, and its end is the row's.
#pragma once

#include "claim/claims.hpp"
#include "db/pool.hpp"

namespace rowq::detail::claim {

class HeldBySession : public Held {
public:
    HeldBySession(
        Content content, db::PooledConnection connection, Watcher& watcher,
        std::function<void(const Id&)> on_lost);
    ~HeldBySession() override;

    // The session, no longer watched: what happens to it from here on is the caller's to see. Throws lock_lost if it has ended already.
    [[nodiscard]] db::PooledConnection take(const Queue& queue);

    std::int64_t lock = 0; // advisory form

private:
    void unwatch() noexcept;

    db::PooledConnection connection_;
    Watcher& watcher_;
    int socket_;
};

[[nodiscard]] Error lock_lost(const Queue& queue, const Id& id);

// A failed settlement, as the caller is told: a session that broke before anything could be committed has lost the lock.
[[nodiscard]] Error session_settlement_error(
    const Queue& queue, const Error& error, Outcome::Kind kind, const Id& id);

} // namespace rowq::detail::claim
