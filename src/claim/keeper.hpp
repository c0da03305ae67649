// Renews the leases in work of one subscription, all of a round in one statement.
#pragma once

#include "claim/claims.hpp"
#include "claim/lease_book.hpp"

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace rowq::detail::claim {

// Safe to use from any thread.
class Keeper {
public:
    Keeper(const Queue& queue, Reports reports);
    ~Keeper();
    Keeper(const Keeper&) = delete;
    Keeper& operator=(const Keeper&) = delete;

    LeaseBook::Number keep(const Id& id, Timestamp token, std::shared_ptr<Signal> signal);
    void forget(LeaseBook::Number number) noexcept;

    // Waits for a renewal under way, then keeps renewals off the lease; returns its tokens.
    [[nodiscard]] std::vector<Timestamp> begin_settling(LeaseBook::Number number);

    // Rests before a settlement is tried again: 100 ms, doubled up to 2 s. False: abandoned, do not.
    [[nodiscard]] bool rest(int attempt);

    // No more renewals, no more rests.
    void abandon() noexcept;

private:
    void run();
    void round(std::unique_lock<std::mutex>& lock);
    void failed(
        std::unique_lock<std::mutex>& lock, const std::vector<LeaseBook::Renewal>& round,
        const Error& error, std::optional<Timestamp> maybe);
    void apply(
        const std::vector<LeaseBook::Renewal>& round, const std::map<Id, Timestamp>& still_held);
    void lose(LeaseBook::Number number, std::vector<std::pair<Id, std::shared_ptr<Signal>>>& lost);

    struct Kept {
        Id id;
        std::shared_ptr<Signal> signal;
    };

    const Queue& queue_;
    Reports reports_;
    std::mutex mutex_;
    std::condition_variable changed_;
    LeaseBook book_;
    std::unordered_map<LeaseBook::Number, Kept> kept_;
    bool abandoned_ = false;
    std::jthread thread_; // last: it uses the rest
};

} // namespace rowq::detail::claim
