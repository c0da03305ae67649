// What a stop does with rows in every stage.
#include "support/matrix.hpp"

#include <atomic>
#include <thread>

namespace rowq::test { namespace {

using namespace std::chrono_literals;

class Stopping : public QueueTest {};

ROWQ_EVERY_CASE(Stopping);

TEST_P(Stopping, waits_for_running_handlers_and_settles_them) {
    insert_range(session(), 1, 10);
    Broker broker(database().url(), options().grace(soon));
    Gate gate;
    broker
        .subscribe(
            jobs(), "q",
            [&](const std::string&, const Delivery& delivery) {
                gate.wait_for_stop(delivery.stop_token());
            })
        .workers(3)
        .poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually_told(Event::Kind::started, 3));
    broker.stop();
    EXPECT_EQ(recorder->settled(Outcome::Kind::ack), 3U) << recorder->troubles();
    EXPECT_EQ(recorder->count(Event::Kind::started), 3U);
    EXPECT_EQ(count("attempt = 1 AND locked_until IS NULL"), 7) << "the others are due as before";
    EXPECT_EQ(recorder->count(Event::Kind::stopping), 1U);
    const auto stopped = recorder->all(Event::Kind::stopped);
    ASSERT_EQ(stopped.size(), 1U);
    EXPECT_EQ(stopped[0].count, 0U);
}

TEST_P(Stopping, has_an_end_though_the_database_gives_no_answer) {
    // A row locked in a transaction would keep the table's lock from being taken.
    const bool settles = !(postgres() && row_lock());
    if (settles) add({.id = 1});
    Broker broker(database().url(), options().grace(200ms));
    Gate gate;
    broker.subscribe(jobs(), "q", [&](const std::string&) { gate.wait(); }).poll_interval(often);
    broker.start();
    if (settles) {
        ASSERT_TRUE(eventually_told(Event::Kind::started));
    }
    session().run(
        postgres() ? "BEGIN; LOCK TABLE jobs IN ACCESS EXCLUSIVE MODE" : "BEGIN IMMEDIATE");
    gate.open();
    if (postgres()) {
        ASSERT_TRUE(eventually([&] {
            return session().number("SELECT count(*) FROM pg_locks WHERE NOT granted") > 0;
        }));
    }
    const auto begun = std::chrono::steady_clock::now();
    broker.stop();
    // Statements would wait 30 s.
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 10s) << recorder->troubles();
    session().run("ROLLBACK");
}

TEST_P(Stopping, releases_what_still_runs_after_the_grace_and_refuses_its_late_ack) {
    add({.id = 1});
    add({.id = 2});
    auto next_told = std::make_shared<Recorder>();
    {
        Broker broker(database().url(), options().grace(200ms));
        Gate gate;
        broker
            .subscribe(
                jobs(), "q",
                [&](const std::string& payload, const Delivery& delivery) {
                    static_cast<void>(payload);
                    static_cast<void>(delivery);
                    gate.wait();
                })
            .poll_interval(often);
        broker.start();
        ASSERT_TRUE(eventually_told(Event::Kind::started));
        broker.stop();
        const auto stopped = recorder->all(Event::Kind::stopped);
        ASSERT_EQ(stopped.size(), 1U);
        EXPECT_EQ(stopped[0].count, 1U);
        EXPECT_EQ(count("locked_until IS NULL"), 2);

        Broker next(database().url(), options().observer(next_told));
        next.subscribe(jobs(), "q", [](const std::string&) {}).poll_interval(often);
        next.start();
        EXPECT_TRUE(eventually([&] { return next_told->settled(Outcome::Kind::ack) == 2; }))
            << next_told->troubles();
        gate.open();
        ASSERT_TRUE(eventually_told(Event::Kind::error));
    }
    const Told told = recorder->all(Event::Kind::error).front();
    ASSERT_TRUE(told.error);
    EXPECT_EQ(told.error->code(), lease() ? ErrorCode::lease_lost : ErrorCode::lock_lost);
    EXPECT_EQ(told.row, "1");
    EXPECT_EQ(recorder->count(Event::Kind::settled), 0U);
}

