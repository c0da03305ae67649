// An observer gets every event of a broker: for logs, metrics and alarms of your own.
#include "support/example_db.hpp"

#include <rowq/rowq.hpp>

#include <array>
#include <map>
#include <mutex>
#include <stdexcept>

using namespace std::chrono_literals;

// Called from several threads at once, on the thread where the thing happened.
class Counter final : public rowq::Observer {
public:
    void on(const rowq::Event& event) noexcept override {
        const std::lock_guard lock(mutex_);
        ++counts_[event.kind];
        if (event.kind == rowq::Event::Kind::failed) // the views are valid during the call only
            std::cout << "row " << rowq::to_string(*event.row) << ", attempt " << event.attempt
                      << ": " << event.text << '\n';
    }

    [[nodiscard]] int count(rowq::Event::Kind kind) {
        const std::lock_guard lock(mutex_);
        return counts_[kind];
    }

private:
    std::mutex mutex_;
    std::map<rowq::Event::Kind, int> counts_;
};

constexpr auto jobs = rowq::table("jobs")
                          .id("id", rowq::generated)
                          .attempt("attempt", rowq::generated)
                          .payload("payload");

int main() {
    support::sql("CREATE TABLE jobs (id INTEGER PRIMARY KEY, attempt INTEGER NOT NULL DEFAULT 1,"
                 " payload TEXT NOT NULL)");

    const auto counter = std::make_shared<Counter>();
    rowq::Broker broker{support::url, rowq::BrokerOptions{}.observer(counter)};
    broker
        .subscribe(
            jobs,
            [](const std::string& payload, const rowq::Delivery& delivery) {
                if (payload == "flaky" && delivery.attempt() == 1)
                    throw std::runtime_error("not today");
            })
        .poll_interval(20ms)
        .drain();

    rowq::Publisher<std::string> publisher{broker, jobs};
    publisher.push_many(std::to_array<std::string>({"fine", "flaky"}));
    broker.run();

    using Kind = rowq::Event::Kind;
    support::expect(counter->count(Kind::started) == 3, "three handlers were started");
    support::expect(counter->count(Kind::failed) == 1, "one threw");
    support::expect(counter->count(Kind::settled) == 3, "retry and two acks were committed");
}
