// SIGINT and SIGTERM for the time of a Broker::run().
#pragma once

#include <array>
#include <csignal>

namespace rowq::detail::broker {

// While it lives, the first of the signals makes `descriptor` (an eventfd) readable; a second one ends the process as if nobody had caught
// it. Several may live at once: each hears the signal. The former handlers come back with the last one.
class SignalGuard {
public:
    explicit SignalGuard(int descriptor);
    ~SignalGuard();
    SignalGuard(const SignalGuard&) = delete;
    SignalGuard& operator=(const SignalGuard&) = delete;

private:
    int slot_ = -1;
};

} // namespace rowq::detail::broker
