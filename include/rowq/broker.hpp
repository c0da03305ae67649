// Runs subscriptions on one database.
#pragma once

#include <rowq/clock.hpp>
#include <rowq/detail/handler.hpp>
#include <rowq/observer.hpp>
#include <rowq/subscription.hpp>
#include <rowq/table.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace rowq {

/// How a broker behaves; every member has a default.
class BrokerOptions {
public:
    /// Default lease of its subscriptions. At least 1 s. Default: 30 s.
    BrokerOptions& lease(std::chrono::milliseconds length) { return lease_ = length, *this; }
    /// How long running handlers may go on after a stop. Default: 30 s.
    BrokerOptions& grace(std::chrono::milliseconds period) { return grace_ = period, *this; }
    /// Connections at most, at least 2; on SQLite, sessions that read. Claims of the row lock and advisory lock forms leave the last one to
    /// others. Default: 0, computed from the subscriptions: one for each delivery that may be in work in these two forms, two a subscription in
    /// the lease form, and two more.
    BrokerOptions& pool_size(std::size_t connections) { return pool_size_ = connections, *this; }
    /// How long making a connection may take, all hosts of the address together; connect_timeout in a PostgreSQL address, in seconds for each
    /// host, comes first. Default: 10 s.
    BrokerOptions& connect_timeout(std::chrono::milliseconds limit) {
        return connect_timeout_ = limit, *this;
    }
    /// The longest that one exchange with the database may take: one claim, one settlement, all rows of one push. PostgreSQL: the connection is
    /// given up then. SQLite: the statement is stopped; without busy_timeout in the address, another process's lock is waited for as long,
    /// too. Default: 30 s.
    BrokerOptions& statement_timeout(std::chrono::milliseconds limit) {
        return statement_timeout_ = limit, *this;
    }
    /// Who is told what happens. Default: log_observer().
    BrokerOptions& observer(std::shared_ptr<Observer> observer) {
        return observer_ = std::move(observer), *this;
    }
    /// The wall clock that leases and due times are compared with. Default: the host's.
    BrokerOptions& clock(std::shared_ptr<const Clock> clock) {
        return clock_ = std::move(clock), *this;
    }

    /// @internal
    std::chrono::milliseconds lease_{30'000};
    std::chrono::milliseconds grace_{30'000};
    std::size_t pool_size_ = 0;
    std::chrono::milliseconds connect_timeout_{10'000};
    std::chrono::milliseconds statement_timeout_{30'000};
    std::shared_ptr<Observer> observer_;
    std::shared_ptr<const Clock> clock_;
};

class Broker;

namespace detail {
class BrokerCore;

namespace db {
class Database;
}

// For publishers, which share the broker's connections.
[[nodiscard]] db::Database& database_of(Broker& broker);
[[nodiscard]] const Clock& clock_of(Broker& broker);
// Broker::wake() on every broker of the process.
void wake_process(std::string_view table, std::string_view group);
} // namespace detail

/// Owns the connections to one database and runs its subscriptions. Members may be called from any thread, except that subscribe() and
/// the options of a subscription come before start().
class Broker {
public:
    /// @param url postgresql://user@host/db (all of libpq's options, several hosts), sqlite:path or sqlite::memory:. Connects to nothing yet.
    /// @throws Error connect (not an address), dialect (no driver for it in this build), declaration (options that cannot work).
    explicit Broker(std::string_view url, const BrokerOptions& options = {});
    Broker(Broker&&) noexcept;
    Broker& operator=(Broker&&) noexcept;
    /// Stops first, as stop() does; then waits until each handler has returned.
    ~Broker();

    /// Reads the rows of one group. Handlers: (const T&), (const T&, const Delivery&), returning Outcome or void (= ack), and
    /// (const T&, Delivery), which owns the delivery and settles it. T is what the payload decodes to, or the row type in row mode. The handler
    /// is called on as many threads at once as there are workers. What a handler throws follows Subscription::on_failure, unless it had
    /// settled the delivery or passed it on.
    /// @throws Error declaration: a group is missing, or given where the table has none; the table has no payload column. already_subscribed.
    /// closed: the broker has started.
    template <class Row, class... Members, class F, class C = std::nullptr_t>
    Subscription subscribe(
        const Table<Row, Members...>& table, std::string group, F handler, C codec = {}) {
        return add(
            table.description(), std::move(group), table.row_mode,
            detail::make_handler(table, std::move(handler), std::move(codec)));
    }

    /// Reads a table that is one queue.
    template <class Row, class... Members, class F, class C = std::nullptr_t>
    requires(!std::convertible_to<F, std::string>) Subscription
        subscribe(const Table<Row, Members...>& table, F handler, C codec = {}) {
        return add(
            table.description(), {}, table.row_mode,
            detail::make_handler(table, std::move(handler), std::move(codec)));
    }

    /// Opens every subscription (see docs/errors.md for the checks) and starts the workers; returns at once.
    /// @throws Error of the first check that fails; then nothing runs and the broker may be started again.
    void start();

    /// start(), then waits for request_stop(), SIGINT, SIGTERM (a second signal ends the process at once), or until drained; then stop().
    /// @throws Error as start(); declaration: more than 16 brokers run at once.
    void run();

    /// No new claims; unstarted rows go back at once, running handlers get the grace period and their stop token, the rest is released.
    /// Returns when nothing is in work, or after the grace period. A broker that has stopped cannot start again. A second call waits for
    /// the first. Never from a handler of this broker: that is request_stop().
    void stop();

    /// Asks run() to return and stop; returns at once, may be called from a handler.
    void request_stop() noexcept;

    /// Lets this broker's subscriptions of a table and group look for work now. An empty group: all of the table.
    /// @param table as the subscription's description names it.
    void wake(std::string_view table, std::string_view group = {});

    /// @internal
    [[nodiscard]] detail::BrokerCore& core() noexcept { return *core_; }

private:
    Subscription add(
        const detail::Description& table, std::string group, bool row_mode,
        detail::Handler handler);
    std::unique_ptr<detail::BrokerCore> core_;
};

} // namespace rowq
