// An instant from which on no wait for a server goes on.
#pragma once

#include <sys/timerfd.h>
#include <unistd.h>

#include <chrono>
#include <ctime>

namespace rowq::detail::db {

// May be set while others wait: they poll its descriptor beside their socket. Without one (out of descriptors) waits end by their own
// time-outs alone. Safe to use from any thread.
class Cutoff {
public:
    Cutoff() noexcept : timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {}
    ~Cutoff() {
        if (timer_ >= 0) close(timer_);
    }
    Cutoff(const Cutoff&) = delete;
    Cutoff& operator=(const Cutoff&) = delete;

    void set(std::chrono::steady_clock::time_point at) const noexcept {
        using std::chrono::nanoseconds;
        constexpr nanoseconds::rep second = 1'000'000'000;
        const nanoseconds::rep count = std::chrono::nanoseconds(at.time_since_epoch()).count();
        itimerspec alarm{};
        alarm.it_value.tv_sec = count / second;
        alarm.it_value.tv_nsec = count % second;
        timerfd_settime(timer_, TFD_TIMER_ABSTIME, &alarm, nullptr);
    }

    // Readable from the instant on; never read. Negative: polled as nothing.
    [[nodiscard]] int descriptor() const noexcept { return timer_; }

private:
    int timer_;
};

} // namespace rowq::detail::db
