// One subscription at work: its workers claim for themselves, run the handler and settle.
#pragma once

#include "broker/claim_pacer.hpp"
#include "broker/job.hpp"
#include "claim/claims.hpp"
#include "claim/opening.hpp"

#include <rowq/detail/handler.hpp>
#include <rowq/observer.hpp>
#include <rowq/subscription.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

namespace rowq::detail::broker {

// What a subscription is made of before its broker starts.
struct Setup {
    Table table;
    std::string group;
    bool row_mode = false;
    Handler handler;
    std::shared_ptr<SubscriptionOptions> options;
};

// What all services of a broker share.
struct Surroundings {
    db::Database& database;
    const Clock& clock;
    Observer& observer;
    claim::Watcher& watcher;
    std::function<void()> on_drained; // called once a service's queue is empty, from a worker
};

class Service {
public:
    Service(Setup setup, Surroundings surroundings);
    ~Service();

    // The checks of a subscription; throws the first that fails. start() comes after.
    void open(const sql::Dialect& dialect, std::chrono::milliseconds default_lease);
    void start();

    void wake();
    [[nodiscard]] bool reads(std::string_view table, std::string_view group) const noexcept;
    [[nodiscard]] const Setup& setup() const noexcept { return setup_; }
    [[nodiscard]] bool drains() const noexcept { return setup_.options->drain; }
    [[nodiscard]] bool drained() const;

    // Connections it needs so that no worker waits for one.
    [[nodiscard]] std::size_t connections() const noexcept;

    // The three steps of stopping. begin_stop: no new claims, unstarted rows go back, deliveries in work are asked to stop.
    void begin_stop();
    // False if deliveries are still in work at the deadline.
    [[nodiscard]] bool wait_until_idle(std::chrono::steady_clock::time_point deadline);
    // Releases the rows of handlers that still run; returns how many.
    std::size_t release_rest();

    // For jobs. Throws what the settlement throws, after telling the observer.
    void settle(Job& job, Outcome outcome);
    void give_up(Job& job) noexcept;
    void finished(Job& job) noexcept;

private:
    // How things stood when a claim began: what happened meanwhile it may not have seen.
    struct Beginning {
        ClaimPacer::Ticket ticket;
        std::uint64_t finished;
    };

    // Of the rows remembered; more are forgotten and run again at once.
    static constexpr std::size_t most_refused = 10'000;

    void work();
    [[nodiscard]] std::shared_ptr<Job> next();
    [[nodiscard]] std::size_t limit() const noexcept;        // of rows claimed and unsettled
    [[nodiscard]] std::size_t claimed_rows() const noexcept; // or about to be
    [[nodiscard]] bool may_claim() const;
    void wait(std::unique_lock<std::mutex>& lock);
    void claim(std::unique_lock<std::mutex>& lock);
    void accept(claim::Claimed claimed, Beginning beginning, std::unique_lock<std::mutex>& lock);
    void check_drained(std::unique_lock<std::mutex>& lock);
    void give_back_ready();
    bool give_back(claim::Held& held, bool unstarted);

    void run(const std::shared_ptr<Job>& job);
    [[nodiscard]] std::optional<Outcome> call_handler(Delivery& delivery, const Job& job);
    void settle_held(claim::Held& held, claim::Settlement settlement);
    void settle_reporting(Job& job, Outcome outcome);
    void refused(const Id& id, const Error& error);
    void accepted();
    [[nodiscard]] bool was_refused(const Job& job);
    void set_aside(Job& job);
    [[nodiscard]] Outcome settleable(Outcome outcome, const Job& job);
    [[nodiscard]] std::optional<Outcome> after_throw(
        const std::exception& error, const Delivery& delivery, const Job& job);
    [[nodiscard]] Outcome failure_outcome(
        const std::exception& error, const Delivery& delivery, const Job& job);

    [[nodiscard]] const std::string& subscription() const noexcept;
    void tell(Event event, const Job* job = nullptr) const;
    void tell_error(const Error& error) const;
    [[nodiscard]] double share();

    Setup setup_;
    Surroundings around_;
    std::optional<claim::Queue> queue_;
    std::unique_ptr<claim::Claims> claims_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<ClaimPacer> pacer_;
    std::minstd_rand random_{std::random_device{}()};
    std::deque<std::shared_ptr<Job>> ready_;
    std::unordered_set<Job*> in_work_;
    std::size_t in_flight_ = 0;
    bool timed_ = false; // a worker waits with a time-out, the others without
    bool blocked_ =
        false; // the last claim may have found more if a delivery in work here had ended
    std::uint64_t finished_ = 0; // deliveries
    bool stopping_ = false;
    bool drained_ = false;
    std::set<Id> refused_; // rows whose last settlement here was refused and that are due again
    std::atomic<bool> told_no_delay_ = false;
    bool told_unreadable_ = false;
    std::stop_source stop_;
    std::vector<std::jthread> workers_;
};

} // namespace rowq::detail::broker
