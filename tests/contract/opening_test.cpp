// The checks between a subscription and its first claim, and what each says.
#include "support/matrix.hpp"

#include <string_view>

namespace rowq::test { namespace {

using namespace std::chrono_literals;

class Opening : public QueueTest {
protected:
    static void ignore(const std::string&) {}

    [[nodiscard]] static bool says(const Error& error, std::string_view text) {
        return std::string_view(error.what()).find(text) != std::string_view::npos;
    }

    // The error with which a subscription of this table is refused at start.
    [[nodiscard]] std::optional<Error> refused(
        const rowq::Table<void>& table,
        const std::function<void(Subscription&)>& options = [](Subscription&) {}) {
        Broker broker = this->broker();
        auto subscription = broker.subscribe(table, "q", ignore);
        options(subscription);
        return start_error(broker);
    }

    [[nodiscard]] std::vector<std::string> warnings(const rowq::Table<void>& table) {
        Broker broker = this->broker();
        broker.subscribe(table, "q", ignore);
        broker.start();
        std::vector<std::string> texts;
        for (const Told& told : recorder->all(Event::Kind::warning)) texts.push_back(told.text);
        return texts;
    }
};

ROWQ_EVERY_CASE(Opening);

TEST_P(Opening, a_described_table_is_told_as_opened) {
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", ignore);
    broker.start();
    const auto opened = recorder->all(Event::Kind::opened);
    ASSERT_EQ(opened.size(), 1U);
    EXPECT_EQ(opened[0].table, "jobs");
    EXPECT_EQ(opened[0].subscription, "q");
    EXPECT_EQ(recorder->count(Event::Kind::warning), 0U)
        << recorder->all(Event::Kind::warning)[0].text;
}

TEST_P(Opening, a_missing_table_is_named) {
    const auto error = refused(describe(form(), {}, "jbos"));
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::schema);
    EXPECT_EQ(error->table(), "jbos");
    EXPECT_EQ(error->subscription(), "q");
    EXPECT_TRUE(says(*error, "jbos")) << error->what();
}

TEST_P(Opening, a_failed_start_leaves_a_broker_that_can_be_started_again) {
    Broker broker = this->broker();
    broker.subscribe(describe(form(), {}, "later"), "q", ignore).poll_interval(often);
    ASSERT_TRUE(start_error(broker));
    create_table(database(), "later");
    insert(session(), {.id = 1}, "later");
    EXPECT_FALSE(start_error(broker));
    EXPECT_TRUE(eventually_settled(Outcome::Kind::ack)) << recorder->troubles();
}

TEST_P(Opening, the_second_subscription_that_fails_keeps_the_first_from_starting) {
    add({.id = 1});
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", ignore).poll_interval(often);
    broker.subscribe(describe(form(), {}, "jbos"), "q", ignore);
    ASSERT_TRUE(start_error(broker));
    EXPECT_EQ(recorder->count(Event::Kind::claimed), 0U);
    EXPECT_EQ(count(), 1);
}

TEST_P(Opening, a_missing_column_is_named_with_its_role) {
    session().run("ALTER TABLE jobs RENAME COLUMN attempt TO tries");
    const auto error = refused(jobs());
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::schema);
    EXPECT_TRUE(says(*error, "attempt")) << error->what();
    EXPECT_TRUE(says(*error, "jobs")) << error->what();
}

class OpeningWithKeys : public Opening {};

ROWQ_CASES(OpeningWithKeys, cases_of(Form::advisory));

TEST_P(OpeningWithKeys, a_column_of_the_lock_key_that_is_missing_is_named) {
    session().run("ALTER TABLE jobs RENAME COLUMN account TO konto");
    const auto error = refused(jobs());
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::schema);
    EXPECT_TRUE(says(*error, "account")) << error->what();
}

