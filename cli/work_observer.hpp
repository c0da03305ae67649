// What rowq work tells while it runs, and counts for its last line.
#pragma once

#include <rowq/observer.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>

namespace rowq::cli {

class WorkObserver final : public Observer {
public:
    enum class Detail { errors_only, usual, everything };

    // json: events of deliveries as JSON lines on standard output.
    WorkObserver(Detail detail, bool json);
    void on(const Event& event) noexcept override;

    // "12 done, 1 dropped, 3 retried, 0 dead".
    [[nodiscard]] std::string summary() const;

private:
    void count(const Event& event) noexcept;
    void print(const Event& event) const;
    void print_json(const Event& event) const;

    Detail detail_;
    bool json_;
    bool progress_; // standard error is a terminal
    std::shared_ptr<Observer> log_ = log_observer();
    std::atomic<std::size_t> done_{0}, dropped_{0}, retried_{0}, dead_{0};
};

} // namespace rowq::cli
