// An orderly stop: running handlers are told, unfinished rows are due again at once.
#include "support/example_db.hpp"

#include <rowq/rowq.hpp>

#include <atomic>
#include <thread>

using namespace std::chrono_literals;

constexpr auto jobs = rowq::table("jobs")
                          .id("id", rowq::generated)
                          .attempt("attempt", rowq::generated)
                          .locked_until("locked_until")
                          .payload("payload");

int main() {
    support::sql("CREATE TABLE jobs (id INTEGER PRIMARY KEY, attempt INTEGER NOT NULL DEFAULT 1,"
                 " locked_until TEXT, payload TEXT NOT NULL)");

    std::atomic<int> started = 0;
    rowq::Broker broker{support::url, rowq::BrokerOptions{}.grace(10s)};
    broker
        .subscribe(
            jobs,
            [&](const std::string&, const rowq::Delivery& delivery) {
                ++started;
                while (!delivery.stop_token().stop_requested()) std::this_thread::sleep_for(5ms);
                return rowq::retry(); // not done: someone else may go on
            })
        .workers(2);

    rowq::Publisher<std::string> publisher{broker, jobs};
    publisher.push_many(std::vector<std::string>(5, "endless work"));

    broker.start(); // run() does this too, and then waits for SIGINT or SIGTERM
    while (started < 2) std::this_thread::sleep_for(5ms);
    broker.stop(); // returns when nothing runs any more

    support::expect(started == 2, "no new handler was started");
    support::expect(
        support::sql("SELECT count(*) FROM jobs WHERE locked_until IS NULL") == "5",
        "all five rows are due");
    support::expect(
        support::sql("SELECT group_concat(attempt) FROM (SELECT attempt FROM jobs ORDER BY id)") ==
            "2,2,1,1,1",
        "only the two that ran have spent an attempt");
}
