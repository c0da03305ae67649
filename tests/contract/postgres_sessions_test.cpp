// PostgreSQL sessions that end or stall.
#include "support/postgres_driver.hpp"

#if ROWQ_WITH_POSTGRES

#include "support/eventually.hpp"

#include <poll.h>

#include <array>
#include <future>

namespace rowq::test { namespace {

using namespace std::chrono_literals;
using namespace detail::db;

class PostgresSessions : public PostgresDriverTest {
protected:
    // A commit that does not come to its end: a deferred trigger sleeps in it.
    void make_slow_commits() {
        beside().run(
            "CREATE TABLE slow(id int);"
            "CREATE FUNCTION sleep() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN PERFORM pg_sleep(600); RETURN NULL; END $$;"
            "CREATE CONSTRAINT TRIGGER t AFTER INSERT ON slow DEFERRABLE INITIALLY DEFERRED "
            "FOR EACH ROW EXECUTE FUNCTION sleep()");
    }

    void wait_until_sleeping() {
        ASSERT_TRUE(eventually([&] {
            return beside().number(
                       "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' "
                       "AND datname = current_database()") == 1;
        }));
    }

    void terminate(const std::string& pid) {
        ASSERT_EQ(terminate_sessions(beside(), "pid = " + pid), 1);
        ASSERT_TRUE(eventually([&] {
            return beside().number("SELECT count(*) FROM pg_stat_activity WHERE pid = " + pid) == 0;
        }));
    }

