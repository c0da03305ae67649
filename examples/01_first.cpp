// A table that is one queue: push three jobs, work them off, stop when nothing is left.
#include "support/example_db.hpp"

#include <rowq/rowq.hpp>

#include <atomic>

// The least a table needs: a key and a payload. Without further columns the form is row lock.
constexpr auto jobs = rowq::table("jobs").id("id", rowq::generated).payload("payload");

int main() {
    support::sql("CREATE TABLE jobs (id INTEGER PRIMARY KEY, payload TEXT NOT NULL)");

    std::atomic<int> done = 0;
    rowq::Broker broker{support::url};
    broker
        .subscribe(
            jobs,
            [&](const std::string& payload) { // returning nothing means ack
                std::cout << "working on " << payload << '\n';
                ++done;
            })
        .drain();

    rowq::Publisher<std::string> publisher{broker, jobs};
    const std::vector<std::string> batch{"one", "two", "three"};
    publisher.push_many(batch); // all three or none
    broker.run();

    support::expect(done == 3, "each job ran once");
    support::expect(support::sql("SELECT count(*) FROM jobs") == "0", "ack deletes the row");
}