TEST_P(Opening, columns_of_the_wrong_type_are_all_named) {
    session().run(
        postgres() ? "ALTER TABLE jobs DROP COLUMN priority; ALTER TABLE jobs ADD COLUMN priority "
                     "text; ALTER TABLE jobs DROP COLUMN retry_after; ALTER TABLE jobs ADD COLUMN "
                     "retry_after integer"
                   : "DROP INDEX jobs_claim; ALTER TABLE jobs DROP COLUMN priority; ALTER TABLE "
                     "jobs ADD COLUMN priority TEXT; ALTER TABLE jobs DROP COLUMN retry_after; "
                     "ALTER TABLE jobs ADD COLUMN retry_after INTEGER");
    const auto error = refused(jobs());
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::schema);
    EXPECT_TRUE(says(*error, "priority")) << error->what();
    EXPECT_TRUE(says(*error, "retry_after")) << error->what();
}

class OpeningOnPostgres : public Opening {};

ROWQ_CASES(OpeningOnPostgres, cases_of(Server::postgres));

TEST_P(OpeningOnPostgres, a_name_that_is_too_long_is_refused_before_any_statement) {
    const std::string longest(63, 'n');
    session().run("CREATE TABLE " + longest + " (LIKE jobs INCLUDING ALL)");
    EXPECT_FALSE(refused(describe(form(), {}, longest)));
    const auto error = refused(describe(form(), {}, longest + "n"));
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::declaration);
    EXPECT_TRUE(says(*error, "63")) << error->what();
}

TEST_P(Opening, without_an_index_for_the_claim_order_a_warning_prints_one) {
    session().run("DROP INDEX jobs_claim");
    const auto before = warnings(jobs());
    ASSERT_EQ(before.size(), 1U);
    const auto ddl = before[0].find("CREATE INDEX");
    ASSERT_NE(ddl, std::string::npos) << before[0];
    session().run(before[0].substr(ddl));
    recorder = std::make_shared<Recorder>();
    EXPECT_TRUE(warnings(jobs()).empty());
}

TEST_P(Opening, names_keep_their_case_and_may_be_anything) {
    session().run("ALTER TABLE jobs RENAME TO \"Order \"\"x\"\" select\"");
    session().run("ALTER TABLE \"Order \"\"x\"\" select\" RENAME COLUMN payload TO \"From\"");
    auto table =
        rowq::table("Order \"x\" select").id("id", generated).group("queue").payload("From");
    if (lease()) table = table.locked_until("locked_until");
    if (advisory()) table = table.lock_key("{account}");
    Broker broker = this->broker();
    broker.subscribe(table, "q", ignore).poll_interval(often);
    Publisher<std::string> publisher(broker, table, "q");
    static_cast<void>(publisher.push("x"));
    broker.start();
    EXPECT_TRUE(eventually_settled(Outcome::Kind::ack)) << recorder->troubles();
}

TEST_P(Opening, a_schema_may_be_named) {
    const std::string schema = postgres() ? "public" : "main";
    Broker broker = this->broker();
    add({.id = 1});
    broker.subscribe(describe(form(), {}, schema + ".jobs"), "q", ignore).poll_interval(often);
    broker.start();
    EXPECT_TRUE(eventually_settled(Outcome::Kind::ack)) << recorder->troubles();
    EXPECT_EQ(recorder->count(Event::Kind::warning), 0U);
}

struct WrongOptions {
    const char* says;
    std::function<void(Subscription&)> set;
    Roles roles = {};
};