    // The session's next use, in a thread of its own.
    std::future<std::optional<Error>> start(std::vector<Call> calls, Frame frame = {}) {
        return std::async(std::launch::async, [this, calls = std::move(calls), frame] {
            return thrown_by([&] { static_cast<void>(session().run(calls, frame)); });
        });
    }
};

TEST_F(PostgresSessions, one_ended_while_idle_is_found_before_use_and_replaced) {
    const std::string first = pid();
    connection.reset();
    terminate(first);
    const std::string second = pid();
    EXPECT_NE(first, second);

    for (const bool write : {true, false}) {
        const std::string idle = pid();
        EXPECT_TRUE(session().usable());
        Connection& seen = session();
        terminate(idle);
        EXPECT_FALSE(seen.usable());
        EXPECT_FALSE(seen.usable());
        connection.reset();
        const std::array calls{call("SELECT pg_backend_pid()")};
        const auto results = write ? database->write(calls) : database->read(calls);
        EXPECT_NE(results.at(0).at(0, 0), Value{std::int64_t{std::stoll(idle)}});
    }
}

TEST_F(PostgresSessions, all_idle_ones_may_have_ended) {
    {
        std::vector<PooledConnection> many;
        for (int i = 0; i < 5; ++i) many.push_back(database->pool()->acquire());
    }
    EXPECT_EQ(terminate_sessions(beside()), 5);
    EXPECT_TRUE(eventually([&] {
        return beside().number(
                   "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()") == 1;
    }));
    EXPECT_EQ(database->read(std::array{call("SELECT 1")}).at(0).at(0, 0), Value{std::int64_t{1}});
}

TEST_F(PostgresSessions, one_ended_in_a_transaction_says_so_and_nothing_is_in_doubt) {
    beside().run("CREATE TABLE t(id int)");
    run("INSERT INTO t VALUES(1)", {}, {.begin = true});
    terminate(pid());
    const auto error = thrown_by([&] { run("SELECT 1", {}, {.commit = true}); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::database);
    EXPECT_EQ(error->sqlstate(), "57P01");
    EXPECT_TRUE(error->connection_lost());
    EXPECT_TRUE(error->retryable());
    EXPECT_FALSE(error->outcome_unknown());
    EXPECT_FALSE(session().usable());
    EXPECT_FALSE(session().in_transaction());
    EXPECT_EQ(session().socket(), -1);
    session().rollback();
    session().close();
    const auto again = thrown_by([&] { run("SELECT 1"); });
    ASSERT_TRUE(again);
    EXPECT_TRUE(again->connection_lost());
    const auto preparing = thrown_by([&] { session().prepare(query("SELECT 2")); });
    ASSERT_TRUE(preparing);
    EXPECT_TRUE(preparing->connection_lost());
    connection.reset();
    EXPECT_EQ(run("SELECT count(*) FROM t").at(0, 0), Value{std::int64_t{0}});
}

TEST_F(PostgresSessions, one_ended_during_a_statement_says_so) {
    const std::string working = pid();
    auto running = start({call("SELECT pg_sleep(600)")});
    wait_until_sleeping();
    terminate(working);
    const auto error = running.get();
    ASSERT_TRUE(error);
    EXPECT_EQ(error->sqlstate(), "57P01");
    EXPECT_TRUE(error->connection_lost());
    EXPECT_FALSE(error->outcome_unknown()); // the server's word came instead of an answer
    EXPECT_FALSE(session().usable());
}

TEST_F(PostgresSessions, one_ended_during_a_commit_leaves_its_outcome_unknown) {
    make_slow_commits();
    for (const auto& [calls, frame] : std::initializer_list<std::pair<std::vector<Call>, Frame>>{
             {{call("INSERT INTO slow VALUES(1)")}, {}},
             {{call("INSERT INTO slow VALUES(1)"), call("SELECT 1")},
              {.begin = true, .commit = true}}}) {
        const std::string working = pid();
        auto running = start(calls, frame);
        wait_until_sleeping();
        terminate(working);
        const auto error = running.get();
        ASSERT_TRUE(error);
        EXPECT_TRUE(error->connection_lost());
        EXPECT_TRUE(error->outcome_unknown());
        connection.reset();
    }
}

TEST_F(PostgresSessions, a_commit_whose_answer_is_lost_has_an_unknown_outcome) {
    beside().run("CREATE TABLE t(id int)");
    const auto between = relay();
    const auto through = open_through(*between);
    int rows = 0;
    for (const Frame frame : {Frame{}, Frame{.begin = true, .commit = true}}) {
        connection = through->pool()->acquire();
        const std::vector calls{call("INSERT INTO t VALUES(1)"), call("SELECT 1")};
        for (const Call& one : calls) session().prepare(*one.query);
        between->hold_answers();
        auto running = start(calls, frame);
        ++rows;
        EXPECT_TRUE(eventually([&] { return beside().number("SELECT count(*) FROM t") == rows; }));
        between->cut();
        const auto error = running.get();
        between->hold_answers(false);
        ASSERT_TRUE(error);
        EXPECT_EQ(error->code(), ErrorCode::database);
        EXPECT_TRUE(error->connection_lost());
        EXPECT_TRUE(error->outcome_unknown());
        EXPECT_EQ(error->sqlstate(), "");
    }
    connection.reset();
}

TEST_F(PostgresSessions, a_write_whose_answer_is_lost_is_not_repeated) {
    beside().run("CREATE TABLE t(id int)");
    const auto between = relay();
    const auto through = open_through(*between);
    const std::vector calls{call("INSERT INTO t VALUES(1)")};
    static_cast<void>(through->write(calls));
    between->hold_answers();
    auto running = std::async(std::launch::async, [&] {
        return thrown_by([&] { static_cast<void>(through->write(calls)); });
    });
    EXPECT_TRUE(eventually([&] { return beside().number("SELECT count(*) FROM t") == 2; }));
    between->cut();
    between->hold_answers(false);
    const auto error = running.get();
    ASSERT_TRUE(error);
    EXPECT_TRUE(error->outcome_unknown());
    EXPECT_EQ(beside().number("SELECT count(*) FROM t"), 2);
}

TEST_F(PostgresSessions, without_a_commit_a_lost_line_leaves_nothing_in_doubt) {
    beside().run("CREATE TABLE t(id int)");
    const auto between = relay();
    const auto through = open_through(*between);
    connection = through->pool()->acquire();
    run("INSERT INTO t VALUES(1)", {}, {.begin = true});
    between->cut();
    const auto error = thrown_by([&] { run("INSERT INTO t VALUES(1)"); });
    ASSERT_TRUE(error);
    EXPECT_TRUE(error->connection_lost());
    EXPECT_FALSE(error->outcome_unknown());
    connection.reset();
}

TEST_F(PostgresSessions, a_statement_that_takes_too_long_closes_the_session) {
    database = open({.statement_timeout = 200ms});
    const auto error = thrown_by([&] { run("SELECT pg_sleep(600)", {}, {.begin = true}); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::database);
    EXPECT_TRUE(error->connection_lost());
    EXPECT_FALSE(error->outcome_unknown());
    EXPECT_NE(std::string(error->what()).find("200 ms"), std::string::npos) << error->what();
    EXPECT_FALSE(session().usable());
    // The server finds that we are gone and stops as well.
    EXPECT_TRUE(eventually([&] {
        return beside().number(
                   "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == 0;
    }));
}

TEST_F(PostgresSessions, a_commit_that_takes_too_long_has_an_unknown_outcome) {
    make_slow_commits();
    database = open({.statement_timeout = 200ms});
    const auto error = thrown_by([&] { run("INSERT INTO slow VALUES(1)"); });
    ASSERT_TRUE(error);
    EXPECT_TRUE(error->connection_lost());
    EXPECT_TRUE(error->outcome_unknown());
}

TEST_F(PostgresSessions, a_server_that_says_nothing_holds_up_nobody) {
    const auto between = relay();
    const auto through = open_through(*between, {.statement_timeout = 200ms});
    connection = through->pool()->acquire();
    run("SELECT 1", {}, {.begin = true});
    between->hold_answers();
    session().rollback(); // gives up, and closes
    EXPECT_FALSE(session().usable());
    connection.reset();

    between->hold_answers(false);
    connection = through->pool()->acquire();
    between->hold_answers();
    const auto error =
        thrown_by([&] { run(std::string("SELECT '") + std::string(20'000'000, 'x') + "'"); });
    ASSERT_TRUE(error);
    EXPECT_TRUE(error->connection_lost());
    connection.reset();
}

TEST_F(PostgresSessions, one_idle_too_long_in_a_transaction_is_found) {
    run("SET idle_in_transaction_session_timeout = '50ms'");
    run("SELECT 1", {}, {.begin = true});
    EXPECT_TRUE(eventually([&] { return !session().usable(); }));
    const auto error = thrown_by([&] { run("SELECT 1", {}, {.commit = true}); });
    ASSERT_TRUE(error);
    EXPECT_TRUE(error->connection_lost());
    EXPECT_FALSE(error->outcome_unknown());
}

TEST_F(PostgresSessions, that_listen_hear_what_is_announced_in_its_order) {
    static_cast<void>(run("LISTEN \"my Jobs\""));
    beside().run("NOTIFY \"my Jobs\", 'a'; NOTIFY \"my Jobs\"; NOTIFY other, 'b'");
    std::vector<Notification> heard;
    const auto hear = [&](std::size_t count) {
        return eventually([&] {
            pollfd ready{session().socket(), POLLIN, 0};
            static_cast<void>(::poll(&ready, 1, 10));
            for (auto& one : session().notifications()) heard.push_back(std::move(one));
            return heard.size() >= count;
        });
    };
    ASSERT_TRUE(hear(2));
    EXPECT_EQ(heard[0].channel, "my Jobs");
    EXPECT_EQ(heard[0].payload, "a");
    EXPECT_EQ(heard[1].payload, "");
    // What arrives beside an answer is kept for later.
    beside().run("NOTIFY \"my Jobs\", 'c'");
    static_cast<void>(run("SELECT pg_sleep(0.05)"));
    ASSERT_TRUE(hear(3));
    EXPECT_EQ(heard.size(), 3U);
    EXPECT_EQ(heard[2].payload, "c");
    terminate(pid());
    const auto error = thrown_by(
        [&] { static_cast<void>(eventually([&] { return !session().notifications().empty(); })); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::listen);
    EXPECT_TRUE(error->connection_lost());
}

}} // namespace rowq::test

#endif
