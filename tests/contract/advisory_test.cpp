// The advisory lock form: rows with equal keys one at a time, across tables; what a lost session means.
#include "support/matrix.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <set>

namespace rowq::test { namespace {

using namespace std::chrono_literals;

class Advisory : public QueueTest {};

ROWQ_CASES(Advisory, cases_of(Form::advisory));

// How many rows of each key run now, and the most that ever did.
struct Running {
    std::mutex mutex;
    std::map<std::string, int> now;
    int most_of_a_key = 0;
    std::size_t most_keys = 0;

    void enter(const std::string& key) {
        const std::lock_guard lock(mutex);
        most_of_a_key = std::max(most_of_a_key, ++now[key]);
        most_keys = std::max(most_keys, now.size());
    }
    void leave(const std::string& key) {
        const std::lock_guard lock(mutex);
        if (--now[key] == 0) now.erase(key);
    }
};

TEST_P(Advisory, rows_of_a_key_run_one_at_a_time) {
    const int rows = 60;
    for (int id = 1; id <= rows; ++id) {
        const std::string account = std::to_string(id % 3);
        add({.id = id, .payload = account, .account = account});
    }
    Running running;
    std::mutex mutex;
    std::map<std::string, std::vector<std::int64_t>> order;
    Broker broker = this->broker();
    broker
        .subscribe(
            jobs(), "q",
            [&](const std::string& account, const Delivery& delivery) {
                running.enter(account);
                {
                    const std::lock_guard lock(mutex);
                    order[account].push_back(std::get<std::int64_t>(delivery.id()));
                }
                std::this_thread::yield();
                running.leave(account);
            })
        .workers(6)
        .poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::ack, rows)) << recorder->troubles();
    broker.stop();
    EXPECT_EQ(running.most_of_a_key, 1);
    for (const auto& [account, ids] : order) EXPECT_EQ(ids.size(), 20U) << account;
    EXPECT_EQ(count(), 0);
    EXPECT_EQ(recorder->troubles(), "");
}

TEST_P(Advisory, rows_of_different_keys_run_side_by_side) {
    for (int id = 1; id <= 4; ++id) add({.id = id, .account = "a" + std::to_string(id)});
    Gate gate;
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", [&](const std::string&) { gate.wait(); })
        .workers(4)
        .poll_interval(often);
    broker.start();
    EXPECT_TRUE(eventually_told(Event::Kind::started, 4)) << recorder->troubles();
    gate.open();
    EXPECT_TRUE(eventually_settled(Outcome::Kind::ack, 4));
}

TEST_P(Advisory, a_held_key_is_passed_over_however_many_rows_wait_for_it) {
    for (int id = 1; id <= 150; ++id) add({.id = id, .account = "busy"});
    add({.id = 151, .payload = "free", .account = "free"});
    Gate gate;
    Broker broker = this->broker();
    broker
        .subscribe(
            jobs(), "q",
            [&](const std::string& payload) {
                if (payload != "free") gate.wait();
            })
        .workers(2)
        .poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::ack)) << recorder->troubles();
    EXPECT_EQ(recorder->all(Event::Kind::settled).front().row, "151");
    EXPECT_EQ(count("attempt = 2"), 1) << "no row of the held key was taken";
    gate.open();
    EXPECT_TRUE(eventually([&] { return count() == 0; }));
}

TEST_P(Advisory, a_key_belongs_to_the_database_not_to_a_table) {
    create_table(database(), "transfers");
    add({.id = 1, .account = "7"});
    Gate gate;
    auto other_told = std::make_shared<Recorder>();
    Broker broker = this->broker();
    Broker other(database().url(), options().observer(other_told));
    broker.subscribe(jobs(), "q", [&](const std::string&) { gate.wait(); }).poll_interval(often);
    other.subscribe(describe(form(), {}, "transfers"), "q", [](const std::string&) {})
        .poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually_told(Event::Kind::started));
    insert(session(), {.id = 1, .account = "7"}, "transfers");
    insert(session(), {.id = 2, .account = "8"}, "transfers");
    other.start();
    ASSERT_TRUE(eventually([&] { return other_told->settled(Outcome::Kind::ack) == 1; }));
    EXPECT_EQ(other_told->all(Event::Kind::settled).front().row, "2");
    EXPECT_EQ(session().one("SELECT attempt FROM transfers"), "1");
    gate.open();
    EXPECT_TRUE(eventually([&] { return other_told->settled(Outcome::Kind::ack) == 2; }));
}

