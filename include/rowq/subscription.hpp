// The options of one subscription.
#pragma once

#include <rowq/delivery.hpp>
#include <rowq/outcome.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace rowq {

namespace detail {
struct SubscriptionOptions {
    std::size_t workers = 1;
    std::optional<std::size_t> max_in_work;
    std::optional<std::chrono::milliseconds> lease;
    std::optional<int> max_attempts;
    std::string dead_letter;
    std::chrono::milliseconds poll_interval{1'000};
    std::chrono::milliseconds first_backoff{1'000};
    std::chrono::milliseconds longest_backoff{300'000};
    std::function<Outcome(const std::exception&, const Delivery&)> on_failure;
    std::optional<Outcome> on_undecodable;
    bool drain = false;
};
} // namespace detail

/// Sets the options of a subscription before its broker starts; returned by Broker::subscribe(). A light handle: copy freely. Not to be
/// used after Broker::start(). Values that cannot work are refused at start with Error `declaration`.
class Subscription {
public:
    /// @internal
    explicit Subscription(std::shared_ptr<detail::SubscriptionOptions> options) noexcept
        : options_(std::move(options)) {}

    /// How many handlers run at once, each on a thread of its own. Default: 1. At least 1.
    Subscription& workers(std::size_t count) { return options_->workers = count, *this; }

    /// How many deliveries may be claimed and not yet settled or destroyed at once; those that handlers took by value and keep count. At least
    /// as many as workers. Default: as many as workers. Row lock and advisory lock forms on PostgreSQL: each takes a connection.
    Subscription& max_in_work(std::size_t count) { return options_->max_in_work = count, *this; }

    /// Lease form: how long a claim lasts unless renewed. At least 1 s. Default: BrokerOptions::lease (30 s).
    Subscription& lease(std::chrono::milliseconds length) {
        return options_->lease = length, *this;
    }

    /// A delivery that reports attempt n and is not done moves to the dead letter. At least 1; needs an `attempt` column and
    /// dead_letter(). Default: no cap.
    Subscription& max_attempts(int n) { return options_->max_attempts = n, *this; }

    /// Where dead letters go: a group where the table has groups, else a table. Needs max_attempts(). Default: nowhere.
    Subscription& dead_letter(std::string destination) {
        return options_->dead_letter = std::move(destination), *this;
    }

    /// How long to wait after a short claim, less a random part of up to a quarter. Default: 1 s. At least 1 ms.
    Subscription& poll_interval(std::chrono::milliseconds interval) {
        return options_->poll_interval = interval, *this;
    }

    /// The delays of the default failure policy: `first` after attempt 1, doubled each attempt up to `longest`, each less a random part of up
    /// to a half. Defaults: 1 s and 5 min.
    Subscription& backoff(std::chrono::milliseconds first, std::chrono::milliseconds longest) {
        options_->first_backoff = first;
        options_->longest_backoff = longest;
        return *this;
    }

    /// What follows when a handler throws that does not own its delivery. Default: retry with back-off, at once where the table has no
    /// `retry_after`. Called on the worker's thread; if it throws, the default follows.
    Subscription& on_failure(
        std::function<Outcome(const std::exception&, const Delivery&)> policy) {
        return options_->on_failure = std::move(policy), *this;
    }

    /// What follows when a row does not decode. Default: dead letter where declared, else a delayed retry where the table has
    /// `retry_after`, else drop.
    Subscription& on_undecodable(Outcome outcome) {
        return options_->on_undecodable = outcome, *this;
    }

    /// Ends Broker::run() once the queue is empty: no row of the group is unfinished, rows delayed or in work elsewhere included. With
    /// several subscriptions that drain, once each has found its queue empty. Default: off.
    Subscription& drain(bool on = true) { return options_->drain = on, *this; }

private:
    std::shared_ptr<detail::SubscriptionOptions> options_;
};

} // namespace rowq
