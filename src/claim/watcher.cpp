// epoll on hang-ups: no wake-up of the thread when sockets come and go, which they do with every delivery.
#include "claim/watcher.hpp"

#include <rowq/error.hpp>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <utility>

namespace rowq::detail::claim {

Watcher::Watcher() : epoll_(epoll_create1(EPOLL_CLOEXEC)), wake_(eventfd(0, EFD_CLOEXEC)) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = wake_;
    if (epoll_ < 0 || wake_ < 0 || epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_, &event) != 0)
        throw Error(ErrorCode::connect, "out of file descriptors: raise the limit (ulimit -n)");
    thread_ = std::jthread([this] { run(); });
}

Watcher::~Watcher() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(wake_, &one, sizeof one);
    thread_.join();
    close(epoll_);
    close(wake_);
}

void Watcher::watch(int socket, std::function<void()> on_hang_up) {
    if (socket < 0) return;
    const std::lock_guard lock(mutex_);
    callbacks_[socket] = std::move(on_hang_up);
    epoll_event event{};
    event.events = EPOLLRDHUP | EPOLLHUP | EPOLLERR | EPOLLONESHOT;
    event.data.fd = socket;
    if (epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event) != 0 && errno == EEXIST)
        epoll_ctl(epoll_, EPOLL_CTL_MOD, socket, &event);
}

void Watcher::forget(int socket) noexcept {
    if (socket < 0) return;
    const std::lock_guard lock(mutex_);
    callbacks_.erase(socket);
    epoll_ctl(epoll_, EPOLL_CTL_DEL, socket, nullptr);
}

void Watcher::run() noexcept {
    std::array<epoll_event, 16> events;
    for (;;) {
        const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), -1);
        for (int i = 0; i < count; ++i) {
            const int socket = events[static_cast<std::size_t>(i)].data.fd;
            if (socket == wake_) return;
            hang_up(socket);
        }
    }
}

// The callback runs outside the lock: it may reach code of a user, who may settle, which forgets sockets.
void Watcher::hang_up(int socket) {
    std::unique_lock lock(mutex_);
    auto callback = callbacks_.extract(socket);
    lock.unlock();
    if (callback) callback.mapped()();
}

} // namespace rowq::detail::claim
