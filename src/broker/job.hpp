// A delivery from claim to settlement, shared by the handler that works on it and the broker that may have to take it away.
#pragma once

#include "claim/claims.hpp"

#include <rowq/detail/delivery_state.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

namespace rowq::detail::broker {

class Service;

class Job {
public:
    Job(Service& service, std::unique_ptr<claim::Held> held);
    ~Job();
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    // The row and the right to settle it, to the first who asks; null for all others.
    [[nodiscard]] std::unique_ptr<claim::Held> take();

    [[nodiscard]] claim::Signal& signal() const noexcept { return *signal_; }
    [[nodiscard]] const Id& id() const noexcept { return id_; }
    [[nodiscard]] int attempt() const noexcept { return attempt_; }

    // Around the call of the handler, on its thread.
    void begin_call() noexcept { caller_ = std::this_thread::get_id(); }
    void end_call() noexcept { caller_ = std::thread::id{}; }

    // The handler throws while it owns the delivery, which is dropped on the way: the row stays for the failure policy to decide about.
    [[nodiscard]] bool drop_by_throw() noexcept;
    [[nodiscard]] bool dropped_by_throw() const noexcept { return dropped_by_throw_; }

    Service& service;
    Content content;      // handed to the delivery when the handler starts
    bool started = false; // from then on it counts as in work

private:
    Id id_;
    int attempt_;
    std::atomic<std::thread::id> caller_{};
    bool dropped_by_throw_ = false; // the caller's
    std::mutex mutex_;
    std::unique_ptr<claim::Held> held_;
    std::shared_ptr<claim::Signal> signal_;
};

// The handler's end of a job.
class WorkedDelivery final : public DeliveryState {
public:
    explicit WorkedDelivery(std::shared_ptr<Job> job);
    void settle(Outcome outcome) override;
    void give_up() noexcept override;
    [[nodiscard]] std::stop_token stop_token() const noexcept override;
    [[nodiscard]] bool lost() const noexcept override;

private:
    std::shared_ptr<Job> job_;
};

// What a failure policy sees of a delivery that its handler has dropped: everything but the payload and headers.
class DroppedDelivery final : public DeliveryState {
public:
    DroppedDelivery(const Job& job, std::string group);
    void settle(Outcome) override {}
    void give_up() noexcept override {}
    [[nodiscard]] std::stop_token stop_token() const noexcept override;
    [[nodiscard]] bool lost() const noexcept override;

private:
    const Job& job_;
};

} // namespace rowq::detail::broker
