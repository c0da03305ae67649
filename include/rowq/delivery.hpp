// A claimed row on its way through a handler.
#pragma once

#include <rowq/detail/delivery_state.hpp>
#include <rowq/outcome.hpp>
#include <rowq/value.hpp>

#include <memory>
#include <stop_token>
#include <string>

namespace rowq {

/// A claimed row. A handler that takes `const Delivery&` reads it; one that takes `Delivery` by value owns it: it may keep it, move it to
/// any thread and settle it later. Move-only. Members may be called from one thread at a time; stop_token() from any. An owned
/// delivery may outlive the handler, not the broker: Broker::stop() waits for it as long as the grace period, then releases it.
class Delivery {
public:
    /// @internal
    explicit Delivery(std::unique_ptr<detail::DeliveryState> state) noexcept
        : state_(std::move(state)) {}

    Delivery(Delivery&&) noexcept = default;
    Delivery& operator=(Delivery&& other) noexcept {
        if (this != &other) {
            drop_unsettled();
            state_ = std::move(other.state_);
        }
        return *this;
    }

    /// An unsettled delivery returns its row at once: due again, in its old place.
    ~Delivery() { drop_unsettled(); }

    [[nodiscard]] const Id& id() const noexcept { return state_->content.id; }

    /// 1 at first, and one more for each attempt spent before this one. 0 where the table has no `attempt` column.
    [[nodiscard]] int attempt() const noexcept { return state_->content.attempt; }

    /// The group, or empty where the table is one queue.
    [[nodiscard]] const std::string& group() const noexcept { return state_->content.group; }

    /// The headers as JSON text; "{}" where there are none.
    [[nodiscard]] const std::string& headers() const noexcept { return state_->content.headers; }

    /// Stops when the row's lease or lock is lost, and when the broker stops. A handler that works long should look at it.
    [[nodiscard]] std::stop_token stop_token() const noexcept { return state_->stop_token(); }

    /// True once the lease or lock is known to be lost: someone else may have the row, and settle() will fail.
    [[nodiscard]] bool lost() const noexcept { return state_->lost(); }

    /// Settles a delivery taken by value; returns when the database has committed. The delivery is spent afterwards, whether this
    /// returns or throws; after an error the row comes back by itself.
    /// @throws Error lease_lost, lock_lost: nothing was changed. database, connect: refused or failed; outcome_unknown() may be set.
    /// declaration: dead_letter() without a destination; the row was retried.
    void settle(Outcome outcome) {
        const auto state = std::move(state_);
        state->settle(outcome);
    }

    /// False once settled or moved from; then only destruction and assignment are allowed.
    [[nodiscard]] explicit operator bool() const noexcept { return state_ != nullptr; }

    /// @internal
    [[nodiscard]] detail::DeliveryState& state() const noexcept { return *state_; }

private:
    void drop_unsettled() noexcept {
        if (state_) state_->give_up();
        state_.reset();
    }

    std::unique_ptr<detail::DeliveryState> state_;
};

} // namespace rowq
