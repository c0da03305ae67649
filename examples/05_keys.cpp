// The advisory lock form: rows with equal keys go into work one at a time, rows with different keys side by side.
#include "support/example_db.hpp"

#include <rowq/rowq.hpp>

#include <map>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

struct Payment {
    std::int64_t id = 0;
    std::string account;
};

constexpr auto payments = rowq::table<Payment>("payments")
                              .id("id", &Payment::id, rowq::generated)
                              .column("account", &Payment::account)
                              .lock_key("account-{account}"); // selects the advisory lock form

int main() {
    support::sql("CREATE TABLE payments (id INTEGER PRIMARY KEY, account TEXT NOT NULL)");

    std::mutex mutex;
    std::map<std::string, int> in_work;
    bool collided = false;
    int done = 0;

    rowq::Broker broker{support::url};
    broker
        .subscribe(
            payments,
            [&](const Payment& payment) {
                {
                    const std::lock_guard lock(mutex);
                    collided = ++in_work[payment.account] > 1 || collided;
                }
                std::this_thread::sleep_for(5ms); // the work
                const std::lock_guard lock(mutex);
                --in_work[payment.account];
                ++done;
            })
        .workers(4)
        .poll_interval(20ms)
        .drain();

    rowq::Publisher<Payment> publisher{broker, payments};
    std::vector<Payment> batch;
    for (int i = 0; i < 24; ++i) batch.push_back({.account = i % 3 == 0 ? "ada" : "grace"});
    publisher.push_many(batch);
    broker.run();

    support::expect(done == 24, "every payment was made");
    support::expect(!collided, "no account had two payments in work");
}