// The claim is under way when the stop comes, so its rows arrive when nobody may start them.
TEST_P(Stopping, gives_rows_back_that_no_handler_has_seen_with_their_attempt) {
    Broker broker(database().url(), options().grace(soon));
    broker.subscribe(jobs(), "q", [](const std::string&) {}).workers(10).poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually_told(Event::Kind::waiting));
    const auto blocker = database().connect();
    blocker->run(
        postgres() ? "BEGIN; LOCK TABLE jobs IN ACCESS EXCLUSIVE MODE" : "BEGIN IMMEDIATE");
    insert_range(*blocker, 1, 10);
    if (postgres()) {
        ASSERT_TRUE(eventually([&] {
            return session().number("SELECT count(*) FROM pg_stat_activity WHERE datname = "
                                    "current_database() AND wait_event_type = 'Lock'") > 0;
        }));
    }
    std::jthread stopping([&] { broker.stop(); });
    ASSERT_TRUE(eventually_told(Event::Kind::stopping));
    blocker->run("COMMIT");
    stopping.join();
    EXPECT_EQ(recorder->count(Event::Kind::started), 0U);
    EXPECT_EQ(count("attempt = 1 AND locked_until IS NULL"), 10) << recorder->troubles();
    EXPECT_EQ(recorder->troubles(), "");
    auto next_told = std::make_shared<Recorder>();
    Broker next(database().url(), options().observer(next_told));
    next.subscribe(jobs(), "q", [](const std::string&) {}).poll_interval(often);
    next.start();
    EXPECT_TRUE(eventually([&] { return next_told->settled(Outcome::Kind::ack) == 10; }));
    for (const Told& told : next_told->all(Event::Kind::started)) EXPECT_EQ(told.attempt, 1);
}

TEST_P(Stopping, twice_is_stopping_once) {
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", [](const std::string&) {});
    broker.start();
    broker.stop();
    broker.stop();
    EXPECT_EQ(recorder->count(Event::Kind::stopped), 1U);
}

TEST_P(Stopping, before_the_start_is_nothing_to_wait_for) {
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", [](const std::string&) {});
    broker.stop();
    EXPECT_EQ(recorder->all().size(), 0U);
}

TEST_P(Stopping, can_be_asked_for_by_a_handler) {
    add({.id = 1});
    add({.id = 2});
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", [&](const std::string&) { broker.request_stop(); })
        .poll_interval(often);
    broker.run();
    EXPECT_GE(recorder->settled(Outcome::Kind::ack), 1U);
    EXPECT_EQ(recorder->count(Event::Kind::stopped), 1U);
    EXPECT_EQ(recorder->troubles(), "");
}

TEST_P(Stopping, when_drained_leaves_an_empty_queue) {
    insert_range(session(), 1, 50);
    session().run(
        "UPDATE jobs SET retry_after = " + instant_from_now(database(), 1.2) + " WHERE id = 7");
    add({.id = 51, .queue = "other"});
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", [](const std::string&) {})
        .workers(3)
        .poll_interval(often)
        .drain();
    broker.run();
    EXPECT_EQ(recorder->settled(Outcome::Kind::ack), 50U);
    EXPECT_EQ(count(), 1);
}

TEST_P(Stopping, leaves_the_database_to_others) {
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", [](const std::string&) {}).poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually_told(Event::Kind::waiting));
    broker.stop();
    if (postgres()) {
        EXPECT_TRUE(eventually([&] {
            return session().number("SELECT count(*) FROM pg_stat_activity WHERE datname = "
                                    "current_database() AND pid <> pg_backend_pid()") == 0;
        })) << "connections are still open";
    }
}

TEST_P(Stopping, asked_for_twice_waits_twice) {
    add({.id = 1});
    Gate gate;
    Broker broker(database().url(), options().grace(soon));
    broker.subscribe(jobs(), "q", [&](const std::string&) { gate.wait(); }).poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually_told(Event::Kind::started));
    std::jthread first([&] { broker.stop(); });
    ASSERT_TRUE(eventually_told(Event::Kind::stopping));
    std::jthread opener([&] {
        std::this_thread::sleep_for(50ms);
        gate.open();
    });
    broker.stop();
    EXPECT_EQ(recorder->settled(Outcome::Kind::ack), 1U) << "it returned while a handler ran";
}

TEST_P(Stopping, when_drained_waits_for_queues_that_others_filled_again) {
    insert(session(), {.id = 1, .queue = "second"});
    Broker broker = this->broker();
    std::atomic<int> passed_on{0};
    broker.subscribe(jobs(), "first", [&](const std::string&) { ++passed_on; })
        .poll_interval(often)
        .drain();
    broker
        .subscribe(
            jobs(), "second",
            [&](const std::string&) {
                // The first is drained long since.
                static_cast<void>(
                    eventually([&] { return recorder->count(Event::Kind::waiting) > 0; }));
                for (int i = 0; i < 3; ++i)
                    static_cast<void>(Publisher<std::string>(broker, jobs(), "first").push("x"));
            })
        .poll_interval(often)
        .drain();
    broker.run();
    EXPECT_EQ(passed_on, 3);
    EXPECT_EQ(count(), 0);
}

}} // namespace rowq::test
