// The PostgreSQL driver: round trips, frames, refusals.
#include "support/postgres_driver.hpp"

#if ROWQ_WITH_POSTGRES

#include "support/eventually.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace rowq::test { namespace {

using namespace std::chrono_literals;
using namespace detail::db;

class PostgresDriver : public PostgresDriverTest {};

TEST_F(PostgresDriver, the_session_is_set_up) {
    const auto setting = [&](const std::string& name) {
        return std::get<std::string>(run("SELECT current_setting($1)", {name}).at(0, 0));
    };
    EXPECT_EQ(setting("TimeZone"), "UTC");
    EXPECT_EQ(setting("client_encoding"), "UTF8");
    EXPECT_EQ(setting("standard_conforming_strings"), "on");
    EXPECT_EQ(setting("default_transaction_isolation"), "read committed");
    EXPECT_EQ(setting("application_name"), "rowq");
    EXPECT_EQ(setting("DateStyle").substr(0, 3), "ISO");
    EXPECT_GE(session().socket(), 0);

    const auto server = database->server();
    EXPECT_EQ(server.kind, Kind::postgres);
    EXPECT_EQ(
        std::to_string(server.major * 10'000 + server.minor),
        beside().one("SHOW server_version_num"));
    EXPECT_EQ(server.version, beside().one("SHOW server_version"));
}

TEST_F(PostgresDriver, notices_do_not_reach_stderr) {
    testing::internal::CaptureStderr();
    run("DROP TABLE IF EXISTS nothing_here");
    const auto out = testing::internal::GetCapturedStderr();
    EXPECT_EQ(out, "");
}

TEST_F(PostgresDriver, a_run_gives_a_result_for_each_call) {
    beside().run("CREATE TABLE t(id int PRIMARY KEY, v text)");
    const std::array calls{
        call("INSERT INTO t VALUES(1, $1), (2, $1)", {std::string("x")}),
        call("SELECT id, v FROM t ORDER BY id"),
        call("SELECT id FROM t WHERE id > $1", {std::int64_t{5}}),
        call("UPDATE t SET v = 'y' WHERE id = 1 RETURNING v"),
        call("DELETE FROM t"),
        call("SET LOCAL work_mem = '1MB'"),
    };
    const auto results = session().run(calls);
    ASSERT_EQ(results.size(), 6U);
    EXPECT_EQ(results[0].affected, 2);
    EXPECT_EQ(results[0].columns, 0U);
    EXPECT_EQ(results[0].rows(), 0U);
    ASSERT_EQ(results[1].rows(), 2U);
    EXPECT_EQ(results[1].at(1, 0), Value{std::int64_t{2}});
    EXPECT_EQ(results[1].at(1, 1), Value{std::string("x")});
    EXPECT_EQ(results[2].columns, 1U);
    EXPECT_EQ(results[2].rows(), 0U);
    EXPECT_EQ(results[2].affected, 0);
    EXPECT_EQ(results[3].affected, 1);
    EXPECT_EQ(results[3].at(0, 0), Value{std::string("y")});
    EXPECT_EQ(results[4].affected, 2);
    EXPECT_EQ(results[5].affected, 0);
    EXPECT_TRUE(session().run({}).empty());
}

TEST_F(PostgresDriver, large_values_and_many_calls_go_both_ways_at_once) {
    const std::string large(3'000'000, 'x');
    std::vector<Call> calls;
    const Query& echo = query("SELECT $1::text, $2::int");
    for (int i = 0; i < 20; ++i) calls.push_back({&echo, {large, std::int64_t{i}}});
    const auto results = session().run(calls);
    ASSERT_EQ(results.size(), 20U);
    for (std::size_t i = 0; i < 20; ++i) {
        EXPECT_EQ(std::get<std::string>(results[i].at(0, 0)).size(), large.size());
        EXPECT_EQ(results[i].at(0, 1), Value{static_cast<std::int64_t>(i)});
    }
}

TEST_F(PostgresDriver, a_plain_run_is_all_or_nothing) {
    beside().run("CREATE TABLE t(id int PRIMARY KEY)");
    const std::array calls{
        call("INSERT INTO t VALUES(1)"), call("INSERT INTO t VALUES(1)"),
        call("INSERT INTO t VALUES(2)")};
    const auto error = thrown_by([&] { static_cast<void>(session().run(calls)); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->sqlstate(), "23505");
    EXPECT_EQ(beside().number("SELECT count(*) FROM t"), 0);
    EXPECT_FALSE(session().in_transaction());
    EXPECT_TRUE(session().usable());
}

TEST_F(PostgresDriver, begin_keeps_the_transaction_open_and_commit_ends_it) {
    beside().run("CREATE TABLE t(id int PRIMARY KEY)");
    run("INSERT INTO t VALUES(1)", {}, {.begin = true});
    EXPECT_TRUE(session().in_transaction());
    EXPECT_EQ(beside().number("SELECT count(*) FROM t"), 0);
    run("INSERT INTO t VALUES(2)");
    EXPECT_EQ(beside().number("SELECT count(*) FROM t"), 0);
    run("INSERT INTO t VALUES(3)", {}, {.commit = true});
    EXPECT_FALSE(session().in_transaction());
    EXPECT_EQ(beside().number("SELECT count(*) FROM t"), 3);

    static_cast<void>(session().run({}, {.begin = true}));
    EXPECT_TRUE(session().in_transaction());
    run("DELETE FROM t");
    session().rollback();
    EXPECT_FALSE(session().in_transaction());
    session().rollback(); // nothing to do
    EXPECT_EQ(beside().number("SELECT count(*) FROM t"), 3);

    static_cast<void>(session().run({}, {.begin = true}));
    static_cast<void>(session().run({}, {.commit = true}));
    EXPECT_FALSE(session().in_transaction());
}

TEST_F(PostgresDriver, begin_and_commit_are_one_transaction_with_savepoints) {
    beside().run("CREATE TABLE t(id int PRIMARY KEY)");
    const std::array calls{
        call("INSERT INTO t VALUES(1)"), call("SAVEPOINT s"), call("INSERT INTO t VALUES(2)"),
        call("ROLLBACK TO s")};
    EXPECT_EQ(session().run(calls, {.begin = true, .commit = true}).size(), 4U);
    EXPECT_EQ(beside().column("SELECT id FROM t"), std::vector<std::string>{"1"});
    EXPECT_FALSE(session().in_transaction());
}

TEST_F(PostgresDriver, a_failure_with_commit_has_rolled_back) {
    beside().run("CREATE TABLE t(id int PRIMARY KEY)");
    const std::array calls{call("INSERT INTO t VALUES(1)"), call("INSERT INTO t VALUES(1)")};
    EXPECT_TRUE(thrown_by(
        [&] { static_cast<void>(session().run(calls, {.begin = true, .commit = true})); }));
    EXPECT_FALSE(session().in_transaction());

    run("INSERT INTO t VALUES(1)", {}, {.begin = true});
    EXPECT_TRUE(thrown_by([&] { run("INSERT INTO t VALUES(1)", {}, {.commit = true}); }));
    EXPECT_FALSE(session().in_transaction());
    EXPECT_EQ(beside().number("SELECT count(*) FROM t"), 0);
    EXPECT_TRUE(session().usable());
}

TEST_F(PostgresDriver, a_failure_inside_a_transaction_leaves_it_aborted) {
    run("SELECT 1", {}, {.begin = true});
    EXPECT_TRUE(thrown_by([&] { run("SELECT 1/0"); }));
    EXPECT_TRUE(session().in_transaction());
    const auto error = thrown_by([&] { run("SELECT 1"); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->sqlstate(), "25P02");
    session().rollback();
    EXPECT_EQ(run("SELECT 1").at(0, 0), Value{std::int64_t{1}});
}

TEST_F(PostgresDriver, a_commit_that_became_a_rollback_is_an_error) {
    run("SELECT 1", {}, {.begin = true});
    EXPECT_TRUE(thrown_by([&] { run("SELECT 1/0"); }));
    const auto error = thrown_by([&] { static_cast<void>(session().run({}, {.commit = true})); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::database);
    EXPECT_FALSE(error->outcome_unknown());
    EXPECT_FALSE(session().in_transaction());
}

TEST_F(PostgresDriver, a_failure_at_the_commit_itself_is_found) {
    beside().run("CREATE TABLE t(id int UNIQUE DEFERRABLE INITIALLY DEFERRED)");
    const std::array calls{call("INSERT INTO t VALUES(1)"), call("INSERT INTO t VALUES(1)")};
    for (const Frame frame : {Frame{}, Frame{.begin = true, .commit = true}}) {
        const auto error = thrown_by([&] { static_cast<void>(session().run(calls, frame)); });
        ASSERT_TRUE(error);
        EXPECT_EQ(error->sqlstate(), "23505");
        EXPECT_FALSE(error->outcome_unknown());
        EXPECT_FALSE(session().in_transaction());
        EXPECT_TRUE(session().usable());
        EXPECT_EQ(beside().number("SELECT count(*) FROM t"), 0);
    }
}

struct Refusal {
    std::string text;
    ErrorCode code;
    std::string sqlstate;
};

TEST_F(PostgresDriver, refusals_carry_code_and_sqlstate) {
    beside().run("CREATE TABLE t(id int PRIMARY KEY)");
    const std::vector<Refusal> refusals{
        {"SELECT * FROM nowhere", ErrorCode::schema, "42P01"},
        {"SELECT nothing FROM t", ErrorCode::schema, "42703"},
        {"SELECT * FROM nowhere.t", ErrorCode::schema, "42P01"},
        {"SELECT no_such_function(1)", ErrorCode::schema, "42883"},
        {"SELECT id = 'x'::text FROM t", ErrorCode::schema, "42883"},
        {"INSERT INTO t VALUES('x'::text)", ErrorCode::schema, "42804"},
        {"SET LOCAL search_path TO a; SELECT 1", ErrorCode::database, "42601"},
        {"SELEC 1", ErrorCode::database, "42601"},
        {"SELECT 1/0", ErrorCode::database, "22012"},
        {"CREATE TABLE nowhere.t(id int)", ErrorCode::schema, "3F000"},
    };
    for (const auto& refusal : refusals) {
        const auto error = thrown_by([&] { run(refusal.text); });
        ASSERT_TRUE(error) << refusal.text;
        EXPECT_EQ(error->code(), refusal.code) << error->what();
        EXPECT_EQ(error->sqlstate(), refusal.sqlstate) << error->what();
        EXPECT_NE(error->server_text(), "");
        EXPECT_FALSE(error->retryable());
        EXPECT_FALSE(error->connection_lost());
        EXPECT_FALSE(error->outcome_unknown());
        EXPECT_EQ(std::string(error->what()).find('\n'), std::string::npos);
        EXPECT_TRUE(session().usable());
        EXPECT_FALSE(session().in_transaction());
    }
}

TEST_F(PostgresDriver, refusals_do_not_quote_what_columns_hold) {
    beside().run("CREATE TABLE t(id int NOT NULL, n int CHECK (n < 5), j jsonb, u int UNIQUE)");
    beside().run("INSERT INTO t VALUES(1, 1, NULL, 4711)");
    const std::string secret = "4711-payload";
    const std::vector<Call> calls{
        call("SELECT $1::int", {secret}),
        call("SELECT $1::jsonb", {"{\"" + secret}),
        call("SELECT $1::timestamptz", {secret}),
        call("SELECT $1::uuid", {secret}),
        call("INSERT INTO t(id, n, j) VALUES(1, 9, to_jsonb($1::text))", {secret}),
        call("INSERT INTO t(id, j) VALUES(NULL, to_jsonb($1::text))", {secret}),
        call("INSERT INTO t(id, u) VALUES(1, 4711)"),
        call("SELECT ($1::text || '0000000000')::int", {std::string("4711")}),
    };
    for (const auto& one : calls) {
        const auto error = thrown_by([&] { static_cast<void>(session().run({&one, 1})); });
        ASSERT_TRUE(error) << one.query->text();
        EXPECT_EQ(std::string(error->what()).find("4711"), std::string::npos) << error->what();
    }
}

TEST_F(PostgresDriver, a_wrong_number_of_parameters_is_found_before_anything_is_sent) {
    run("SELECT 1", {}, {.begin = true});
    EXPECT_TRUE(thrown_by([&] { run("SELECT $1::int"); }));
    EXPECT_TRUE(thrown_by([&] { run("SELECT 1", {true}); }));
    EXPECT_EQ(run("SELECT 1").at(0, 0), Value{std::int64_t{1}});
    EXPECT_TRUE(session().usable());
}

TEST_F(PostgresDriver, preparing_finds_what_the_server_refuses) {
    beside().run("CREATE TABLE t(id int PRIMARY KEY)");
    session().prepare(query("SELECT id FROM t WHERE id = $1"));
    for (const auto* text :
         {"SELEC 1", "SELECT x FROM t", "SELECT * FROM nowhere", "SELECT $1 = $2",
          "SELECT id FROM t WHERE id = 'x'::text"}) {
        const auto error = thrown_by([&] { session().prepare(query(text)); });
        if (std::string(text) == "SELECT $1 = $2") continue; // both are text
        ASSERT_TRUE(error) << text;
        EXPECT_EQ(error->code(), ErrorCode::schema) << error->what();
    }
    const std::vector<Query> good{Query("SELECT 1"), Query("SELECT id FROM t")};
    database->prepare(good);
    const std::vector<Query> bad{Query("SELECT 1"), Query("SELECT other FROM t")};
    const auto error = thrown_by([&] { database->prepare(bad); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::schema);
    EXPECT_NE(std::string(error->what()).find("other"), std::string::npos) << error->what();
}

TEST_F(PostgresDriver, statements_are_prepared_once_a_session) {
    const Query& twice = query("SELECT $1::int");
    for (int i = 0; i < 3; ++i) {
        const Call one{&twice, {std::int64_t{i}}};
        EXPECT_EQ(session().run({&one, 1}).at(0).at(0, 0), Value{std::int64_t{i}});
    }
    const Result result =
        run("SELECT count(*) FROM pg_prepared_statements WHERE statement = 'SELECT $1::int'");
    EXPECT_EQ(result.at(0, 0), Value{std::int64_t{1}});
}

TEST_F(PostgresDriver, an_altered_table_is_prepared_anew_without_a_word) {
    beside().run("CREATE TABLE t(id int); INSERT INTO t VALUES(1)");
    const Query& all = query("SELECT * FROM t");
    const Call one{&all, {}};
    EXPECT_EQ(session().run({&one, 1}).at(0).columns, 1U);
    beside().run("ALTER TABLE t ADD COLUMN v text DEFAULT 'x'");
    EXPECT_EQ(session().run({&one, 1}).at(0).columns, 2U);

    beside().run("ALTER TABLE t ADD COLUMN w text DEFAULT 'y'");
    const auto framed = session().run({&one, 1}, {.begin = true});
    EXPECT_EQ(framed.at(0).columns, 3U);
    EXPECT_TRUE(session().in_transaction());
    session().rollback();

    // Within a transaction only its owner can start over.
    run("SELECT 1", {}, {.begin = true});
    beside().run("ALTER TABLE t DROP COLUMN w");
    const auto error = thrown_by([&] { static_cast<void>(session().run({&one, 1})); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->sqlstate(), "0A000");
    EXPECT_TRUE(error->retryable());
    session().rollback();
    EXPECT_EQ(session().run({&one, 1}).at(0).columns, 2U);
}

TEST_F(PostgresDriver, a_column_that_changes_its_type_is_looked_at_again) {
    beside().run("CREATE TABLE t(v int)");
    const Query& insert = query("INSERT INTO t VALUES($1)");
    const Call wide{&insert, {std::numeric_limits<std::int64_t>::max()}};
    EXPECT_TRUE(thrown_by([&] { static_cast<void>(session().run({&wide, 1})); }));
    const Call narrow{&insert, {std::int64_t{1}}};
    static_cast<void>(session().run({&narrow, 1}));
    beside().run("ALTER TABLE t ALTER v TYPE bigint");
    // The prepared statement still takes an int: the failure makes the next use see the column as it is.
    static_cast<void>(thrown_by([&] { static_cast<void>(session().run({&wide, 1})); }));
    EXPECT_EQ(session().run({&wide, 1}).at(0).affected, 1);
}

TEST_F(PostgresDriver, failures_do_not_pile_up_statements_on_the_server) {
    const Query& bad = query("SELECT $1::int");
    const Call one{&bad, {std::string("x")}};
    for (int i = 0; i < 20; ++i)
        EXPECT_TRUE(thrown_by([&] { static_cast<void>(session().run({&one, 1})); }));
    EXPECT_LE(
        std::get<std::int64_t>(run("SELECT count(*) FROM pg_prepared_statements").at(0, 0)), 3);
}

TEST_F(PostgresDriver, lost_statements_are_sent_along_from_then_on) {
    const Query& echo = query("SELECT $1::text");
    const Call one{&echo, {std::string("x")}};
    EXPECT_EQ(session().run({&one, 1}).at(0).at(0, 0), Value{std::string("x")});
    run("DEALLOCATE ALL"); // as a proxy does that hands on another session
    EXPECT_EQ(session().run({&one, 1}).at(0).at(0, 0), Value{std::string("x")});
    EXPECT_EQ(session().run({&one, 1}, {.begin = true}).at(0).at(0, 0), Value{std::string("x")});
    session().rollback();
    EXPECT_EQ(
        run("SELECT count(*) FROM pg_prepared_statements WHERE name <> ''").at(0, 0),
        Value{std::int64_t{0}});
    EXPECT_EQ(
        run("SELECT ARRAY[$1::int], $2::bytea", {std::int64_t{1}, std::string("a\0b", 3)}).at(0, 1),
        Value{bytes(std::string_view("a\0b", 3))});
    // Another session of the same database starts that way.
    const auto other = database->pool()->acquire();
    EXPECT_EQ(other->run({&one, 1}).at(0).at(0, 0), Value{std::string("x")});
}

TEST_F(PostgresDriver, database_reads_and_writes_as_one_transaction_each) {
    beside().run("CREATE TABLE t(id int PRIMARY KEY)");
    const std::array two{call("INSERT INTO t VALUES(1)"), call("INSERT INTO t VALUES(2)")};
    EXPECT_EQ(database->write(two).size(), 2U);
    EXPECT_EQ(beside().number("SELECT count(*) FROM t"), 2);
    const std::array failing{call("INSERT INTO t VALUES(3)"), call("INSERT INTO t VALUES(3)")};
    EXPECT_TRUE(thrown_by([&] { static_cast<void>(database->write(failing)); }));
    EXPECT_EQ(beside().number("SELECT count(*) FROM t"), 2);
    const std::array count{call("SELECT count(*) FROM t")};
    EXPECT_EQ(database->read(count).at(0).at(0, 0), Value{std::int64_t{2}});
    EXPECT_TRUE(database->write({}).empty());
}

TEST_F(PostgresDriver, a_deadlock_and_a_serialization_failure_are_retryable) {
    beside().run("CREATE TABLE t(id int PRIMARY KEY, n int); INSERT INTO t VALUES(1, 0), (2, 0)");
    static_cast<void>(session().run({}, {.begin = true}));
    run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    run("SELECT n FROM t");
    beside().run("UPDATE t SET n = 1 WHERE id = 1");
    const auto serialization = thrown_by([&] { run("UPDATE t SET n = 2 WHERE id = 1"); });
    ASSERT_TRUE(serialization);
    EXPECT_EQ(serialization->sqlstate(), "40001");
    EXPECT_TRUE(serialization->retryable());
    session().rollback();

    beside().run("BEGIN; SELECT * FROM t WHERE id = 1 FOR UPDATE");
    const auto locked = thrown_by([&] { run("SELECT * FROM t WHERE id = 1 FOR UPDATE NOWAIT"); });
    ASSERT_TRUE(locked);
    EXPECT_EQ(locked->sqlstate(), "55P03");
    EXPECT_TRUE(locked->retryable());
    beside().run("ROLLBACK");
}

TEST_F(PostgresDriver, closing_ends_waits_but_not_connections_in_use) {
    session();
    database->close();
    for (const auto& error :
         {thrown_by([&] { static_cast<void>(database->read(std::array{call("SELECT 1")})); }),
          thrown_by([&] { static_cast<void>(database->write(std::array{call("SELECT 1")})); }),
          thrown_by([&] { static_cast<void>(database->pool()->acquire()); })}) {
        ASSERT_TRUE(error);
        EXPECT_EQ(error->code(), ErrorCode::closed);
    }
    EXPECT_EQ(run("SELECT 1").at(0, 0), Value{std::int64_t{1}});
}

}} // namespace rowq::test

#endif
