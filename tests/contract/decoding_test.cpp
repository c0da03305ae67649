// Rows that do not decode: every policy, always reported, never in the way.
#include "support/matrix.hpp"

#include <algorithm>
#include <mutex>

namespace rowq::test { namespace {

using namespace std::chrono_literals;

class Decoding : public QueueTest {
protected:
    // Row 1 cannot be read, row 2 can. Returns once both are settled.
    void run_bad_and_good(Broker& broker, Subscription subscription) {
        add({.id = 1, .payload = "{\"secret\":"});
        add({.id = 2, .payload = "{}"});
        subscription.poll_interval(often);
        broker.start();
        ASSERT_TRUE(eventually_told(Event::Kind::settled, 2)) << recorder->troubles();
        ASSERT_TRUE(eventually_settled(Outcome::Kind::ack));
        const auto told = recorder->all(Event::Kind::undecodable);
        ASSERT_GE(told.size(), 1U);
        EXPECT_EQ(told[0].row, "1");
        EXPECT_FALSE(told[0].text.empty());
    }
    [[nodiscard]] std::optional<Outcome> reported() const {
        return recorder->all(Event::Kind::undecodable).at(0).outcome;
    }

    static void ignore(const nlohmann::json&) {}
};

ROWQ_EVERY_CASE(Decoding);

TEST_P(Decoding, failures_go_to_the_dead_letter_where_there_is_one) {
    Broker broker = this->broker();
    auto subscription = broker.subscribe(jobs(), "q", ignore);
    run_bad_and_good(broker, subscription.max_attempts(5).dead_letter("failed"));
    EXPECT_EQ(
        session().column("SELECT id FROM jobs WHERE queue = 'failed'"),
        std::vector<std::string>{"1"});
    EXPECT_EQ(reported(), dead_letter());
}

TEST_P(Decoding, failures_are_delayed_where_the_table_can) {
    Broker broker = this->broker();
    auto subscription = broker.subscribe(jobs(), "q", ignore);
    run_bad_and_good(broker, subscription.backoff(1h, 2h));
    EXPECT_EQ(count("id = 1 AND queue = 'q' AND attempt = 2"), 1);
    const double left = std::stod(
        session().one("SELECT " + seconds_until(database(), "retry_after") + " FROM jobs"));
    EXPECT_GE(left, 1'700);
    EXPECT_LE(left, 3'600);
    ASSERT_TRUE(reported());
    EXPECT_EQ(reported()->kind(), Outcome::Kind::retry_after);
}

TEST_P(Decoding, failures_are_dropped_where_nothing_else_is_possible) {
    Broker broker = this->broker();
    run_bad_and_good(broker, broker.subscribe(jobs({.retry_after = false}), "q", ignore));
    EXPECT_EQ(count(), 0);
    EXPECT_EQ(reported(), drop());
}

TEST_P(Decoding, failures_follow_the_policy_that_was_given) {
    Broker broker = this->broker();
    auto subscription = broker.subscribe(jobs(), "q", ignore);
    run_bad_and_good(
        broker, subscription.max_attempts(5).dead_letter("failed").on_undecodable(drop()));
    EXPECT_EQ(count(), 0);
    EXPECT_EQ(reported(), drop());
}

TEST_P(Decoding, failures_may_be_retried_later_by_policy) {
    Broker broker = this->broker();
    auto subscription = broker.subscribe(jobs(), "q", ignore);
    run_bad_and_good(broker, subscription.on_undecodable(retry_after(1h)));
    EXPECT_EQ(count("id = 1 AND attempt = 2"), 1);
    EXPECT_EQ(recorder->count(Event::Kind::undecodable), 1U);
}

TEST_P(Decoding, a_null_payload_is_reported) {
    add({.id = 1});
    session().run("UPDATE jobs SET payload = NULL");
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", [](const std::string&) {})
        .poll_interval(often)
        .on_undecodable(drop());
    broker.start();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::drop)) << recorder->troubles();
    EXPECT_NE(recorder->all(Event::Kind::undecodable).at(0).text.find("NULL"), std::string::npos);
    EXPECT_EQ(recorder->all(Event::Kind::undecodable).at(0).row, "1");
}

TEST_P(Decoding, a_row_that_always_fails_leaves_the_others_alone) {
    add({.id = 1, .payload = "{"});
    insert_range(session(), 2, 30);
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", ignore)
        .workers(2)
        .poll_interval(often)
        .on_undecodable(retry_after(50ms));
    broker.start();
    EXPECT_TRUE(eventually([&] { return count("id > 1") == 0; })) << recorder->troubles();
    EXPECT_TRUE(eventually_told(Event::Kind::undecodable, 3));
    EXPECT_EQ(count("id = 1"), 1);
}

// Ids that are texts, in tables that may let in what no id can be.
class UndecodableIds : public QueueTest {
protected:
    void create(const std::string& id_rule = "") {
        const std::string time = postgres() ? "timestamptz" : "TEXT";
        session().run(
            "CREATE TABLE texts(id TEXT " + id_rule + " UNIQUE, locked_until " + time +
            ", account TEXT, payload TEXT NOT NULL)");
    }
    [[nodiscard]] rowq::Table<void> texts() const {
        auto table = rowq::table("texts").id("id").payload("payload");
        if (lease()) return table.locked_until("locked_until");
        if (advisory()) return table.lock_key("k-{account}");
        return table;
    }
    void add_text(const std::string& id) {
        session().run(
            "INSERT INTO texts(id, account, payload) VALUES(" + id +
            ", 'a' || (SELECT count(*) FROM texts), 'x')");
    }
};

ROWQ_EVERY_CASE(UndecodableIds);

TEST_P(UndecodableIds, are_skipped_reported_once_and_block_nothing) {
    create();
    // Sorts after texts, before which NULL sorts.
    if (!postgres())
        for (const char* id : {"x'00ff'", "CAST(x'ff41' AS TEXT)"}) add_text(id);
    for (int i = 0; i < 5; ++i) add_text("NULL");
    add_text("'a'");
    add_text("'b'");
    Broker broker = this->broker();
    broker.subscribe(texts(), [](const std::string&) {}).poll_interval(often);
    const auto refused = start_error(broker);
    if (refused) {
        EXPECT_EQ(refused->code(), ErrorCode::schema) << refused->what();
        EXPECT_NE(std::string(refused->what()).find("id"), std::string::npos);
        return; // refused at start: a queue that never starts is not blocked
    }
    ASSERT_TRUE(eventually_settled(Outcome::Kind::ack, 2)) << recorder->troubles();
    add_text("'c'");
    ASSERT_TRUE(eventually_settled(Outcome::Kind::ack, 3)) << recorder->troubles();
    broker.stop();
    EXPECT_EQ(session().number("SELECT count(*) FROM texts WHERE id IN ('a', 'b', 'c')"), 0);
    EXPECT_EQ(session().number("SELECT count(*) FROM texts"), postgres() ? 5 : 7);
    EXPECT_EQ(recorder->count(Event::Kind::undecodable), 1U) << recorder->troubles();
}

class UndecodableIdsOnSqlite : public UndecodableIds {};

ROWQ_CASES(UndecodableIdsOnSqlite, cases_of(Server::sqlite));

TEST_P(UndecodableIdsOnSqlite, are_not_waited_for_by_a_drain) {
    create();
    add_text("NULL");
    add_text("x'00'");
    add_text("'a'");
    Broker broker = this->broker();
    broker.subscribe(texts(), [](const std::string&) {}).poll_interval(often).drain();
    broker.run();
    EXPECT_EQ(recorder->settled(Outcome::Kind::ack), 1U) << recorder->troubles();
    EXPECT_EQ(session().number("SELECT count(*) FROM texts"), 2);
}

TEST_P(UndecodableIds, are_not_texts_of_any_content) {
    create("NOT NULL");
    const std::vector<std::string> ids{"''", "' '", "'0017'", "'a''b'", "'Zoë'", "'1e3'"};
    for (const std::string& id : ids) add_text(id);
    std::mutex mutex;
    std::vector<std::string> seen;
    Broker broker = this->broker();
    broker
        .subscribe(
            texts(),
            [&](const std::string&, const Delivery& delivery) {
                const std::lock_guard lock(mutex);
                seen.push_back(std::get<std::string>(delivery.id()));
            })
        .poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::ack, ids.size())) << recorder->troubles();
    broker.stop();
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, (std::vector<std::string>{"", " ", "0017", "1e3", "Zoë", "a'b"}));
    EXPECT_EQ(session().number("SELECT count(*) FROM texts"), 0);
}

}} // namespace rowq::test