TEST_P(Opening, options_that_cannot_work_are_refused_with_their_reason) {
    const std::vector<WrongOptions> wrong{
        {"max_attempts", [](Subscription& s) { s.dead_letter("failed"); }},
        {"dead_letter", [](Subscription& s) { s.max_attempts(3); }},
        {"attempt column",
         [](Subscription& s) { s.max_attempts(3).dead_letter("failed"); },
         {.attempt = false}},
        {"at least 1", [](Subscription& s) { s.max_attempts(0).dead_letter("failed"); }},
        {"itself", [](Subscription& s) { s.max_attempts(3).dead_letter("q"); }},
        {"worker", [](Subscription& s) { s.workers(0); }},
        {"poll interval", [](Subscription& s) { s.poll_interval(0ms); }},
        {"back-off", [](Subscription& s) { s.backoff(10s, 1s); }},
        {"lease", [](Subscription& s) { s.lease(999ms); }}};
    for (const WrongOptions& each : wrong) {
        const auto error = refused(jobs(each.roles), each.set);
        ASSERT_TRUE(error) << each.says;
        EXPECT_EQ(error->code(), ErrorCode::declaration) << error->what();
        EXPECT_TRUE(says(*error, each.says)) << error->what();
        EXPECT_TRUE(says(*error, "jobs")) << error->what();
    }
}

TEST_P(Opening, a_dead_letter_table_that_is_missing_is_refused) {
    Broker broker = this->broker();
    broker.subscribe(jobs({.group = false}), ignore).max_attempts(3).dead_letter("graveyard");
    const auto error = start_error(broker);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::schema);
    EXPECT_TRUE(says(*error, "graveyard")) << error->what();
}

TEST_P(Opening, a_queue_has_one_subscription_in_a_broker) {
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", ignore);
    broker.subscribe(jobs(), "other", ignore);
    const auto error = error_of([&] { broker.subscribe(jobs(), "q", ignore); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::already_subscribed);
    EXPECT_FALSE(start_error(broker));
}

TEST_P(Opening, a_group_is_named_exactly_where_the_table_has_groups) {
    Broker broker = this->broker();
    const auto without = error_of([&] { broker.subscribe(jobs(), ignore); });
    ASSERT_TRUE(without);
    EXPECT_EQ(without->code(), ErrorCode::declaration);
    const auto with = error_of([&] { broker.subscribe(jobs({.group = false}), "q", ignore); });
    ASSERT_TRUE(with);
    EXPECT_EQ(with->code(), ErrorCode::declaration);
}

TEST_P(Opening, comes_before_the_start_and_happens_once) {
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", ignore);
    broker.start();
    for (const auto& error :
         {error_of([&] { broker.subscribe(jobs(), "other", ignore); }), start_error(broker)}) {
        ASSERT_TRUE(error);
        EXPECT_EQ(error->code(), ErrorCode::closed);
    }
    broker.stop();
    const auto error = start_error(broker);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::closed);
}

// Ahead of the real one, or behind.
class SkewedClock final : public Clock {
public:
    explicit SkewedClock(std::chrono::microseconds by) : by_(by) {}
    [[nodiscard]] Timestamp now() const override { return Clock::now() + by_; }

private:
    std::chrono::microseconds by_;
};

TEST_P(Opening, a_host_clock_that_is_off_is_refused_in_the_lease_form) {
    for (const auto skew : {std::chrono::minutes(10), std::chrono::minutes(-10)}) {
        Broker broker(database().url(), options().clock(std::make_shared<const SkewedClock>(skew)));
        broker.subscribe(jobs(), "q", ignore);
        const auto error = start_error(broker);
        if (!lease() ||
            !postgres()) { // host and database are one, or nothing compares their clocks
            EXPECT_FALSE(error) << error->what();
            continue;
        }
        ASSERT_TRUE(error);
        EXPECT_TRUE(says(*error, "clock")) << error->what();
        EXPECT_TRUE(says(*error, skew > 0min ? "ahead" : "behind")) << error->what();
    }
}

TEST_P(Opening, a_clock_that_is_off_by_less_than_a_quarter_lease_is_fine) {
    Broker broker(
        database().url(),
        options().lease(60s).clock(std::make_shared<const SkewedClock>(std::chrono::seconds(5))));
    broker.subscribe(jobs(), "q", ignore);
    EXPECT_FALSE(start_error(broker));
}

}} // namespace rowq::test
