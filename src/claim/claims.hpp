// The claims of one subscription: how rows come into work and leave it again, whatever the form.
#pragma once

#include "claim/queue.hpp"
#include "claim/watcher.hpp"

#include <rowq/detail/delivery_state.hpp>
#include <rowq/outcome.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace rowq::detail::claim {

// How a delivery hears of what happens to its row. Shared with whoever may have to raise it.
struct Signal {
    std::stop_source stop;         // asked when the row is lost, and when the broker stops
    std::atomic<bool> lost{false}; // what held the row is gone

    void raise_lost() {
        lost = true;
        stop.request_stop();
    }
};

// A row in work, and what holds it: a transaction, a lease, a lock, by form. Destroyed unsettled it lets go of connections and locks, but sends nothing.
class Held {
public:
    explicit Held(Content c) : content(std::move(c)) {}
    virtual ~Held() = default;
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

    Content content;
    std::shared_ptr<Signal> signal = std::make_shared<Signal>();
};

struct Claimed {
    std::vector<std::unique_ptr<Held>> rows; // in claim order
    bool full = false;                       // as many as were asked for: there may be more
    bool blocked = false; // deliveries in work here may hold the connections or keys that it lacked
    std::vector<std::string> unreadable; // rows without a usable id, for a report each
};

// Where a settlement leaves its row.
struct Settlement {
    Outcome::Kind kind = Outcome::Kind::ack;
    Timestamp due_at{}; // of retry_after
};

// Safe to use from several threads, each held row by one at a time.
class Claims {
public:
    virtual ~Claims() = default;

    // Claims that may run side by side: as many as there are workers, or one where they would only collide.
    [[nodiscard]] virtual std::size_t side_by_side(std::size_t workers) const noexcept = 0;

    // Up to n due rows. Serialization failures and deadlocks are retried inside. Throws Error.
    [[nodiscard]] virtual Claimed claim(std::size_t n, std::stop_token stop) = 0;

    // Returns when it is committed. Throws Error; the row is then no longer in work here: it comes back by itself.
    virtual void settle(Held& held, const Settlement& settlement) = 0;

    // The row returns at once; one that was never started gets its attempt back.
    virtual void give_back(Held& held, bool unstarted) = 0;

    // No statement is repeated and no lease renewed from here on.
    virtual void abandon() noexcept {}
};

// What a form tells its subscription between claims.
struct Reports {
    std::function<void(std::size_t)> renewed;
    std::function<void(const Id&)> lost;
    std::function<void(const Error&)> error;
};

[[nodiscard]] std::unique_ptr<Claims> make_claims(
    const Queue& queue, Watcher& watcher, Reports reports);

} // namespace rowq::detail::claim
