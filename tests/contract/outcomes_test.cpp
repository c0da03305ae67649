// What each outcome does to its row, in every form.
#include "support/matrix.hpp"

#include <atomic>
#include <mutex>

namespace rowq::test { namespace {

using namespace std::chrono_literals;

class Outcomes : public QueueTest {
protected:
    // Row 1 through one handler that answers `outcome` the first time and acks from then on.
    void settle_once(Broker& broker, Outcome outcome, const Roles& roles = {}) {
        auto runs = std::make_shared<std::atomic<int>>(0);
        broker
            .subscribe(
                jobs(roles), "q",
                [runs, outcome](const std::string&) { return ++*runs == 1 ? outcome : ack(); })
            .poll_interval(often);
        broker.start();
        ASSERT_TRUE(eventually_settled(outcome.kind())) << recorder->troubles();
    }
    void refuse_deletes_of_row_1() {
        session().run(
            postgres()
                ? "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
                  "$$BEGIN RAISE EXCEPTION 'kept by audit'; END$$; CREATE TRIGGER refuse BEFORE "
                  "DELETE ON jobs FOR EACH ROW WHEN (old.id = 1) EXECUTE FUNCTION refuse()"
                : "CREATE TRIGGER refuse BEFORE DELETE ON jobs WHEN old.id = 1 BEGIN "
                  "SELECT RAISE(ABORT, 'kept by audit'); END");
    }
};

ROWQ_EVERY_CASE(Outcomes);

TEST_P(Outcomes, ack_deletes_the_row) {
    add({.id = 1});
    add({.id = 2, .queue = "other"});
    Broker broker = this->broker();
    settle_once(broker, ack());
    EXPECT_EQ(session().column("SELECT id FROM jobs"), std::vector<std::string>{"2"});
    const auto settled = recorder->all(Event::Kind::settled);
    ASSERT_EQ(settled.size(), 1U);
    EXPECT_EQ(settled[0].row, "1");
    EXPECT_EQ(settled[0].subscription, "q");
    EXPECT_EQ(settled[0].table, "jobs");
}

TEST_P(Outcomes, ack_marks_the_row_where_it_can) {
    add({.id = 1});
    Broker broker = this->broker();
    settle_once(broker, ack(), {.processed_at = true});
    EXPECT_EQ(count("processed_at IS NOT NULL AND locked_until IS NULL"), 1);
    const double ago = -std::stod(
        session().one("SELECT " + seconds_until(database(), "processed_at") + " FROM jobs"));
    EXPECT_GE(ago, -1);
    EXPECT_LE(ago, 120);
    ASSERT_TRUE(eventually_told(Event::Kind::waiting, recorder->count(Event::Kind::waiting) + 2));
    EXPECT_EQ(recorder->count(Event::Kind::started), 1U);
}

TEST_P(Outcomes, drop_is_an_ack_by_another_name) {
    add({.id = 1});
    Broker broker = this->broker();
    settle_once(broker, drop());
    EXPECT_EQ(count(), 0);
}

TEST_P(Outcomes, void_is_an_ack) {
    add({.id = 1});
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", [](const std::string&) {}).poll_interval(often);
    broker.start();
    EXPECT_TRUE(eventually_settled(Outcome::Kind::ack));
    EXPECT_EQ(count(), 0);
}

TEST_P(Outcomes, retry_comes_back_at_once_in_its_old_place) {
    add({.id = 1});
    add({.id = 2});
    std::mutex mutex;
    std::vector<std::string> runs;
    Broker broker = this->broker();
    broker
        .subscribe(
            jobs(), "q",
            [&](const std::string&, const Delivery& delivery) {
                const std::lock_guard lock(mutex);
                runs.push_back(to_string(delivery.id()) + "/" + std::to_string(delivery.attempt()));
                return delivery.attempt() < 3 && runs.back()[0] == '1' ? retry() : ack();
            })
        .poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::ack, 2)) << recorder->troubles();
    broker.stop();
    EXPECT_EQ(runs, (std::vector<std::string>{"1/1", "1/2", "1/3", "2/1"}));
    EXPECT_EQ(recorder->settled(Outcome::Kind::retry), 2U);
}

TEST_P(Outcomes, retry_without_an_attempt_column_comes_back_too) {
    add({.id = 1});
    Broker broker = this->broker();
    settle_once(broker, retry(), {.attempt = false});
    EXPECT_TRUE(eventually_settled(Outcome::Kind::ack));
    EXPECT_EQ(count(), 0);
}

