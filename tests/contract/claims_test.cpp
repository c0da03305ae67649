// Which rows are claimed, in what order, and never more than are asked for.
#include "support/matrix.hpp"

#include <algorithm>
#include <mutex>
#include <set>

namespace rowq::test { namespace {

using namespace std::chrono_literals;

class Claims : public QueueTest {
protected:
    // Runs until every due row of the queue is acked; their ids in the order in which handlers got them.
    std::vector<std::string> run_all(const rowq::Table<void>& table, std::size_t expected) {
        std::mutex mutex;
        std::vector<std::string> ids;
        Broker broker = this->broker();
        broker
            .subscribe(
                table, "q",
                [&](const std::string&, const Delivery& delivery) {
                    const std::lock_guard lock(mutex);
                    ids.push_back(to_string(delivery.id()));
                })
            .poll_interval(often);
        broker.start();
        EXPECT_TRUE(eventually_settled(Outcome::Kind::ack, expected)) << recorder->troubles();
        // One more claim, which must find nothing.
        const std::size_t waited = recorder->count(Event::Kind::waiting);
        EXPECT_TRUE(eventually_told(Event::Kind::waiting, waited + 1));
        broker.stop();
        return ids;
    }
};

ROWQ_EVERY_CASE(Claims);

TEST_P(Claims, come_by_priority_then_due_instant_then_id) {
    add({.id = 1, .priority = 2, .due = "2020-01-01 00:00:00.000001"});
    add({.id = 2, .priority = -1, .due = "2020-01-03 00:00:00.000000"});
    add({.id = 3, .priority = -1, .due = "2020-01-02 00:00:00.000000"});
    add({.id = 10, .priority = 2, .due = "2020-01-01 00:00:00.000000"});
    add({.id = 9, .priority = 2, .due = "2020-01-01 00:00:00.000000"});
    add({.id = 4, .priority = 0});
    const std::vector<std::string> expected{"3", "2", "4", "9", "10", "1"};
    EXPECT_EQ(run_all(jobs(), 6), expected);
}

TEST_P(Claims, come_by_id_alone_where_no_other_role_orders_them) {
    add({.id = 3, .priority = 0});
    add({.id = 1, .priority = 9});
    add({.id = 2, .priority = 5});
    const Roles roles{.priority = false, .retry_after = false};
    EXPECT_EQ(run_all(jobs(roles), 3), (std::vector<std::string>{"1", "2", "3"}));
}

TEST_P(Claims, leave_rows_that_are_not_claimable) {
    add({.id = 1, .queue = "other"});
    add({.id = 2, .due = far_future});
    add({.id = 3});
    session().run("UPDATE jobs SET processed_at = '2020-01-01 00:00:00.000000' WHERE id = 3");
    add({.id = 4});
    add({.id = 5});
    session().run(
        "UPDATE jobs SET locked_until = " + instant_from_now(database(), 3'600) + " WHERE id = 5");
    std::vector<std::string> expected{"4"};
    if (!lease()) expected.emplace_back("5"); // the column plays no role there
    EXPECT_EQ(run_all(jobs({.processed_at = true}), expected.size()), expected);
    EXPECT_EQ(session().column("SELECT id FROM jobs WHERE id < 4 ORDER BY id").size(), 3U);
    EXPECT_EQ(count("attempt <> 1 AND id < 4"), 0);
}

TEST_P(Claims, take_a_row_whose_lease_has_ended) {
    add({.id = 1, .attempt = 2});
    session().run("UPDATE jobs SET locked_until = '2020-01-01 00:00:00.000000'");
    EXPECT_EQ(run_all(jobs(), 1), (std::vector<std::string>{"1"}));
}

TEST_P(Claims, of_a_table_that_is_one_queue_take_every_group) {
    add({.id = 1, .queue = "a"});
    add({.id = 2, .queue = "b"});
    Broker broker = this->broker();
    std::atomic<int> runs{0};
    broker.subscribe(jobs({.group = false}), [&](const std::string&) { ++runs; })
        .poll_interval(often);
    broker.start();
    EXPECT_TRUE(eventually([&] { return count() == 0; }));
    EXPECT_EQ(runs, 2);
}

TEST_P(Claims, start_a_delayed_row_when_it_is_due) {
    session().run(
        "INSERT INTO jobs(id, retry_after, payload) VALUES(1, " +
        instant_from_now(database(), 1.5) + ", 'x')");
    Timestamp started{};
    const auto due = std::chrono::system_clock::now();
    Broker broker = this->broker();
    broker
        .subscribe(
            jobs(), "q",
            [&](const std::string&) {
                started =
                    std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
            })
        .poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::ack));
    broker.stop();
    EXPECT_GE(started - due, 1'300ms); // 1.5 s less what the insert took
}

TEST_P(Claims, hold_no_more_rows_than_there_are_workers) {
    insert_range(session(), 1, 200);
    Gate gate;
    std::mutex mutex;
    std::set<std::string> running;
    Broker broker = this->broker();
    broker
        .subscribe(
            jobs(), "q",
            [&](const std::string&, const Delivery& delivery) {
                {
                    const std::lock_guard lock(mutex);
                    running.insert(to_string(delivery.id()));
                }
                gate.wait();
            })
        .workers(10)
        .poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually([&] {
        const std::lock_guard lock(mutex);
        return running.size() == 10;
    })) << recorder->troubles();
    std::size_t claimed = 0;
    for (const Told& told : recorder->all(Event::Kind::claimed)) claimed += told.count;
    EXPECT_EQ(claimed, 10U);
    if (lease()) {
        EXPECT_EQ(count("locked_until IS NOT NULL"), 10);
    }
    if (advisory()) {
        EXPECT_EQ(count("attempt = 2"), 10);
    }
    if (row_lock() && postgres()) {
        EXPECT_EQ(session().column("SELECT id FROM jobs FOR UPDATE SKIP LOCKED").size(), 190U);
    }
    {
        const std::lock_guard lock(mutex);
        for (int id = 1; id <= 10; ++id) EXPECT_TRUE(running.contains(std::to_string(id))) << id;
    }
    gate.open();
}

TEST_P(Claims, report_the_attempt_as_it_stood_before) {
    add({.id = 1, .attempt = 1});
    add({.id = 2, .attempt = 4});
    session().run(
        "INSERT INTO jobs(id, retry_after, payload) VALUES(3, '2020-01-01 00:00:00.000000', 'x')");
    std::mutex mutex;
    std::vector<int> attempts;
    Broker broker = this->broker();
    broker
        .subscribe(
            jobs(), "q",
            [&](const std::string&, const Delivery& delivery) {
                const std::lock_guard lock(mutex);
                attempts.push_back(delivery.attempt());
            })
        .poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::ack, 3));
    broker.stop();
    EXPECT_EQ(attempts, (std::vector<int>{1, 4, 1}));
}

