// Start, run and stop of all subscriptions together.
#include "broker/core.hpp"

#include "broker/signals.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace rowq::detail {

namespace {

// Two beside what the claims hold: for settlements, renewals and publishes.
constexpr std::size_t spare_connections = 2;

// From the end of the grace period until nothing of the database is waited for any more: time to release what is still in work.
constexpr std::chrono::milliseconds time_to_release{1'000};

// Keeps the deadline within the clock's range.
constexpr std::chrono::milliseconds longest_grace = std::chrono::hours(24 * 365);

BrokerOptions checked(BrokerOptions options) {
    using namespace std::chrono_literals;
    if (options.pool_size_ == 1)
        throw Error(
            ErrorCode::declaration,
            "a pool has at least 2 connections: one for claims, one for settlements");
    if (options.connect_timeout_ < 1ms || options.statement_timeout_ < 1ms)
        throw Error(ErrorCode::declaration, "time-outs are at least 1 ms");
    if (options.grace_ < 0ms)
        throw Error(ErrorCode::declaration, "a grace period cannot be negative");
    if (!options.observer_) options.observer(log_observer());
    if (!options.clock_) options.clock(std::make_shared<const Clock>());
    return options;
}

db::Options database_options(const BrokerOptions& options) {
    db::Options result;
    result.pool_size = options.pool_size_ == 0 ? spare_connections : options.pool_size_;
    result.connect_timeout = options.connect_timeout_;
    result.statement_timeout = options.statement_timeout_;
    return result;
}

int new_stop_event() {
    const int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (event < 0)
        throw Error(ErrorCode::connect, "out of file descriptors: raise the limit (ulimit -n)");
    return event;
}

// Brokers alive in this process: a publish through one wakes the others too. Wakes brokers of other databases as well, at the cost
// of a claim.
std::mutex& alive_mutex() {
    static std::mutex mutex;
    return mutex;
}
std::vector<BrokerCore*>& alive() {
    static std::vector<BrokerCore*> cores;
    return cores;
}

std::unique_ptr<sql::Dialect> dialect_of(db::Kind kind) {
    return kind == db::Kind::postgres ? sql::postgres_dialect() : sql::sqlite_dialect();
}

} // namespace

BrokerCore::BrokerCore(std::string_view url, const BrokerOptions& options)
    : options_(checked(options)),
      database_(db::open_database(url, database_options(options_))),
      stop_wanted_(new_stop_event()) {
    const std::lock_guard lock(alive_mutex());
    alive().push_back(this);
}

BrokerCore::~BrokerCore() {
    {
        const std::lock_guard lock(alive_mutex());
        std::erase(alive(), this);
    }
    stop();
    if (watcher_) watcher_->stop(); // before those it calls back are gone
    services_.clear();
    watcher_.reset();
    database_->close();
    close(stop_wanted_);
}

void BrokerCore::add(broker::Setup setup) {
    const std::lock_guard lock(mutex_);
    const auto& table = setup.table.name();
    const auto refuse = [&](ErrorCode code, std::string_view text) {
        throw Error(code, text).at(table, setup.group.empty() ? table : setup.group);
    };
    if (state_ != State::fresh)
        refuse(ErrorCode::closed, "the broker has started: subscribe before start()");
    if (setup.table.has(Role::group) && setup.group.empty())
        refuse(ErrorCode::declaration, "the table has groups: name the one to read");
    if (!setup.table.has(Role::group) && !setup.group.empty())
        refuse(
            ErrorCode::declaration, "the table has no group column, so there is no group to name");
    if (!setup.row_mode && !setup.table.has(Role::payload))
        refuse(
            ErrorCode::declaration,
            "the handler takes a payload, but the table's description has no payload column");
    for (const auto& service : services_) {
        const auto& other = service->setup();
        if (other.table.name() == table && other.group == setup.group)
            refuse(
                ErrorCode::already_subscribed,
                "this broker reads the queue already: raise workers() instead");
    }
    if (!watcher_) watcher_ = std::make_unique<claim::Watcher>();
    services_.push_back(std::make_unique<broker::Service>(
        std::move(setup),
        broker::Surroundings{
            *database_, *options_.clock_, *options_.observer_, *watcher_, [this] { drained(); }}));
}

std::size_t BrokerCore::connections() const noexcept {
    std::size_t count = spare_connections;
    for (const auto& service : services_) count += service->connections();
    return count;
}

void BrokerCore::start() {
    const std::lock_guard lock(mutex_);
    if (state_ != State::fresh)
        throw Error(
            ErrorCode::closed, state_ == State::started ? "the broker runs already"
                                                        : "the broker has stopped: make a new one");
    if (options_.pool_size_ == 0) database_->reserve(connections());
    const auto dialect = dialect_of(database_->kind());
    for (const auto& service : services_) service->open(*dialect, options_.lease_);
    started_ = true;
    try {
        for (const auto& service : services_) service->start();
    } catch (...) {
        state_ = State::stopped;
        for (const auto& service : services_) service->begin_stop();
        throw;
    }
    state_ = State::started;
}

void BrokerCore::run() {
    const broker::SignalGuard guard(stop_wanted_);
    start();
    pollfd wanted{stop_wanted_, POLLIN, 0};
    while (poll(&wanted, 1, -1) < 1) {
    }
    stop();
}

void BrokerCore::stop() {
    const std::lock_guard stopping(stop_mutex_);
    {
        const std::lock_guard lock(mutex_);
        if (std::exchange(state_, State::stopped) != State::started) return;
    }
    request_stop();
    tell(Event::Kind::stopping);
    const auto deadline =
        std::chrono::steady_clock::now() + std::min(options_.grace_, longest_grace);
    database_->end_waits_at(deadline + time_to_release);
    for (const auto& service : services_) service->begin_stop();
    std::size_t released = 0;
    for (const auto& service : services_) {
        if (!service->wait_until_idle(deadline)) released += service->release_rest();
    }
    database_->close();
    tell(Event::Kind::stopped, released);
}

void BrokerCore::request_stop() noexcept {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(stop_wanted_, &one, sizeof one);
}

void BrokerCore::wake(std::string_view table, std::string_view group) {
    if (!started_) return; // the first claim comes anyway
    for (const auto& service : services_) {
        if (service->reads(table, group)) service->wake();
    }
}

void BrokerCore::wake_all(std::string_view table, std::string_view group) {
    const std::lock_guard lock(alive_mutex());
    for (auto* core : alive()) core->wake(table, group);
}

void BrokerCore::drained() noexcept {
    const bool all = std::all_of(services_.begin(), services_.end(), [](const auto& s) {
        return !s->drains() || s->drained();
    });
    if (all) request_stop();
}

void BrokerCore::tell(Event::Kind kind, std::size_t count) const {
    options_.observer_->on({.kind = kind, .count = count});
}

} // namespace rowq::detail
