// Finds out at once when the server ends a session that holds a row or a key.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <unordered_map>

namespace rowq::detail::claim {

// Watches sockets for the peer's hang-up, never reading from them: their owners may use them meanwhile. Safe to use from any thread.
class Watcher {
public:
    Watcher();
    ~Watcher();
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;

    // Calls back once, on the watcher's thread, when the socket hangs up. A negative socket is ignored.
    void watch(int socket, std::function<void()> on_hang_up);

    // A callback that has begun may still be running when this returns: it must own what it uses.
    void forget(int socket) noexcept;

    // No callback runs when this returns, and none will. May be called again.
    void stop() noexcept;

private:
    // A number of its own tells a socket from the earlier one of the same number whose end is still on its way here.
    struct Watched {
        std::uint32_t number = 0;
        std::function<void()> on_hang_up;
    };

    void run() noexcept;
    void hang_up(int socket, std::uint32_t number);

    std::mutex mutex_;
    std::unordered_map<int, Watched> watched_;
    std::uint32_t last_number_ = 0;
    int epoll_ = -1;
    int wake_ = -1;
    std::jthread thread_;
};

} // namespace rowq::detail::claim
