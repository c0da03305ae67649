// What rowq work tells while it runs, and counts for its last line.
#pragma once

#include <rowq/observer.hpp>

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace rowq::cli {

class WorkObserver final : public Observer {
public:
    enum class Detail { errors_only, usual, everything };

    // json: events of deliveries as JSON lines on standard output.
    WorkObserver(Detail detail, bool json);
    void on(const Event& event) noexcept override;

    // Called once when standard output cannot be written any more. Set before events come.
    void when_output_fails(std::function<void()> action) { output_failed_ = std::move(action); }
    // Throws what print_json() threw.
    void check_output() const;

    // "12 done, 1 dropped, 3 retried, 0 dead".
    [[nodiscard]] std::string summary() const;

private:
    void count(const Event& event) noexcept;
    void print(const Event& event) const;
    void print_json(const Event& event);

    Detail detail_;
    bool json_;
    bool progress_; // standard error is a terminal
    std::shared_ptr<Observer> log_ = log_observer();
    std::function<void()> output_failed_;
    mutable std::mutex mutex_;
    std::exception_ptr output_error_; // guarded by mutex_
    std::atomic<std::size_t> done_{0}, dropped_{0}, retried_{0}, dead_{0};
};

} // namespace rowq::cli