TEST_P(Claims, report_group_headers_and_payload) {
    add({.id = 7, .payload = "\"ä, 'q' and \\\\\"", .headers = R"({"trace": "a b"})"});
    std::string payload;
    std::string group;
    std::string headers;
    Broker broker = this->broker();
    broker
        .subscribe(
            jobs(), "q",
            [&](const std::string& text, const Delivery& delivery) {
                payload = text;
                group = delivery.group();
                headers = delivery.headers();
            })
        .poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::ack));
    broker.stop();
    EXPECT_EQ(payload, "\"ä, 'q' and \\\\\"");
    EXPECT_EQ(group, "q");
    EXPECT_EQ(nlohmann::json::parse(headers)["trace"], "a b");
}

TEST_P(Claims, without_the_roles_report_no_attempt_and_empty_headers) {
    add({.id = 1});
    int attempt = -1;
    std::string headers;
    Broker broker = this->broker();
    broker
        .subscribe(
            jobs({.attempt = false, .headers = false}), "q",
            [&](const std::string&, const Delivery& delivery) {
                attempt = delivery.attempt();
                headers = delivery.headers();
            })
        .poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::ack));
    broker.stop();
    EXPECT_EQ(attempt, 0);
    EXPECT_EQ(headers, "{}");
}

TEST_P(Claims, of_two_brokers_never_meet_in_a_row) {
    const int rows = scaled(1'000);
    insert_range(session(), 1, rows);
    std::mutex mutex;
    std::multiset<std::string> runs;
    const auto handler = [&](const std::string& payload) {
        const std::lock_guard lock(mutex);
        runs.insert(payload);
    };
    Broker first = broker();
    Broker second = broker();
    for (Broker* broker : {&first, &second})
        broker->subscribe(jobs(), "q", handler).workers(4).poll_interval(often);
    first.start();
    second.start();
    EXPECT_TRUE(eventually([&] { return count() == 0; })) << recorder->troubles();
    first.stop();
    second.stop();
    EXPECT_EQ(runs.size(), static_cast<std::size_t>(rows));
    EXPECT_EQ(std::set<std::string>(runs.begin(), runs.end()).size(), runs.size());
    EXPECT_EQ(recorder->troubles(), "");
}

}} // namespace rowq::test
