// The same work in the three forms: the description alone decides, the handler does not change.
#include "support/example_db.hpp"

#include <rowq/rowq.hpp>

#include <array>
#include <atomic>

using namespace std::chrono_literals;

// Nothing more: row lock.
constexpr auto by_row_lock = rowq::table("a").id("id", rowq::generated).payload("payload");

// A column for the lease's end: lease.
constexpr auto by_lease =
    rowq::table("b").id("id", rowq::generated).locked_until("locked_until").payload("payload");

// A lock key: advisory lock.
constexpr auto by_key =
    rowq::table("c").id("id", rowq::generated).payload("payload").lock_key("customer-{payload}");

int main() {
    support::sql("CREATE TABLE a (id INTEGER PRIMARY KEY, payload TEXT NOT NULL);"
                 "CREATE TABLE b (id INTEGER PRIMARY KEY, locked_until TEXT,"
                 " payload TEXT NOT NULL);"
                 "CREATE TABLE c (id INTEGER PRIMARY KEY, payload TEXT NOT NULL)");

    std::atomic<int> done = 0;
    const auto handler = [&](const std::string&) { ++done; };

    rowq::Broker broker{support::url};
    broker.subscribe(by_row_lock, handler).workers(2).drain();
    broker.subscribe(by_lease, handler).workers(2).drain();
    broker.subscribe(by_key, handler).workers(2).poll_interval(20ms).drain();

    const auto names = std::to_array<std::string>({"ada", "grace", "ada", "alan"});
    rowq::Publisher<std::string>{broker, by_row_lock}.push_many(names);
    rowq::Publisher<std::string>{broker, by_lease}.push_many(names);
    rowq::Publisher<std::string>{broker, by_key}.push_many(names);
    broker.run(); // until all three are empty

    support::expect(done == 12, "each of the twelve rows ran once");
}
