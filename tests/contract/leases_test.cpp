// The lease form: token, renewal, and what a lost lease means.
#include "support/matrix.hpp"

#include <atomic>
#include <cmath>
#include <thread>

namespace rowq::test { namespace {

using namespace std::chrono_literals;

class Leases : public QueueTest {
protected:
    // Another holder, as far as the row can tell.
    void take_over(int seconds) {
        session().run(
            "UPDATE jobs SET locked_until = " + instant_from_now(database(), seconds) +
            " WHERE id = 1");
    }
};

ROWQ_CASES(Leases, cases_of(Form::lease));

TEST_P(Leases, are_written_into_the_row_with_the_attempt_and_no_transaction_stays_open) {
    add({.id = 1});
    Gate gate;
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", [&](const std::string&) { gate.wait(); }).poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually_told(Event::Kind::started));
    EXPECT_EQ(session().one("SELECT attempt FROM jobs"), "2");
    const double left = std::stod(
        session().one("SELECT " + seconds_until(database(), "locked_until") + " FROM jobs"));
    EXPECT_GT(left, 14) << "the default is 30 s, renewed every half";
    EXPECT_LE(left, 31);
    if (postgres()) {
        EXPECT_EQ(
            session().number("SELECT count(*) FROM pg_stat_activity WHERE datname = "
                             "current_database() AND state LIKE 'idle in transaction%'"),
            0);
    }
    gate.open();
    EXPECT_TRUE(eventually_settled(Outcome::Kind::ack));
}

TEST_P(Leases, take_the_length_of_the_subscription_before_the_brokers) {
    add({.id = 1});
    Gate gate;
    Broker broker(database().url(), options().lease(10s));
    broker.subscribe(jobs(), "q", [&](const std::string&) { gate.wait(); })
        .poll_interval(often)
        .lease(1'000s);
    broker.start();
    ASSERT_TRUE(eventually_told(Event::Kind::started));
    const double left = std::stod(
        session().one("SELECT " + seconds_until(database(), "locked_until") + " FROM jobs"));
    EXPECT_GT(left, 800);
    EXPECT_LE(left, 1'001);
    gate.open();
}

TEST_P(Leases, are_renewed_while_the_handler_runs) {
    add({.id = 1});
    Gate gate;
    Broker broker = this->broker();
    Broker other = this->broker();
    std::atomic<int> runs{0};
    for (Broker* each : {&broker, &other}) {
        each->subscribe(
                jobs(), "q",
                [&](const std::string&) {
                    ++runs;
                    gate.wait();
                })
            .poll_interval(often)
            .lease(1s);
    }
    broker.start();
    ASSERT_TRUE(eventually_told(Event::Kind::started));
    const std::string first = session().one("SELECT locked_until FROM jobs");
    other.start();
    ASSERT_TRUE(eventually_told(Event::Kind::renewed, 4)); // twice the lease
    EXPECT_GT(session().one("SELECT locked_until FROM jobs"), first);
    EXPECT_EQ(session().one("SELECT attempt FROM jobs"), "2");
    gate.open();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::ack)) << recorder->troubles();
    EXPECT_EQ(runs, 1);
    EXPECT_EQ(count(), 0);
    EXPECT_EQ(recorder->troubles(), "");
}

TEST_P(Leases, of_many_rows_are_renewed_together) {
    insert_range(session(), 1, 20);
    Gate gate;
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", [&](const std::string&) { gate.wait(); })
        .workers(20)
        .poll_interval(often)
        .lease(1s);
    broker.start();
    ASSERT_TRUE(eventually_told(Event::Kind::started, 20));
    EXPECT_TRUE(eventually([&] {
        for (const Told& told : recorder->all(Event::Kind::renewed))
            if (told.count == 20) return true;
        return false;
    }));
    gate.open();
    EXPECT_TRUE(eventually_settled(Outcome::Kind::ack, 20)) << recorder->troubles();
    EXPECT_EQ(recorder->troubles(), "");
}

TEST_P(Leases, that_are_taken_over_stop_the_handler_and_refuse_its_ack) {
    add({.id = 1});
    Gate gate;
    std::atomic<bool> stopped{false};
    std::atomic<bool> lost{false};
    Broker broker = this->broker();
    broker
        .subscribe(
            jobs(), "q",
            [&](const std::string&, const Delivery& delivery) {
                stopped = gate.wait_for_stop(delivery.stop_token());
                lost = delivery.lost();
            })
        .poll_interval(often)
        .lease(1s);
    broker.start();
    ASSERT_TRUE(eventually_told(Event::Kind::started));
    take_over(3'600);
    const std::string theirs = session().one("SELECT locked_until FROM jobs");
    ASSERT_TRUE(eventually_told(Event::Kind::lost)) << "the next renewal finds out";
    ASSERT_TRUE(eventually_told(Event::Kind::error));
    EXPECT_TRUE(stopped);
    EXPECT_TRUE(lost);
    const Told told = recorder->all(Event::Kind::error).front();
    ASSERT_TRUE(told.error);
    EXPECT_EQ(told.error->code(), ErrorCode::lease_lost);
    EXPECT_EQ(told.row, "1");
    EXPECT_EQ(session().one("SELECT locked_until FROM jobs"), theirs);
    EXPECT_EQ(recorder->all(Event::Kind::lost).size(), 1U);
    EXPECT_EQ(recorder->count(Event::Kind::settled), 0U);
}

class LateSettlement : public Leases {};

ROWQ_CASES(LateSettlement, cases_of(Form::lease));

// No renewal comes between: only the token can tell.
TEST_P(LateSettlement, of_every_kind_changes_nothing) {
    const Roles roles{.processed_at = true};
    const std::vector<Outcome> outcomes{ack(), drop(), retry(), retry_after(1h), dead_letter()};
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        const std::string queue = "q" + std::to_string(i);
        add({.id = static_cast<long long>(i + 1), .queue = queue});
        auto told = std::make_shared<Recorder>();
        Gate gate;
        Broker broker(database().url(), options().observer(told).lease(1'000s));
        broker
            .subscribe(
                jobs(roles), queue,
                [&](const std::string&) {
                    gate.wait();
                    return outcomes[i];
                })
            .poll_interval(often)
            .max_attempts(9)
            .dead_letter("failed");
        broker.start();
        ASSERT_TRUE(eventually([&] { return told->count(Event::Kind::started) == 1; }));
        session().run(
            "UPDATE jobs SET locked_until = " + instant_from_now(database(), 3'600) +
            " WHERE queue = '" + queue + "'");
        const Rows before = session().rows("SELECT * FROM jobs ORDER BY id");
        gate.open();
        ASSERT_TRUE(eventually([&] { return !told->errors(ErrorCode::lease_lost).empty(); }))
            << told->troubles();
        EXPECT_EQ(session().rows("SELECT * FROM jobs ORDER BY id"), before);
    }
}

TEST_P(LateSettlement, to_a_dead_letter_table_moves_nothing) {
    create_table(database(), "graveyard");
    add({.id = 1});
    Gate gate;
    Broker broker = this->broker();
    broker
        .subscribe(
            jobs({.group = false}),
            [&](const std::string&) {
                gate.wait();
                return dead_letter();
            })
        .poll_interval(often)
        .max_attempts(9)
        .dead_letter("graveyard");
    broker.start();
    ASSERT_TRUE(eventually_told(Event::Kind::started));
    take_over(3'600);
    gate.open();
    ASSERT_TRUE(eventually([&] { return !recorder->errors(ErrorCode::lease_lost).empty(); }))
        << recorder->troubles();
    EXPECT_EQ(count(), 1);
    EXPECT_EQ(session().number("SELECT count(*) FROM graveyard"), 0);
}

TEST_P(Leases, that_are_freed_by_hand_let_another_broker_run_the_row_once) {
    add({.id = 1});
    Gate first_gate;
    Gate second_gate;
    auto other_told = std::make_shared<Recorder>();
    Broker broker(database().url(), options().lease(1'000s));
    Broker other(database().url(), options().observer(other_told).lease(1'000s));
    broker.subscribe(jobs(), "q", [&](const std::string&) { first_gate.wait(); }).poll_interval(1h);
    other.subscribe(jobs(), "q", [&](const std::string&) { second_gate.wait(); })
        .poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually_told(Event::Kind::started));
    other.start();
    session().run("UPDATE jobs SET locked_until = NULL");
    ASSERT_TRUE(eventually([&] { return other_told->count(Event::Kind::started) == 1; }));
    first_gate.open();
    ASSERT_TRUE(eventually([&] { return !recorder->errors(ErrorCode::lease_lost).empty(); }));
    EXPECT_EQ(count("attempt = 3"), 1);
    second_gate.open();
    EXPECT_TRUE(eventually([&] { return other_told->settled(Outcome::Kind::ack) == 1; }));
    EXPECT_EQ(count(), 0);
}

TEST_P(Leases, that_are_freed_by_hand_and_claimed_again_by_the_same_broker_lose_the_first_run) {
    add({.id = 1});
    Gate gate;
    std::atomic<int> runs{0};
    std::atomic<int> stopped{0};
    Broker broker(database().url(), options().lease(1'000s));
    broker
        .subscribe(
            jobs(), "q",
            [&](const std::string&, const Delivery& delivery) {
                if (++runs == 1) stopped += gate.wait_for_stop(delivery.stop_token()) ? 1 : 0;
            })
        .workers(2)
        .poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually_told(Event::Kind::started));
    session().run("UPDATE jobs SET locked_until = NULL");
    ASSERT_TRUE(eventually_settled(Outcome::Kind::ack));
    EXPECT_TRUE(eventually([&] { return stopped == 1; }));
    EXPECT_TRUE(eventually([&] { return !recorder->errors(ErrorCode::lease_lost).empty(); }));
    EXPECT_EQ(count(), 0);
}

class LeasesOnSqlite : public Leases {};

ROWQ_CASES(LeasesOnSqlite, cases_where([](const Case& c) {
               return c.server == Server::sqlite && c.form == Form::lease;
           }));

TEST_P(LeasesOnSqlite, begin_when_the_row_is_written_not_when_the_claim_queued_up) {
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", [](const std::string&) {}).lease(1s).poll_interval(often);
    add({.id = 1});
    session().run("BEGIN IMMEDIATE");
    broker.start();
    std::this_thread::sleep_for(1500ms); // longer than a lease
    session().run("COMMIT");
    ASSERT_TRUE(eventually_settled(Outcome::Kind::ack)) << recorder->troubles();
    EXPECT_EQ(recorder->all(Event::Kind::started).at(0).attempt, 1) << "spent without a run";
}

}} // namespace rowq::test
