// A handler that takes its delivery by value owns it: here another thread settles, some time later.
#include "support/example_db.hpp"

#include <rowq/rowq.hpp>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

constexpr auto jobs = rowq::table("jobs")
                          .id("id", rowq::generated)
                          .locked_until("locked_until") // a delivery that waits needs no connection
                          .payload("payload");

int main() {
    support::sql("CREATE TABLE jobs (id INTEGER PRIMARY KEY, locked_until TEXT,"
                 " payload TEXT NOT NULL)");

    std::mutex mutex;
    std::condition_variable_any arrived;
    std::vector<rowq::Delivery> waiting;
    std::atomic<int> settled = 0;

    rowq::Broker broker{support::url};
    broker
        .subscribe(
            jobs,
            [&](const std::string&, rowq::Delivery delivery) { // returns void: it settles itself
                const std::lock_guard lock(mutex);
                waiting.push_back(std::move(delivery));
                arrived.notify_one();
            })
        .workers(3) // a delivery counts as in work until it is settled
        .drain();

    // Finishes jobs three at a time. Destroyed before the broker: a delivery must not outlive it.
    std::jthread finisher([&](const std::stop_token& stop) {
        while (true) {
            std::vector<rowq::Delivery> three;
            {
                std::unique_lock lock(mutex);
                if (!arrived.wait(lock, stop, [&] { return waiting.size() >= 3; })) return;
                three.swap(waiting);
            }
            for (auto& delivery : three) {
                delivery.settle(rowq::ack()); // returns when it is committed; throws if refused
                ++settled;
            }
        }
    });

    rowq::Publisher<std::string> publisher{broker, jobs};
    publisher.push_many(std::vector<std::string>(6, "slow answer"));
    broker.run();

    support::expect(settled == 6, "each delivery was settled by the other thread");
    support::expect(support::sql("SELECT count(*) FROM jobs") == "0", "no row is left");
}
