// The handler touches nothing but atomics and eventfds.
#include "broker/signals.hpp"

#include <rowq/error.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>

namespace rowq::detail::broker {

namespace {

constexpr std::size_t most_brokers = 16;
constexpr std::array signals{SIGINT, SIGTERM};

// What a signal handler can reach is global by nature; empty whenever no broker runs.
std::mutex guard_mutex;
std::array<std::atomic<int>, most_brokers> listeners{}; // descriptor + 1; 0: free
std::atomic<int> arrived{0};
std::array<struct sigaction, signals.size()> former{};

void on_signal(int signal) {
    const int saved = errno;
    if (arrived.fetch_add(1) > 0) {
        std::signal(signal, SIG_DFL);
        std::raise(signal);
    }
    for (auto& listener : listeners) {
        const std::uint64_t one = 1;
        if (const int descriptor = listener.load() - 1; descriptor >= 0) {
            [[maybe_unused]] const auto written = write(descriptor, &one, sizeof one);
        }
    }
    errno = saved;
}

bool nobody_listens() {
    return std::all_of(listeners.begin(), listeners.end(), [](const auto& l) { return l == 0; });
}

} // namespace

SignalGuard::SignalGuard(int descriptor) {
    const std::lock_guard lock(guard_mutex);
    const bool first = nobody_listens();
    const auto free =
        std::find_if(listeners.begin(), listeners.end(), [](const auto& l) { return l == 0; });
    if (free == listeners.end())
        throw Error(
            ErrorCode::declaration, "more than 16 brokers run at once: use start() and stop()");
    *free = descriptor + 1;
    slot_ = static_cast<int>(free - listeners.begin());
    if (!first) return;
    arrived = 0;
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART; // a stop must not fail the system calls of handlers
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &action, &former[i]);
}

SignalGuard::~SignalGuard() {
    const std::lock_guard lock(guard_mutex);
    listeners[static_cast<std::size_t>(slot_)] = 0;
    if (!nobody_listens()) return;
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &former[i], nullptr);
}

} // namespace rowq::detail::broker
