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

namespace {

std::uint64_t tag(int socket, std::uint32_t number) noexcept {
    return std::uint64_t{number} << 32U | static_cast<std::uint32_t>(socket);
}

} // namespace

Watcher::Watcher() : epoll_(epoll_create1(EPOLL_CLOEXEC)), wake_(eventfd(0, EFD_CLOEXEC)) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = tag(wake_, 0);
    if (epoll_ < 0 || wake_ < 0 || epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_, &event) != 0)
        throw Error(ErrorCode::connect, "out of file descriptors: raise the limit (ulimit -n)");
    thread_ = std::jthread([this] { run(); });
}

Watcher::~Watcher() {
    stop();
    close(epoll_);
    close(wake_);
}

void Watcher::stop() noexcept {
    if (!thread_.joinable()) return;
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(wake_, &one, sizeof one);
    thread_.join();
}

void Watcher::watch(int socket, std::function<void()> on_hang_up) {
    if (socket < 0) return;
    const std::lock_guard lock(mutex_);
    watched_[socket] = {++last_number_, std::move(on_hang_up)};
    epoll_event event{};
    event.events = EPOLLRDHUP | EPOLLHUP | EPOLLERR | EPOLLONESHOT;
    event.data.u64 = tag(socket, last_number_);
    if (epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event) != 0 && errno == EEXIST)
        epoll_ctl(epoll_, EPOLL_CTL_MOD, socket, &event);
}

void Watcher::forget(int socket) noexcept {
    if (socket < 0) return;
    const std::lock_guard lock(mutex_);
    watched_.erase(socket);
    epoll_ctl(epoll_, EPOLL_CTL_DEL, socket, nullptr);
}

void Watcher::run() noexcept {
    std::array<epoll_event, 16> events;
    for (;;) {
        const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), -1);
        for (int i = 0; i < count; ++i) {
            const std::uint64_t tag = events[static_cast<std::size_t>(i)].data.u64;
            const auto socket = static_cast<int>(static_cast<std::uint32_t>(tag));
            if (socket == wake_) return;
            hang_up(socket, static_cast<std::uint32_t>(tag >> 32U));
        }
    }
}

// The callback runs outside the lock: it may reach code of a user, who may settle, which forgets sockets.
void Watcher::hang_up(int socket, std::uint32_t number) {
    std::unique_lock lock(mutex_);
    const auto found = watched_.find(socket);
    if (found == watched_.end() || found->second.number != number) return;
    const auto callback = std::move(found->second.on_hang_up);
    watched_.erase(found);
    lock.unlock();
    callback();
}

} // namespace rowq::detail::claim
