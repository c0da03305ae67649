// A clock of your own: test what is due tomorrow without waiting for it.
#include "support/example_db.hpp"

#include <rowq/rowq.hpp>

#include <array>
#include <atomic>

using namespace std::chrono_literals;

class TestClock final : public rowq::Clock {
public:
    [[nodiscard]] rowq::Timestamp now() const override {
        return rowq::Timestamp{std::chrono::microseconds{now_}};
    }
    void advance(std::chrono::microseconds by) { now_ += by.count(); }

private:
    std::atomic<std::int64_t> now_ = 1'000'000'000'000'000; // some day in September 2001
};

// retry_after is not `generated`: the publisher writes it, by the broker's clock.
constexpr auto jobs =
    rowq::table("jobs").id("id", rowq::generated).retry_after("due").payload("payload");

int main() {
    support::sql("CREATE TABLE jobs (id INTEGER PRIMARY KEY, due TEXT NOT NULL,"
                 " payload TEXT NOT NULL);"
                 "CREATE INDEX jobs_claim ON jobs (due, id)");

    const auto clock = std::make_shared<TestClock>();
    std::string order;
    rowq::Broker broker{support::url, rowq::BrokerOptions{}.clock(clock)};
    broker
        .subscribe(
            jobs,
            [&](const std::string& payload) { // one worker: nobody else touches `order`
                order += payload + ' ';
                clock->advance(24h);
            })
        .poll_interval(20ms)
        .drain();

    rowq::Publisher<std::string> publisher{broker, jobs};
    publisher.push("tomorrow", rowq::PushOptions{}.delay(24h));
    publisher.push("today");
    broker.run();

    support::expect(order == "today tomorrow ", "the delayed job waited for its day");
}
