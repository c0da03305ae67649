// Handlers that throw, and the policies that answer.
#include "support/matrix.hpp"

#include <algorithm>
#include <atomic>
#include <set>

namespace rowq::test { namespace {

using namespace std::chrono_literals;

class Failures : public QueueTest {
protected:
    [[nodiscard]] double rest() {
        return std::stod(session().one(
            "SELECT " + seconds_until(database(), "retry_after") + " FROM jobs WHERE id = 1"));
    }
};

ROWQ_EVERY_CASE(Failures);

TEST_P(Failures, are_told_and_retried_after_a_back_off_less_a_random_part) {
    insert_range(session(), 1, 20);
    Broker broker = this->broker();
    broker
        .subscribe(
            jobs(), "q", [](const std::string&) { throw std::runtime_error("mail server down"); })
        .poll_interval(often)
        .backoff(1h, 10h);
    broker.start();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::retry_after, 20)) << recorder->troubles();
    broker.stop();
    EXPECT_EQ(count("attempt = 2 AND locked_until IS NULL"), 20);
    std::set<std::int64_t> delays;
    for (const Told& told : recorder->all(Event::Kind::failed)) {
        EXPECT_EQ(told.text, "mail server down");
        ASSERT_TRUE(told.outcome);
        EXPECT_GE(told.outcome->delay(), 30min);
        EXPECT_LE(told.outcome->delay(), 60min);
        delays.insert(told.outcome->delay().count());
    }
    EXPECT_GT(delays.size(), 10U) << "rows that fail together must not come back together";
    EXPECT_GE(rest(), 1'600);
    EXPECT_LE(rest(), 3'600);
}

TEST_P(Failures, back_off_longer_each_time_up_to_the_longest) {
    add({.id = 1, .attempt = 3});
    add({.id = 2, .attempt = 100'000});
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", [](const std::string&) { throw std::runtime_error("no"); })
        .poll_interval(often)
        .backoff(1min, 1h);
    broker.start();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::retry_after, 2)) << recorder->troubles();
    for (const Told& told : recorder->all(Event::Kind::failed)) {
        const auto longest = told.row == "1" ? 4min : 60min;
        EXPECT_LE(told.outcome->delay(), longest) << told.row;
        EXPECT_GE(told.outcome->delay(), longest / 2) << told.row;
    }
}

TEST_P(Failures, come_back_at_once_where_the_table_has_no_delay) {
    add({.id = 1});
    std::atomic<int> runs{0};
    Broker broker = this->broker();
    broker
        .subscribe(
            jobs({.retry_after = false}), "q",
            [&](const std::string&) {
                if (++runs < 3) throw std::runtime_error("no");
            })
        .poll_interval(often);
    broker.start();
    EXPECT_TRUE(eventually_settled(Outcome::Kind::ack)) << recorder->troubles();
    EXPECT_EQ(runs, 3);
}

TEST_P(Failures, follow_the_policy_which_sees_error_and_delivery) {
    add({.id = 1, .attempt = 2});
    std::string seen;
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", [](const std::string&) { throw std::out_of_range("ping"); })
        .poll_interval(often)
        .on_failure([&](const std::exception& error, const Delivery& delivery) {
            seen = std::string(error.what()) + to_string(delivery.id()) + "/" +
                   std::to_string(delivery.attempt());
            return drop();
        });
    broker.start();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::drop)) << recorder->troubles();
    broker.stop();
    EXPECT_EQ(seen, "ping1/2");
    EXPECT_EQ(count(), 0);
}

TEST_P(Failures, of_the_policy_itself_fall_back_to_the_default) {
    add({.id = 1});
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", [](const std::string&) { throw std::runtime_error("first"); })
        .poll_interval(often)
        .backoff(1h, 1h)
        .on_failure([](const std::exception&, const Delivery&) -> Outcome {
            throw std::runtime_error("second");
        });
    broker.start();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::retry_after)) << recorder->troubles();
    EXPECT_GE(rest(), 1'600);
    bool warned = false;
    for (const Told& told : recorder->all(Event::Kind::warning))
        warned |= told.text.find("second") != std::string::npos;
    EXPECT_TRUE(warned);
}

TEST_P(Failures, of_the_policy_by_anything_at_all_fall_back_too) {
    add({.id = 1});
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", [](const std::string&) { throw std::runtime_error("first"); })
        .poll_interval(often)
        .backoff(1h, 1h)
        .on_failure([](const std::exception&, const Delivery&) -> Outcome { throw 42; });
    broker.start();
    EXPECT_TRUE(eventually_settled(Outcome::Kind::retry_after)) << recorder->troubles();
}

TEST_P(Failures, by_anything_at_all_are_failures) {
    add({.id = 1});
    add({.id = 2});
    Broker broker = this->broker();
    broker
        .subscribe(
            jobs(), "q",
            [](const std::string&, const Delivery& delivery) {
                if (to_string(delivery.id()) == "1") throw 42;
            })
        .poll_interval(often)
        .max_attempts(1)
        .dead_letter("failed");
    broker.start();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::ack)) << recorder->troubles();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::dead_letter)) << recorder->troubles();
    EXPECT_EQ(recorder->count(Event::Kind::failed), 1U);
}

TEST_P(Failures, of_any_length_and_content_are_cleaned_and_cut) {
    add({.id = 1});
    Broker broker = this->broker();
    broker
        .subscribe(
            jobs(), "q",
            [](const std::string&) {
                std::string text = "disk\nfull\x01\x1b[31m\xff\xfe";
                throw std::runtime_error(text + std::string(10'000'000, 'x'));
            })
        .poll_interval(often)
        .max_attempts(1)
        .dead_letter("failed");
    broker.start();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::dead_letter));
    const std::string text = recorder->all(Event::Kind::failed).at(0).text;
    EXPECT_LE(text.size(), 100'000U);
    EXPECT_TRUE(std::none_of(text.begin(), text.end(), [](char c) {
        return static_cast<unsigned char>(c) < ' ';
    })) << "control characters in a log line";
    EXPECT_EQ(text.substr(0, 4), "disk");
}

TEST_P(Failures, of_one_row_do_not_strand_the_others_of_its_claim) {
    insert_range(session(), 1, 10);
    Broker broker = this->broker();
    broker
        .subscribe(
            jobs(), "q",
            [](const std::string& payload) {
                if (payload == "4") throw std::runtime_error("no");
            })
        .workers(10)
        .poll_interval(often)
        .backoff(1h, 1h);
    broker.start();
    EXPECT_TRUE(eventually_settled(Outcome::Kind::ack, 9)) << recorder->troubles();
    EXPECT_TRUE(eventually_settled(Outcome::Kind::retry_after, 1));
    EXPECT_EQ(session().column("SELECT id FROM jobs"), std::vector<std::string>{"4"});
    EXPECT_EQ(count("locked_until IS NOT NULL"), 0);
}

}} // namespace rowq::test
