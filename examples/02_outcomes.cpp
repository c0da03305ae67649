// What a handler can decide about its row, and what follows when it throws.
#include "support/example_db.hpp"

#include <rowq/rowq.hpp>

#include <array>
#include <atomic>
#include <stdexcept>

using namespace std::chrono_literals;

constexpr auto jobs = rowq::table("jobs")
                          .id("id", rowq::generated)
                          .group("queue")
                          .retry_after("due", rowq::generated)
                          .attempt("attempt", rowq::generated)
                          .payload("payload");

int main() {
    support::sql("CREATE TABLE jobs (id INTEGER PRIMARY KEY, queue TEXT NOT NULL,"
                 " due TEXT NOT NULL DEFAULT '2000-01-01 00:00:00.000000',"
                 " attempt INTEGER NOT NULL DEFAULT 1, payload TEXT NOT NULL);"
                 "CREATE INDEX jobs_claim ON jobs (queue, due, id)");

    std::atomic<int> runs = 0;
    rowq::Broker broker{support::url};
    broker
        .subscribe(
            jobs, "mail",
            [&](const std::string& payload, const rowq::Delivery& delivery) {
                ++runs;
                if (payload == "duplicate") return rowq::drop();
                if (payload == "hopeless") return rowq::dead_letter();
                if (payload == "throttled" && delivery.attempt() == 1)
                    return rowq::retry_after(100ms);
                if (payload == "flaky" && delivery.attempt() == 1) return rowq::retry();
                if (payload == "broken") throw std::runtime_error("the mail server said no");
                return rowq::ack();
            })
        .max_attempts(3)      // "broken" is tried three times ...
        .dead_letter("dead")  // ... and then moves to this group
        .backoff(10ms, 100ms) // the delays after an exception
        .poll_interval(20ms)
        .drain();

    rowq::Publisher<std::string> publisher{broker, jobs, "mail"};
    publisher.push_many(std::to_array<std::string>(
        {"fine", "duplicate", "hopeless", "throttled", "flaky", "broken"}));
    broker.run();

    support::expect(runs == 10, "1 + 1 + 1 + 2 + 2 + 3 runs");
    support::expect(
        support::sql("SELECT group_concat(payload) FROM"
                     " (SELECT payload FROM jobs WHERE queue = 'dead' ORDER BY payload)") ==
            "broken,hopeless",
        "only these two are dead letters");
    support::expect(
        support::sql("SELECT count(*) FROM jobs WHERE queue = 'mail'") == "0",
        "the others are done");
}
