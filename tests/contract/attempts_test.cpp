// Attempts, their cap, and where dead letters go.
#include "support/matrix.hpp"

#include <mutex>

namespace rowq::test { namespace {

using namespace std::chrono_literals;

class Attempts : public QueueTest {
protected:
    // The columns that a dead letter keeps.
    [[nodiscard]] Rows content(const std::string& table) {
        return session().rows(
            "SELECT id, queue, priority, account, payload FROM " + table + " ORDER BY id");
    }
};

ROWQ_EVERY_CASE(Attempts);

TEST_P(Attempts, used_up_move_the_row_to_the_dead_letter_group) {
    add({.id = 1, .payload = "\"keep\""});
    std::mutex mutex;
    std::vector<int> attempts;
    Broker broker = this->broker();
    broker
        .subscribe(
            jobs(), "q",
            [&](const std::string&, const Delivery& delivery) {
                const std::lock_guard lock(mutex);
                attempts.push_back(delivery.attempt());
                return retry();
            })
        .poll_interval(often)
        .max_attempts(3)
        .dead_letter("failed");
    broker.start();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::dead_letter)) << recorder->troubles();
    broker.stop();
    EXPECT_EQ(attempts, (std::vector<int>{1, 2, 3}));
    EXPECT_EQ(count("queue = 'failed' AND locked_until IS NULL AND payload = '\"keep\"'"), 1);
}

TEST_P(Attempts, of_one_move_the_row_on_its_first_failure) {
    add({.id = 1});
    Broker broker = this->broker();
    broker
        .subscribe(
            jobs(), "q", [](const std::string&) -> Outcome { throw std::runtime_error("no"); })
        .poll_interval(often)
        .max_attempts(1)
        .dead_letter("failed");
    broker.start();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::dead_letter));
    EXPECT_EQ(count("queue = 'failed'"), 1);
    EXPECT_EQ(recorder->count(Event::Kind::started), 1U);
    const auto failed = recorder->all(Event::Kind::failed);
    ASSERT_EQ(failed.size(), 1U);
    EXPECT_EQ(failed[0].outcome, dead_letter());
}

TEST_P(Attempts, used_up_do_not_stop_an_ack) {
    add({.id = 1, .attempt = 3});
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", [](const std::string&) {})
        .poll_interval(often)
        .max_attempts(3)
        .dead_letter("failed");
    broker.start();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::ack));
    EXPECT_EQ(count(), 0);
}

TEST_P(Attempts, are_counted_for_rows_that_do_not_decode) {
    add({.id = 1, .payload = "{"});
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", [](const nlohmann::json&) {})
        .poll_interval(often)
        .max_attempts(2)
        .dead_letter("failed")
        .on_undecodable(retry());
    broker.start();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::dead_letter)) << recorder->troubles();
    EXPECT_EQ(recorder->count(Event::Kind::undecodable), 2U);
    EXPECT_EQ(count("queue = 'failed'"), 1);
}

class AttemptsSpentByClaims : public Attempts {};

ROWQ_CASES(AttemptsSpentByClaims, cases_where([](const Case& c) {
               return c.form != Form::row_lock;
           }));

// A row that kills its process never gets to ask for a retry.
TEST_P(AttemptsSpentByClaims, above_the_cap_move_the_row_without_running_it) {
    add({.id = 1, .attempt = 3});
    add({.id = 2});
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", [](const std::string&) {})
        .poll_interval(often)
        .max_attempts(2)
        .dead_letter("failed");
    broker.start();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::ack)) << recorder->troubles();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::dead_letter)) << recorder->troubles();
    EXPECT_EQ(count("queue = 'failed' AND id = 1"), 1);
    const auto started = recorder->all(Event::Kind::started);
    ASSERT_EQ(started.size(), 1U);
    EXPECT_EQ(started[0].row, "2");
}

TEST_P(Attempts, of_a_handler_that_asks_for_the_dead_letter_need_not_be_used_up) {
    add({.id = 1});
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", [](const std::string&) { return dead_letter(); })
        .poll_interval(often)
        .max_attempts(9)
        .dead_letter("failed");
    broker.start();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::dead_letter));
    EXPECT_EQ(count("queue = 'failed' AND locked_until IS NULL"), 1);
}

TEST_P(Attempts, dead_letter_without_a_destination_is_an_error_and_a_retry) {
    add({.id = 1});
    Broker broker = this->broker();
    broker
        .subscribe(
            jobs(), "q",
            [](const std::string&, const Delivery& delivery) {
                return delivery.attempt() == 1 ? dead_letter() : ack();
            })
        .poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::ack)) << recorder->troubles();
    ASSERT_EQ(recorder->errors(ErrorCode::declaration).size(), 1U);
    EXPECT_EQ(recorder->errors(ErrorCode::declaration).front().row, "1");
}

TEST_P(Attempts, used_up_in_a_table_that_is_one_queue_move_the_row_to_another_table) {
    create_table(database(), "graveyard");
    add({.id = 7, .payload = "\"keep\"", .queue = "a", .priority = 4, .headers = R"({"h": 1})"});
    add({.id = 8, .queue = "b"});
    const Rows before = content("jobs");
    Broker broker = this->broker();
    broker.subscribe(jobs({.group = false}), [](const std::string&) { return retry(); })
        .poll_interval(often)
        .max_attempts(2)
        .dead_letter("graveyard");
    broker.start();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::dead_letter, 2)) << recorder->troubles();
    broker.stop();
    EXPECT_EQ(count(), 0);
    EXPECT_EQ(content("graveyard"), before);
    EXPECT_EQ(session().number("SELECT count(*) FROM graveyard WHERE locked_until IS NOT NULL"), 0);
    EXPECT_EQ(
        nlohmann::json::parse(session().one("SELECT headers FROM graveyard WHERE id = 7"))["h"], 1);
}

TEST_P(Attempts, a_dead_letter_that_cannot_be_written_moves_nothing) {
    create_table(database(), "graveyard");
    insert(session(), {.id = 1}, "graveyard");
    add({.id = 1, .payload = "\"keep\""});
    Broker broker = this->broker();
    broker.subscribe(jobs({.group = false}), [](const std::string&) { return dead_letter(); })
        .poll_interval(often)
        .max_attempts(5)
        .dead_letter("graveyard");
    broker.start();
    ASSERT_TRUE(eventually_told(Event::Kind::error)) << recorder->troubles();
    broker.stop();
    EXPECT_EQ(recorder->all(Event::Kind::error).front().row, "1");
    EXPECT_EQ(count("payload = '\"keep\"'"), 1);
    EXPECT_EQ(session().number("SELECT count(*) FROM graveyard"), 1);
}

}} // namespace rowq::test
