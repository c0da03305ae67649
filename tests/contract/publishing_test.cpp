// Rows into queues: all of a call or none, ids exact, headers checked.
#include "support/matrix.hpp"

#include <set>

namespace rowq::test { namespace {

using namespace std::chrono_literals;

// A publisher knows no form, so one is enough.
class Publishing : public QueueTest {
protected:
    void SetUp() override {
        QueueTest::SetUp();
        if (!IsSkipped() && !HasFatalFailure()) broker_.emplace(broker());
    }
    [[nodiscard]] Broker& open() { return *broker_; }
    [[nodiscard]] Publisher<std::string> texts(const Roles& roles = {}) {
        return Publisher<std::string>(open(), jobs(roles), roles.group ? "q" : "");
    }

private:
    std::optional<Broker> broker_;
};

ROWQ_CASES(Publishing, cases_of(Form::lease));

TEST_P(Publishing, writes_a_row_that_is_due_and_returns_its_id) {
    const Id id = texts().push("work");
    const Rows rows = session().rows(
        "SELECT id, queue, priority, attempt, locked_until, headers, payload FROM jobs");
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(
        rows[0], (std::vector<std::string>{to_string(id), "q", "0", "1", "NULL", "{}", "work"}));
    const double due = std::stod(
        session().one("SELECT " + seconds_until(database(), "retry_after") + " FROM jobs"));
    EXPECT_LE(due, 0.1);
    EXPECT_GE(due, -60);
}

TEST_P(Publishing, takes_delay_priority_and_headers) {
    static_cast<void>(texts().push(
        "x", PushOptions().delay(1h).priority(-7).headers(R"({"trace": "ü", "n": [1, null]})")));
    EXPECT_EQ(session().one("SELECT priority FROM jobs"), "-7");
    const auto headers = nlohmann::json::parse(session().one("SELECT headers FROM jobs"));
    EXPECT_EQ(headers, nlohmann::json::parse(R"({"trace": "ü", "n": [1, null]})"));
    const double due = std::stod(
        session().one("SELECT " + seconds_until(database(), "retry_after") + " FROM jobs"));
    EXPECT_GE(due, 3'480);
    EXPECT_LE(due, 3'601) << "SQLite's days as numbers are not exact";
}

TEST_P(Publishing, many_rows_returns_their_ids_in_order) {
    std::vector<std::string> jobs;
    for (int i = 0; i < 500; ++i) jobs.push_back(std::to_string(i));
    const auto ids = texts().push_many(jobs);
    ASSERT_EQ(ids.size(), jobs.size());
    for (std::size_t i : {0U, 1U, 250U, 499U})
        EXPECT_EQ(
            session().one("SELECT payload FROM jobs WHERE id = " + to_string(ids[i])), jobs[i]);
    EXPECT_EQ(std::set<Id>(ids.begin(), ids.end()).size(), ids.size());
}

TEST_P(Publishing, nothing_returns_nothing) {
    EXPECT_TRUE(texts().push_many({}).empty());
    EXPECT_EQ(count(), 0);
}

TEST_P(Publishing, writes_all_of_a_call_or_none) {
    session().run(
        postgres() ? "ALTER TABLE jobs ADD CHECK (payload <> 'bad')"
                   : "CREATE TRIGGER check_payload BEFORE INSERT ON jobs WHEN new.payload = 'bad' "
                     "BEGIN SELECT RAISE(ABORT, 'no bad ones'); END");
    std::vector<std::string> jobs(100, "good");
    jobs[57] = "bad";
    const auto error = error_of([&] { static_cast<void>(texts().push_many(jobs)); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::publish);
    EXPECT_EQ(error->table(), "jobs");
    EXPECT_FALSE(error->server_text().empty());
    EXPECT_EQ(count(), 0);
    jobs[57] = "good";
    EXPECT_EQ(texts().push_many(jobs).size(), 100U);
}

TEST_P(Publishing, twenty_thousand_rows_in_one_call_is_all_or_nothing) {
    const auto rows = static_cast<std::size_t>(scaled(20'000));
    const std::vector<std::string> jobs(rows, std::string(200, 'x'));
    EXPECT_EQ(texts().push_many(jobs).size(), rows);
    EXPECT_EQ(count(), static_cast<long long>(rows));
}

TEST_P(Publishing, keeps_ids_exact_beyond_what_a_double_holds) {
    const std::string last = "9007199254740992"; // 2^53
    session().run(
        postgres() ? "ALTER TABLE jobs ALTER COLUMN id RESTART WITH 9007199254740993"
                   : "INSERT INTO jobs(id, payload) VALUES(" + last + ", 'x'); DELETE FROM jobs");
    const Id id = texts().push("x");
    EXPECT_EQ(id, Id{std::int64_t{9007199254740993}});
    EXPECT_EQ(session().one("SELECT id FROM jobs"), "9007199254740993");
    std::string claimed;
    Broker broker = this->broker();
    broker
        .subscribe(
            jobs(), "q",
            [&](const std::string&, const Delivery& delivery) {
                claimed = to_string(delivery.id());
            })
        .poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::ack)) << recorder->troubles();
    EXPECT_EQ(claimed, "9007199254740993");
    EXPECT_EQ(recorder->all(Event::Kind::settled)[0].row, "9007199254740993");
    EXPECT_EQ(count(), 0);
}

TEST_P(Publishing, refuses_headers_that_are_no_json_object) {
    for (const std::string headers : {"", "x", "[1]", "null", "3", "{", "{} {}", "{\"a\":}"}) {
        const auto error =
            error_of([&] { static_cast<void>(texts().push("x", PushOptions().headers(headers))); });
        ASSERT_TRUE(error) << headers;
        EXPECT_EQ(error->code(), ErrorCode::header) << error->what();
    }
    EXPECT_EQ(count(), 0);
}

TEST_P(Publishing, refuses_what_the_table_has_no_column_for) {
    const Roles none{.priority = false, .retry_after = false, .attempt = false, .headers = false};
    for (const auto& options :
         {PushOptions().delay(1s), PushOptions().priority(1), PushOptions().headers("{}")}) {
        const auto error = error_of([&] { static_cast<void>(texts(none).push("x", options)); });
        ASSERT_TRUE(error);
        EXPECT_EQ(error->code(), ErrorCode::declaration);
    }
    const Id id = texts(none).push("x");
    EXPECT_EQ(session().one("SELECT id FROM jobs"), to_string(id));
}

TEST_P(Publishing, names_a_group_exactly_where_the_table_has_groups) {
    for (const auto& make : std::vector<std::function<void()>>{
             [&] { Publisher<std::string>(open(), jobs()); },
             [&] { Publisher<std::string>(open(), jobs({.group = false}), "q"); }}) {
        const auto error = error_of(make);
        ASSERT_TRUE(error);
        EXPECT_EQ(error->code(), ErrorCode::declaration);
    }
    static_cast<void>(texts({.group = false}).push("x"));
    EXPECT_EQ(session().one("SELECT queue FROM jobs"), "q") << "the column's default";
}

TEST_P(Publishing, into_a_table_that_is_missing_fails_by_name) {
    Publisher<std::string> publisher(open(), describe(form(), {}, "jbos"), "q");
    const auto error = error_of([&] { static_cast<void>(publisher.push("x")); });
    ASSERT_TRUE(error);
    EXPECT_NE(std::string(error->what()).find("jbos"), std::string::npos) << error->what();
}

TEST_P(Publishing, a_zero_byte_is_refused_or_kept) {
    const std::string text = std::string("a\0b", 3) + "\"'\\";
    const auto error = error_of([&] { static_cast<void>(texts().push(text)); });
    if (error) {
        EXPECT_EQ(error->code(), ErrorCode::publish) << error->what();
        EXPECT_EQ(count(), 0);
        return;
    }
    std::string seen;
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", [&](const std::string& payload) { seen = payload; })
        .poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::ack)) << recorder->troubles();
    EXPECT_EQ(seen, text);
}

class PublishingToPostgres : public Publishing {};

ROWQ_CASES(PublishingToPostgres, cases_where([](const Case& c) {
               return c.server == Server::postgres && c.form == Form::lease;
           }));

TEST_P(PublishingToPostgres, json_the_column_cannot_hold_is_refused_or_kept) {
    create_table(database(), "documents", "jsonb");
    Publisher<std::string> publisher(open(), describe(form(), {}, "documents"), "q");
    for (const std::string json : {R"({"a": "\u0000"})", R"({"a": "\ud800"})", R"({"a":)"}) {
        const auto error = error_of([&] { static_cast<void>(publisher.push(json)); });
        ASSERT_TRUE(error) << json;
        EXPECT_EQ(error->code(), ErrorCode::publish) << error->what();
        EXPECT_EQ(std::string(error->what()).find("\"a\""), std::string::npos)
            << "payloads stay out of messages: " << error->what();
    }
    static_cast<void>(publisher.push(R"({"a": "\u00e4"})"));
    EXPECT_EQ(session().one("SELECT payload ->> 'a' FROM documents"), "ä");
}

TEST_P(Publishing, from_many_threads_loses_nothing) {
    Publisher<std::string> publisher = texts();
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 8; ++t) {
            threads.emplace_back([&] {
                for (int i = 0; i < 25; ++i) static_cast<void>(publisher.push("x"));
            });
        }
    }
    EXPECT_EQ(count(), 200);
}

}} // namespace rowq::test