TEST_P(Advisory, a_null_in_a_key_reads_as_empty_text) {
    add({.id = 1});
    add({.id = 2});
    add({.id = 3, .account = ""});
    session().run("UPDATE jobs SET account = NULL WHERE id < 3");
    Running running;
    Broker broker = this->broker();
    broker
        .subscribe(
            jobs(), "q",
            [&](const std::string&) {
                running.enter("");
                std::this_thread::sleep_for(5ms);
                running.leave("");
            })
        .workers(3)
        .poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::ack, 3)) << recorder->troubles();
    EXPECT_EQ(running.most_of_a_key, 1);
}

TEST_P(Advisory, counts_the_attempt_at_the_claim_and_leaves_no_transaction_open) {
    add({.id = 1});
    Gate gate;
    Broker broker = this->broker();
    broker.subscribe(jobs(), "q", [&](const std::string&) { gate.wait(); }).poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually_told(Event::Kind::started));
    EXPECT_EQ(session().one("SELECT attempt FROM jobs"), "2");
    if (postgres()) {
        EXPECT_EQ(
            session().number("SELECT count(*) FROM pg_stat_activity WHERE datname = "
                             "current_database() AND state LIKE 'idle in transaction%'"),
            0);
    }
    gate.open();
    EXPECT_TRUE(eventually_settled(Outcome::Kind::ack));
}

class AdvisoryOnPostgres : public Advisory {};

ROWQ_CASES(AdvisoryOnPostgres, cases_where([](const Case& c) {
               return c.server == Server::postgres && c.form == Form::advisory;
           }));

TEST_P(AdvisoryOnPostgres, locks_one_key_for_one_row_whatever_the_backlog) {
    insert_range(session(), 1, 400);
    session().run("UPDATE jobs SET processed_at = now() WHERE id % 2 = 0; ANALYZE jobs");
    Gate gate;
    Broker broker = this->broker();
    broker.subscribe(jobs({.processed_at = true}), "q", [&](const std::string&) { gate.wait(); })
        .poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually_told(Event::Kind::started));
    const std::string locks = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND "
                              "database = (SELECT oid FROM pg_database WHERE datname = "
                              "current_database())";
    EXPECT_EQ(session().number(locks), 1);
    EXPECT_EQ(recorder->all(Event::Kind::started).front().row, "1");
    gate.open();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::ack, 200)) << recorder->troubles();
    EXPECT_TRUE(eventually([&] { return session().number(locks) == 0; })) << "a key is still held";
}

TEST_P(
    AdvisoryOnPostgres, a_terminated_session_stops_the_handler_refuses_its_ack_and_frees_the_key) {
    add({.id = 1});
    Gate gate;
    std::atomic<int> runs{0};
    std::atomic<int> stopped{0};
    Broker broker = this->broker();
    broker
        .subscribe(
            jobs(), "q",
            [&](const std::string&, const Delivery& delivery) {
                if (++runs == 1) stopped += gate.wait_for_stop(delivery.stop_token()) ? 1 : 0;
            })
        .poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually_told(Event::Kind::started));
    ASSERT_EQ(
        terminate_sessions(
            session(), "pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory')"),
        1);
    ASSERT_TRUE(eventually([&] { return stopped == 1; })) << "the handler was not told";
    ASSERT_TRUE(eventually([&] { return !recorder->errors(ErrorCode::lock_lost).empty(); }))
        << recorder->troubles();
    EXPECT_EQ(recorder->errors(ErrorCode::lock_lost).front().row, "1");
    ASSERT_TRUE(eventually_settled(Outcome::Kind::ack)) << recorder->troubles();
    const auto started = recorder->all(Event::Kind::started);
    ASSERT_EQ(started.size(), 2U);
    EXPECT_EQ(started[1].attempt, 2);
    EXPECT_EQ(count(), 0);
}

TEST_P(Advisory, a_table_without_an_attempt_column_runs_each_row_once) {
    const int rows = scaled(300);
    insert_range(session(), 1, rows);
    session().run("UPDATE jobs SET account = CAST(id % 7 AS text)");
    std::mutex mutex;
    std::multiset<std::string> runs;
    Broker broker = this->broker();
    broker
        .subscribe(
            jobs({.attempt = false}), "q",
            [&](const std::string& payload) {
                const std::lock_guard lock(mutex);
                runs.insert(payload);
            })
        .workers(6)
        .poll_interval(often);
    broker.start();
    ASSERT_TRUE(eventually_settled(Outcome::Kind::ack, static_cast<std::size_t>(rows)))
        << recorder->troubles();
    broker.stop();
    EXPECT_EQ(runs.size(), static_cast<std::size_t>(rows));
    EXPECT_EQ(std::set<std::string>(runs.begin(), runs.end()).size(), runs.size());
}

}} // namespace rowq::test
