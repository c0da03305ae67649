// The broker behind rowq::Broker: one database, its subscriptions, their start and stop.
#pragma once

#include "broker/service.hpp"
#include "db/database.hpp"

#include <rowq/broker.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace rowq::detail {

class BrokerCore {
public:
    BrokerCore(std::string_view url, const BrokerOptions& options);
    ~BrokerCore();
    BrokerCore(const BrokerCore&) = delete;
    BrokerCore& operator=(const BrokerCore&) = delete;

    void add(broker::Setup setup);
    void start();
    void run();
    void stop();
    void request_stop() noexcept;
    void wake(std::string_view table, std::string_view group);

    // The same for every broker of the process.
    static void wake_all(std::string_view table, std::string_view group);

    [[nodiscard]] db::Database& database() noexcept { return *database_; }
    [[nodiscard]] const Clock& clock() const noexcept { return *options_.clock_; }

private:
    enum class State { fresh, started, stopped };

    void drained() noexcept;
    [[nodiscard]] std::size_t connections() const noexcept;
    void tell(Event::Kind kind, std::size_t count = 0) const;

    BrokerOptions options_;
    std::unique_ptr<db::Database> database_;
    int stop_wanted_ = -1; // an eventfd, so that a signal handler can write to it
    std::unique_ptr<claim::Watcher> watcher_;
    std::mutex stop_mutex_; // held while stopping: whoever asks again waits until it is done
    std::mutex mutex_;      // of what follows
    State state_ = State::fresh;
    std::atomic<bool> started_{false};                       // services_ is complete
    std::vector<std::unique_ptr<broker::Service>> services_; // never changed once started
};

} // namespace rowq::detail