TEST_P(Outcomes, retry_after_rests_and_counts_the_attempt) {
    add({.id = 1});
    Broker broker = this->broker();
    settle_once(broker, retry_after(1h));
    EXPECT_EQ(count("attempt = 2 AND locked_until IS NULL AND queue = 'q'"), 1);
    const double left = std::stod(
        session().one("SELECT " + seconds_until(database(), "retry_after") + " FROM jobs"));
    EXPECT_GE(left, 3'480);
    EXPECT_LE(left, 3'600);
    ASSERT_TRUE(eventually_told(Event::Kind::waiting, recorder->count(Event::Kind::waiting) + 2));
    EXPECT_EQ(recorder->count(Event::Kind::started), 1U);
}

TEST_P(Outcomes, retry_after_runs_again_once_its_delay_is_over) {
    add({.id = 1});
    Broker broker = this->broker();
    settle_once(broker, retry_after(200ms));
    EXPECT_TRUE(eventually_settled(Outcome::Kind::ack));
    const auto started = recorder->all(Event::Kind::started);
    ASSERT_EQ(started.size(), 2U);
    EXPECT_EQ(started[1].attempt, 2);
}

TEST_P(Outcomes, retry_after_without_the_column_comes_back_at_once_with_one_warning) {
    add({.id = 1});
    add({.id = 2});
    Broker broker = this->broker();
    std::atomic<int> runs{0};
    broker
        .subscribe(
            jobs({.retry_after = false}), "q",
            [&](const std::string&) { return ++runs <= 4 ? retry_after(1h) : ack(); })
        .poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::ack, 2)) << recorder->troubles();
    std::size_t warnings = 0;
    for (const Told& told : recorder->all(Event::Kind::warning))
        warnings += told.text.find("retry_after") != std::string::npos &&
                    told.text.find("INDEX") == std::string::npos;
    EXPECT_EQ(warnings, 1U);
}

TEST_P(Outcomes, a_refused_settlement_is_reported_and_its_row_runs_again) {
    add({.id = 1});
    refuse_deletes_of_row_1();
    Broker broker = this->broker();
    auto subscription = broker.subscribe(jobs(), "q", [](const std::string&) {});
    subscription.poll_interval(often);
    if (lease()) subscription.lease(1s);
    broker.start();
    ASSERT_TRUE(eventually_told(Event::Kind::error));
    const Told told = recorder->all(Event::Kind::error).front();
    ASSERT_TRUE(told.error);
    EXPECT_EQ(told.error->code(), ErrorCode::database);
    EXPECT_EQ(told.row, "1");
    EXPECT_NE(std::string(told.error->what()).find("ack"), std::string::npos);
    EXPECT_NE(told.error->server_text().find("kept by audit"), std::string::npos);
    session().run(postgres() ? "DROP TRIGGER refuse ON jobs" : "DROP TRIGGER refuse");
    EXPECT_TRUE(eventually([&] { return count() == 0; })) << recorder->troubles();
}

TEST_P(Outcomes, a_row_whose_settlements_are_refused_starves_nobody_and_moves_at_its_cap) {
    insert_range(session(), 1, 20);
    refuse_deletes_of_row_1();
    Broker broker = this->broker();
    auto subscription = broker.subscribe(jobs(), "q", [](const std::string&) {});
    subscription.poll_interval(often).backoff(20ms, 20ms).max_attempts(3).dead_letter("dead");
    if (lease()) subscription.lease(1s);
    broker.start();
    ASSERT_TRUE(eventually([&] { return count("queue = 'q'") == 0; })) << recorder->troubles();
    broker.stop();
    EXPECT_EQ(
        session().column("SELECT id FROM jobs WHERE queue = 'dead'"),
        std::vector<std::string>{"1"});
    std::size_t runs = 0;
    for (const Told& told : recorder->all(Event::Kind::started)) runs += told.row == "1";
    EXPECT_GE(runs, 2U);
    EXPECT_LE(runs, 3U);
    EXPECT_EQ(recorder->count(Event::Kind::started), 19 + runs);
    EXPECT_EQ(recorder->settled(Outcome::Kind::ack), 19U);
}

class OutcomesOfUnlockedRows : public Outcomes {};

ROWQ_CASES(OutcomesOfUnlockedRows, cases_where([](const Case& c) {
               return c.server == Server::sqlite || c.form != Form::row_lock;
           }));

TEST_P(OutcomesOfUnlockedRows, a_row_that_somebody_deleted_is_reported_and_stops_nothing) {
    insert_range(session(), 1, 10);
    Gate gate;
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", [&](const std::string&) { gate.wait(); })
        .workers(10)
        .poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually_told(Event::Kind::started, 10));
    session().run("DELETE FROM jobs WHERE id = 3");
    gate.open();
    EXPECT_TRUE(eventually_settled(Outcome::Kind::ack, 9)) << recorder->troubles();
    ASSERT_TRUE(eventually_told(Event::Kind::error));
    EXPECT_EQ(recorder->all(Event::Kind::error).front().row, "3");
    EXPECT_EQ(recorder->count(Event::Kind::error), 1U);
    add({.id = 11});
    EXPECT_TRUE(eventually_settled(Outcome::Kind::ack, 10));
}

}} // namespace rowq::test
