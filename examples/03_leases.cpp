// The lease form: the row is taken for a while, and the lease is renewed for as long as the handler works.
#include "support/example_db.hpp"

#include <rowq/rowq.hpp>

#include <atomic>
#include <thread>

using namespace std::chrono_literals;

constexpr auto jobs = rowq::table("jobs")
                          .id("id", rowq::generated)
                          .attempt("attempt", rowq::generated)
                          .locked_until("locked_until") // selects the lease form
                          .payload("payload");

std::string lease_end() { return support::sql("SELECT locked_until FROM jobs"); }

int main() {
    support::sql("CREATE TABLE jobs (id INTEGER PRIMARY KEY, attempt INTEGER NOT NULL DEFAULT 1,"
                 " locked_until TEXT, payload TEXT NOT NULL)");

    std::atomic<int> runs = 0;
    std::atomic<bool> renewed = false;
    rowq::Broker broker{support::url};
    broker
        .subscribe(
            jobs,
            [&](const std::string&, const rowq::Delivery& delivery) {
                ++runs;
                const std::string first = lease_end();
                // Long work looks at its stop token: it stops when the lease is lost, and when the broker stops.
                while (lease_end() == first && !delivery.stop_token().stop_requested())
                    std::this_thread::sleep_for(20ms);
                renewed = lease_end() > first;
                // Should the lease be lost, this ack would be refused and change nothing.
                return rowq::ack();
            })
        .lease(1s) // the least there is; the default is 30 s
        .drain();

    rowq::Publisher<std::string> publisher{broker, jobs};
    publisher.push("long work");
    broker.run();

    support::expect(renewed, "the lease got a new end while the handler ran");
    support::expect(runs == 1, "nobody else took the row");
    support::expect(support::sql("SELECT count(*) FROM jobs") == "0", "the job is done");
}
