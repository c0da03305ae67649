// The row lock form: one transaction a delivery, and what its end means.
#include "support/matrix.hpp"

#include <atomic>

namespace rowq::test { namespace {

using namespace std::chrono_literals;

class RowLock : public QueueTest {};

ROWQ_CASES(RowLock, cases_of(Form::row_lock));

TEST_P(RowLock, keeps_the_row_and_its_attempt_untouched_while_the_handler_runs) {
    add({.id = 1});
    const Rows before = session().rows("SELECT * FROM jobs");
    Gate gate;
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", [&](const std::string&) { gate.wait(); }).poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually_told(Event::Kind::started));
    EXPECT_EQ(session().rows("SELECT * FROM jobs"), before);
    if (postgres()) {
        EXPECT_TRUE(session().rows("SELECT id FROM jobs FOR UPDATE SKIP LOCKED").empty());
    }
    gate.open();
    EXPECT_TRUE(eventually_settled(Outcome::Kind::ack));
}

TEST_P(RowLock, keeps_the_row_from_every_other_broker) {
    add({.id = 1});
    Gate gate;
    auto other_told = std::make_shared<Recorder>();
    Broker broker = this->broker();
    Broker other(database().url(), options().observer(other_told));
    broker.subscribe(jobs(), "q", [&](const std::string&) { gate.wait(); }).poll_interval(often);
    other.subscribe(jobs(), "q", [](const std::string&) {}).poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually_told(Event::Kind::started));
    other.start();
    add({.id = 2});
    ASSERT_TRUE(eventually([&] { return other_told->settled(Outcome::Kind::ack) == 1; }));
    EXPECT_EQ(other_told->all(Event::Kind::settled).front().row, "2");
    EXPECT_EQ(count("id = 1"), 1);
    gate.open();
    EXPECT_TRUE(eventually([&] { return count() == 0; }));
    EXPECT_EQ(other_told->count(Event::Kind::started), 1U);
}

class RowLockOnPostgres : public RowLock {};

ROWQ_CASES(RowLockOnPostgres, cases_where([](const Case& c) {
               return c.server == Server::postgres && c.form == Form::row_lock;
           }));

TEST_P(RowLockOnPostgres, that_is_lost_stops_the_handler_refuses_its_ack_and_runs_the_row_again) {
    add({.id = 1});
    Gate gate;
    std::atomic<int> runs{0};
    std::atomic<int> stopped{0};
    std::atomic<bool> lost{false};
    Broker broker = this->broker();
    broker
        .subscribe(
            jobs(), "q",
            [&](const std::string&, const Delivery& delivery) {
                if (++runs > 1) return;
                stopped += gate.wait_for_stop(delivery.stop_token()) ? 1 : 0;
                lost = delivery.lost();
            })
        .poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually_told(Event::Kind::started));
    ASSERT_EQ(terminate_sessions(session(), "state LIKE 'idle in transaction%'"), 1);
    ASSERT_TRUE(eventually([&] { return stopped == 1; })) << "the handler was not told";
    ASSERT_TRUE(eventually_told(Event::Kind::error));
    const Told told = recorder->all(Event::Kind::error).front();
    ASSERT_TRUE(told.error);
    EXPECT_EQ(told.error->code(), ErrorCode::lock_lost);
    EXPECT_EQ(told.row, "1");
    EXPECT_TRUE(lost);
    EXPECT_EQ(recorder->count(Event::Kind::lost), 1U);
    ASSERT_TRUE(eventually_settled(Outcome::Kind::ack)) << recorder->troubles();
    EXPECT_EQ(recorder->count(Event::Kind::settled), 1U);
    EXPECT_EQ(count(), 0);
    const auto started = recorder->all(Event::Kind::started);
    ASSERT_EQ(started.size(), 2U);
    EXPECT_EQ(started[1].attempt, 1) << "a lost lock spends no attempt";
}

TEST_P(RowLockOnPostgres, under_a_time_limit_on_idle_transactions_warns_and_tells_the_handler) {
    const std::string name = session().one("SELECT current_database()");
    session().run("ALTER DATABASE " + name + " SET idle_in_transaction_session_timeout = '300ms'");
    add({.id = 1});
    Gate gate;
    std::atomic<int> stopped{0};
    Broker broker = this->broker();
    broker
        .subscribe(
            jobs(), "q",
            [&](const std::string&, const Delivery& delivery) {
                stopped += gate.wait_for_stop(delivery.stop_token()) ? 1 : 0;
            })
        .poll_interval(often);
    broker.start();
    bool warned = false;
    for (const Told& told : recorder->all(Event::Kind::warning))
        warned |= told.text.find("idle_in_transaction_session_timeout") != std::string::npos;
    EXPECT_TRUE(warned);
    EXPECT_TRUE(eventually([&] { return stopped >= 1; })) << "the handler was not told";
    EXPECT_TRUE(eventually([&] { return !recorder->errors(ErrorCode::lock_lost).empty(); }));
    EXPECT_EQ(recorder->count(Event::Kind::settled), 0U);
    EXPECT_EQ(count(), 1);
}

TEST_P(RowLockOnPostgres, holds_one_connection_for_each_delivery_in_work) {
    insert_range(session(), 1, 5);
    Gate gate;
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", [&](const std::string&) { gate.wait(); })
        .workers(5)
        .poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually_told(Event::Kind::started, 5)) << recorder->troubles();
    EXPECT_EQ(
        session().number("SELECT count(*) FROM pg_stat_activity WHERE datname = "
                         "current_database() AND state LIKE 'idle in transaction%'"),
        5);
    gate.open();
    EXPECT_TRUE(eventually_settled(Outcome::Kind::ack, 5));
}

}} // namespace rowq::test
