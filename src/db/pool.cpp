// Connections shared by all who need one of their own for a while.
#include "db/pool.hpp"

#include <rowq/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <list>
#include <mutex>
#include <random>
#include <utility>

namespace rowq::detail::db {

namespace {

using namespace std::chrono_literals;
using Time = std::chrono::steady_clock::time_point;

constexpr auto first_pause = 200ms; // each is shortened by up to half, at random
constexpr auto longest_pause = 5'000ms;
constexpr auto longest_wait =
    std::chrono::hours(24 * 365); // keeps deadlines within the clock's range

// Someone who waits for a place. On the waiter's stack; in the list until it is served or gives up.
struct Waiter {
    std::condition_variable_any ready;
    bool served = false;
};

Error closed_error() { return {ErrorCode::closed, "the connections to the database were closed"}; }

} // namespace

// Places are counted apart from connections: a place is taken before its connection is found or made, so connecting happens outside the
// lock and never exceeds the size.
struct Pool::Shared {
    Connect connect;
    std::chrono::milliseconds acquire_timeout;

    mutable std::mutex mutex;
    std::size_t size = 0;
    std::size_t taken = 0;
    bool closed = false;
    std::vector<std::unique_ptr<Connection>> idle; // the one used last is taken first
    std::list<Waiter*> waiters;

    std::chrono::milliseconds pause{0}; // after the last failure to connect; 0: none
    Time next_attempt;
    std::optional<Error> last_error;
    std::minstd_rand random{std::random_device{}()};

    void serve_waiters() noexcept {
        while (!waiters.empty() && taken < size) {
            ++taken;
            waiters.front()->served = true;
            waiters.front()->ready.notify_one();
            waiters.pop_front();
        }
    }

    void free_place() noexcept {
        const std::lock_guard lock(mutex);
        --taken;
        serve_waiters();
    }

    void take_place(const std::stop_token& stop);
    void failed(const Error& error);
    std::unique_ptr<Connection> pop_idle();
    std::unique_ptr<Connection> make();
    std::unique_ptr<Connection> find_or_make();
};

void Pool::Shared::take_place(const std::stop_token& stop) {
    const auto deadline = std::chrono::steady_clock::now() +
                          std::min<std::chrono::milliseconds>(acquire_timeout, longest_wait);
    std::unique_lock lock(mutex);
    if (closed || stop.stop_requested()) throw closed_error();
    if (waiters.empty() && taken < size) {
        ++taken;
        return;
    }
    Waiter self;
    waiters.push_back(&self);
    self.ready.wait_until(lock, stop, deadline, [&] { return self.served || closed; });
    if (self.served) return;
    std::erase(waiters, &self);
    if (closed || stop.stop_requested()) throw closed_error();
    Error::Details details;
    details.retryable = true;
    throw Error(
        ErrorCode::database,
        fmt::format(
            "no connection came free within {} ms: all {} of the pool are in use; a larger pool_size or "
            "shorter handlers help",
            acquire_timeout.count(), size),
        std::move(details));
}

std::unique_ptr<Connection> Pool::Shared::pop_idle() {
    const std::lock_guard lock(mutex);
    if (idle.empty()) return nullptr;
    auto connection = std::move(idle.back());
    idle.pop_back();
    return connection;
}

void Pool::Shared::failed(const Error& error) {
    const std::lock_guard lock(mutex);
    last_error = error;
    const auto now = std::chrono::steady_clock::now();
    if (pause > 0ms && now < next_attempt) return; // one outage, seen by several at once
    pause =
        pause == 0ms ? first_pause : std::min<std::chrono::milliseconds>(pause * 2, longest_pause);
    std::uniform_int_distribution<std::chrono::milliseconds::rep> jittered(
        pause.count() / 2, pause.count());
    next_attempt = now + std::chrono::milliseconds(jittered(random));
}

std::unique_ptr<Connection> Pool::Shared::make() {
    {
        const std::lock_guard lock(mutex);
        if (pause > 0ms && std::chrono::steady_clock::now() < next_attempt)
            throw Error(*last_error);
    }
    try {
        auto connection = connect();
        const std::lock_guard lock(mutex);
        pause = 0ms;
        return connection;
    } catch (const Error& error) {
        failed(error);
        throw;
    }
}

// The caller has a place; it is freed if this throws.
std::unique_ptr<Connection> Pool::Shared::find_or_make() {
    try {
        while (auto connection = pop_idle())
            if (connection->usable()) return connection;
        return make();
    } catch (...) {
        free_place();
        throw;
    }
}

Pool::Pool(Connect connect, std::size_t size, std::chrono::milliseconds acquire_timeout)
    : shared_(std::make_unique<Shared>()) {
    shared_->connect = std::move(connect);
    shared_->acquire_timeout = acquire_timeout;
    reserve(std::max<std::size_t>(size, 1));
}

Pool::~Pool() { close(); }

PooledConnection Pool::acquire(std::stop_token stop) {
    shared_->take_place(stop);
    return {*this, shared_->find_or_make()};
}

std::optional<PooledConnection> Pool::try_acquire_spare() {
    {
        const std::lock_guard lock(shared_->mutex);
        if (shared_->closed) throw closed_error();
        if (!shared_->waiters.empty() || shared_->taken + 1 >= shared_->size) return std::nullopt;
        ++shared_->taken;
    }
    return PooledConnection(*this, shared_->find_or_make());
}

void Pool::reserve(std::size_t size) {
    const std::lock_guard lock(shared_->mutex);
    if (size <= shared_->size) return;
    shared_->idle.reserve(size); // giving back allocates nothing
    shared_->size = size;
    shared_->serve_waiters();
}

void Pool::close() noexcept {
    std::vector<std::unique_ptr<Connection>> unused;
    const std::lock_guard lock(shared_->mutex);
    shared_->closed = true;
    unused.swap(shared_->idle);
    for (Waiter* waiter : shared_->waiters) waiter->ready.notify_one();
}

std::size_t Pool::size() const {
    const std::lock_guard lock(shared_->mutex);
    return shared_->size;
}

void Pool::take_back(std::unique_ptr<Connection> connection) noexcept {
    std::unique_ptr<Connection> surplus; // closed outside the lock
    const std::lock_guard lock(shared_->mutex);
    --shared_->taken;
    if (shared_->closed)
        surplus = std::move(connection);
    else if (connection)
        shared_->idle.push_back(std::move(connection));
    shared_->serve_waiters();
}

PooledConnection::PooledConnection(Pool& pool, std::unique_ptr<Connection> connection) noexcept
    : pool_(&pool), connection_(std::move(connection)) {}

PooledConnection::PooledConnection(PooledConnection&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)), connection_(std::move(other.connection_)) {}

PooledConnection& PooledConnection::operator=(PooledConnection&& other) noexcept {
    if (this != &other) {
        give_back();
        pool_ = std::exchange(other.pool_, nullptr);
        connection_ = std::move(other.connection_);
    }
    return *this;
}

PooledConnection::~PooledConnection() { give_back(); }

void PooledConnection::give_back() noexcept {
    if (!connection_) return;
    if (connection_->usable() && connection_->in_transaction()) connection_->rollback();
    if (!connection_->usable()) return discard();
    std::exchange(pool_, nullptr)->take_back(std::move(connection_));
}

void PooledConnection::discard() noexcept {
    if (!connection_) return;
    connection_.reset();
    std::exchange(pool_, nullptr)->take_back(nullptr);
}

} // namespace rowq::detail::db
