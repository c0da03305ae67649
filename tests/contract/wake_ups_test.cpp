// Work that starts without waiting for the poll interval, which is an hour here.
#include "support/matrix.hpp"

#include <atomic>

namespace rowq::test { namespace {

using namespace std::chrono_literals;

class WakeUps : public QueueTest {
protected:
    // Runs and has found nothing.
    void start_idle(Broker& broker, const rowq::Table<void>& table, std::size_t workers = 1) {
        broker.subscribe(table, "q", [](const std::string&) {}).workers(workers).poll_interval(1h);
        broker.start();
        ASSERT_TRUE(eventually_told(Event::Kind::waiting));
    }
};

ROWQ_EVERY_CASE(WakeUps);

TEST_P(WakeUps, a_push_in_the_process_starts_its_row) {
    Broker broker = this->broker();
    start_idle(broker, jobs());
    Publisher<std::string> publisher(broker, jobs(), "q");
    for (std::size_t i = 1; i <= 20; ++i) {
        static_cast<void>(publisher.push("x"));
        ASSERT_TRUE(eventually_settled(Outcome::Kind::ack, i)) << i << recorder->troubles();
    }
}

TEST_P(WakeUps, a_push_starts_as_many_workers_as_it_has_rows_for) {
    Broker broker = this->broker();
    Gate gate;
    broker.subscribe(jobs(), "q", [&](const std::string&) { gate.wait(); })
        .workers(4)
        .poll_interval(1h);
    broker.start();
    ASSERT_TRUE(eventually_told(Event::Kind::waiting));
    Publisher<std::string> publisher(broker, jobs(), "q");
    static_cast<void>(publisher.push_many(std::vector<std::string>(6, "x")));
    EXPECT_TRUE(eventually_told(Event::Kind::started, 4)) << recorder->troubles();
    gate.open();
    EXPECT_TRUE(eventually_settled(Outcome::Kind::ack, 6)) << recorder->troubles();
}

TEST_P(WakeUps, a_wake_by_hand_finds_rows_of_plain_sql) {
    Broker broker = this->broker();
    start_idle(broker, jobs());
    add({.id = 1});
    broker.wake("jobs", "q");
    EXPECT_TRUE(eventually_settled(Outcome::Kind::ack, 1)) << recorder->troubles();
    add({.id = 2});
    broker.wake("jobs");
    EXPECT_TRUE(eventually_settled(Outcome::Kind::ack, 2)) << recorder->troubles();
}

TEST_P(WakeUps, a_push_while_every_worker_is_busy_is_not_forgotten) {
    Broker broker = this->broker();
    Gate gate;
    broker.subscribe(jobs(), "q", [&](const std::string&) { gate.wait(); }).poll_interval(1h);
    broker.start();
    ASSERT_TRUE(eventually_told(Event::Kind::waiting));
    Publisher<std::string> publisher(broker, jobs(), "q");
    static_cast<void>(publisher.push("1"));
    ASSERT_TRUE(eventually_told(Event::Kind::started));
    static_cast<void>(publisher.push("2"));
    gate.open();
    EXPECT_TRUE(eventually_settled(Outcome::Kind::ack, 2)) << recorder->troubles();
}

TEST_P(WakeUps, a_retry_needs_none) {
    Broker broker = this->broker();
    std::atomic<int> runs{0};
    broker.subscribe(jobs(), "q", [&](const std::string&) { return ++runs < 5 ? retry() : ack(); })
        .workers(2)
        .poll_interval(1h);
    broker.start();
    ASSERT_TRUE(eventually_told(Event::Kind::waiting));
    static_cast<void>(Publisher<std::string>(broker, jobs(), "q").push("x"));
    EXPECT_TRUE(eventually_settled(Outcome::Kind::ack, 1)) << recorder->troubles();
    EXPECT_EQ(runs, 5);
}

TEST_P(WakeUps, the_poll_interval_finds_rows_that_nobody_announced) {
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", [](const std::string&) {}).poll_interval(50ms);
    broker.start();
    ASSERT_TRUE(eventually_told(Event::Kind::waiting));
    add({.id = 1});
    EXPECT_TRUE(eventually_settled(Outcome::Kind::ack));
}

class WakeUpsOfKeys : public WakeUps {};

ROWQ_CASES(WakeUpsOfKeys, cases_of(Form::advisory));

// Keys block each other inside the process too: the end of one row is the news that the other waits for.
TEST_P(WakeUpsOfKeys, a_row_whose_key_becomes_free_starts) {
    add({.id = 1, .account = "a"});
    add({.id = 2, .account = "a"});
    Broker broker = this->broker();
    Gate gate;
    broker.subscribe(jobs(), "q", [&](const std::string&) { gate.wait(); })
        .workers(2)
        .poll_interval(1h);
    broker.start();
    ASSERT_TRUE(eventually_told(Event::Kind::started));
    gate.open();
    EXPECT_TRUE(eventually_settled(Outcome::Kind::ack, 2)) << recorder->troubles();
}

}} // namespace rowq::test
