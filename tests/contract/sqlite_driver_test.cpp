// The SQLite driver: opening, values, statements, reads.
#include "db/sqlite_database.hpp"
#include "db/sqlite_file.hpp"
#include "support/sqlite_files.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <barrier>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>

namespace rowq::test { namespace {

using namespace std::chrono_literals;
using namespace detail::db;

Bytes bytes(std::string_view text) {
    Bytes result;
    for (const char c : text) result.push_back(static_cast<std::byte>(c));
    return result;
}

// Each test on a file and in memory.
class SqliteDriver : public testing::TestWithParam<bool> {
protected:
    TemporaryFolder folder;
    std::string path = GetParam() ? ":memory:" : folder / "app.db";
    DatabasePtr database = open_file(path);
};

INSTANTIATE_TEST_SUITE_P(All, SqliteDriver, testing::Bool(), [](const auto& test) {
    return test.param ? "memory" : "file";
});

TEST_P(SqliteDriver, values_come_back_as_they_went_in) {
    write(*database, "CREATE TABLE t(n INTEGER PRIMARY KEY, v)");
    const std::vector<Value> values{
        Null{},
        std::int64_t{0},
        std::numeric_limits<std::int64_t>::min(),
        std::numeric_limits<std::int64_t>::max(),
        0.1,
        -0.0,
        1e300,
        std::numeric_limits<double>::infinity(),
        std::string{},
        std::string{"text"},
        std::string{"a\0b", 3},
        std::string{"\xc3\xa4\xf0\x9f\x98\x80"},
        Bytes{},
        bytes(std::string_view("\0\xff\x80", 3)),
    };
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto n = static_cast<std::int64_t>(i);
        write(*database, "INSERT INTO t VALUES(?, ?)", {n, values[i]});
        const Result result = read(*database, "SELECT v FROM t WHERE n = ?", {n});
        EXPECT_EQ(result.at(0, 0), values[i]) << i;
    }
    EXPECT_TRUE(
        std::signbit(std::get<double>(read(*database, "SELECT v FROM t WHERE n = 5").at(0, 0))));
}

TEST_P(SqliteDriver, booleans_and_times_have_no_storage_class_of_their_own) {
    const Timestamp time{std::chrono::microseconds{1'796'051'045'123'456}};
    const Result result = read(*database, "SELECT ?, ?, ?", {true, false, time});
    EXPECT_EQ(result.at(0, 0), Value{std::int64_t{1}});
    EXPECT_EQ(result.at(0, 1), Value{std::int64_t{0}});
    EXPECT_EQ(result.at(0, 2), Value{std::string{"2026-11-30 15:04:05.123456"}});
}

TEST_P(SqliteDriver, a_number_that_is_none_is_refused) {
    const auto error = error_of([&] { read(*database, "SELECT ?", {std::nan("")}); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::database);
}

TEST_P(SqliteDriver, rows_come_in_order_and_are_counted) {
    write(*database, "CREATE TABLE t(a, b)");
    const Result inserted =
        write(*database, "INSERT INTO t VALUES(1, 'x'), (2, 'y'), (3, 'z') RETURNING a, b");
    EXPECT_EQ(inserted.columns, 2U);
    EXPECT_EQ(inserted.rows(), 3U);
    EXPECT_EQ(inserted.affected, 3);
    EXPECT_EQ(inserted.at(2, 1), Value{std::string{"z"}});
    EXPECT_EQ(write(*database, "UPDATE t SET b = 'w' WHERE a > 1").affected, 2);
    EXPECT_EQ(write(*database, "UPDATE t SET b = 'w' WHERE a > 9").affected, 0);
    EXPECT_EQ(write(*database, "CREATE TABLE other(a)").affected, 0);
    EXPECT_EQ(write(*database, "DELETE FROM t").affected, 3);
    const Result none = read(*database, "SELECT a, b FROM t");
    EXPECT_EQ(none.rows(), 0U);
    EXPECT_EQ(none.columns, 2U);
    EXPECT_EQ(none.affected, 0);
}

TEST_P(SqliteDriver, a_call_with_too_few_parameters_is_refused) {
    const auto error = error_of([&] { read(*database, "SELECT ?, ?", {true}); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::database);
    EXPECT_EQ(error->text(), "a statement with 2 parameters was called with 1");
}

TEST_P(SqliteDriver, calls_of_one_write_are_all_or_nothing) {
    write(*database, "CREATE TABLE t(a UNIQUE)");
    const Query insert{"INSERT INTO t VALUES(?)"};
    const std::int64_t one = 1;
    const auto error = error_of([&] {
        database->write(std::array{
            Call{&insert, {std::int64_t{5}}}, Call{&insert, {one}}, Call{&insert, {one}}});
    });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::database);
    EXPECT_EQ(error->sqlstate(), std::to_string(SQLITE_CONSTRAINT_UNIQUE));
    EXPECT_EQ(error->server_text(), "UNIQUE constraint failed: t.a");
    EXPECT_FALSE(error->retryable());
    EXPECT_EQ(read_number(*database, "SELECT count(*) FROM t"), 0);
}

TEST_P(SqliteDriver, a_read_that_writes_is_refused) {
    write(*database, "CREATE TABLE t(a)");
    const auto error = error_of([&] { read(*database, "INSERT INTO t VALUES(1)"); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::database);
    EXPECT_EQ(read_number(*database, "SELECT count(*) FROM t"), 0);
    write(*database, "INSERT INTO t VALUES(1)");
}

TEST_P(SqliteDriver, unknown_names_and_bad_texts_are_schema_errors) {
    write(*database, "CREATE TABLE t(a)");
    for (const char* text :
         {"SELECT * FROM missing", "SELECT missing FROM t", "SELEC 1", "SELECT 1; SELECT 2",
          "INSERT INTO t(missing) VALUES(1)", " -- nothing"}) {
        const Query query{text};
        const auto prepared = error_of([&] { database->prepare(std::span(&query, 1)); });
        ASSERT_TRUE(prepared) << text;
        EXPECT_EQ(prepared->code(), ErrorCode::schema) << text;
        const auto run = error_of([&] { write(*database, text); });
        ASSERT_TRUE(run) << text;
        EXPECT_EQ(run->code(), ErrorCode::schema) << text;
    }
    const Query good{"SELECT a FROM t ; -- with an end"};
    database->prepare(std::span(&good, 1));
    const auto error = error_of([&] { read(*database, "SELECT missing FROM t"); });
    EXPECT_EQ(error->server_text(), "no such column: missing");
}

TEST_P(SqliteDriver, a_prepared_statement_follows_the_schema) {
    write(*database, "CREATE TABLE t(a, b)");
    write(*database, "INSERT INTO t VALUES(1, 2)");
    const Query all{"SELECT * FROM t"};
    const Query one{"SELECT b FROM t"};
    const Query change{"UPDATE t SET b = 3"};
    const auto run = [&](const Query& query) {
        const Call call{&query, {}};
        return database->read(std::span(&call, 1)).at(0);
    };
    const Call update{&change, {}};
    database->write(std::span(&update, 1));
    EXPECT_EQ(run(all).columns, 2U);
    EXPECT_EQ(run(one).rows(), 1U);
    write(*database, "ALTER TABLE t ADD COLUMN c");
    EXPECT_EQ(run(all).columns, 3U);
    EXPECT_EQ(run(all).rows(), 1U);
    write(*database, "ALTER TABLE t DROP COLUMN b");
    EXPECT_EQ(run(all).columns, 2U);
    EXPECT_EQ(error_of([&] { run(one); })->code(), ErrorCode::schema);
    EXPECT_EQ(error_of([&] { database->write(std::span(&update, 1)); })->code(), ErrorCode::schema);
}

TEST_P(SqliteDriver, more_statements_than_are_kept_can_be_run) {
    std::vector<Query> queries;
    for (int i = 0; i < 700; ++i) queries.emplace_back("SELECT " + std::to_string(i));
    for (int round = 0; round < 2; ++round) {
        for (std::size_t i = 0; i < queries.size(); ++i) {
            const Call call{&queries[i], {}};
            EXPECT_EQ(
                database->read(std::span(&call, 1)).at(0).at(0, 0),
                Value{static_cast<std::int64_t>(i)});
        }
    }
}

TEST_P(SqliteDriver, says_what_it_is) {
    EXPECT_EQ(database->kind(), Kind::sqlite);
    EXPECT_EQ(database->name(), "sqlite:" + path);
    EXPECT_EQ(database->pool(), nullptr);
    EXPECT_NE(database->holds(), nullptr);
    const Server server = database->server();
    EXPECT_EQ(server.kind, Kind::sqlite);
    EXPECT_EQ(server.version, sqlite3_libversion());
    EXPECT_EQ(
        server.version.substr(0, server.version.rfind('.')),
        std::to_string(server.major) + "." + std::to_string(server.minor));
}

TEST_P(SqliteDriver, a_statement_that_runs_too_long_is_stopped_and_the_session_goes_on) {
    Options options;
    options.statement_timeout = 200ms;
    const DatabasePtr hurried = open_file(path, options);
    const std::string endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) ";
    const auto reading = error_of([&] { read(*hurried, endless + "SELECT count(*) FROM n"); });
    ASSERT_TRUE(reading);
    EXPECT_EQ(reading->code(), ErrorCode::database);
    EXPECT_NE(reading->text().find("ran longer than 200 ms"), std::string::npos);
    EXPECT_EQ(read_number(*hurried, "SELECT 1"), 1);
    write(*hurried, "CREATE TABLE counted(i)");
    const auto writing = error_of(
        [&] { write(*hurried, endless + "INSERT INTO counted SELECT i FROM n WHERE i < 0"); });
    ASSERT_TRUE(writing);
    EXPECT_NE(writing->text().find("ran longer than 200 ms"), std::string::npos);
    write(*hurried, "INSERT INTO counted VALUES(1)");
    EXPECT_EQ(read_number(*hurried, "SELECT count(*) FROM counted"), 1);
}

TEST_P(SqliteDriver, after_close_everything_is_refused) {
    static_cast<void>(database->server());
    database->close();
    database->close();
    for (const auto& action : std::vector<std::function<void()>>{
             [&] { read(*database, "SELECT 1"); }, [&] { write(*database, "CREATE TABLE t(a)"); },
             [&] { (void)database->holds()->try_hold(1); }, [&] { (void)database->server(); }}) {
        const auto error = error_of(action);
        ASSERT_TRUE(error);
        EXPECT_EQ(error->code(), ErrorCode::closed);
    }
}

class SqliteReads : public testing::Test {
protected:
    TemporaryFolder folder;
    std::string path = folder / "app.db";
};

TEST_F(SqliteReads, do_not_wait_for_a_writer) {
    const DatabasePtr database = open_file(path);
    write(*database, "CREATE TABLE t(a)");
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &raw), SQLITE_OK);
    ASSERT_EQ(
        sqlite3_exec(raw, "BEGIN IMMEDIATE; INSERT INTO t VALUES(1)", nullptr, nullptr, nullptr),
        SQLITE_OK);
    EXPECT_EQ(read_number(*database, "SELECT count(*) FROM t"), 0);
    sqlite3_exec(raw, "COMMIT", nullptr, nullptr, nullptr);
    sqlite3_close(raw);
    EXPECT_EQ(read_number(*database, "SELECT count(*) FROM t"), 1);
}

TEST_F(SqliteReads, of_several_calls_see_one_snapshot) {
    const DatabasePtr database = open_file(path);
    write(*database, "CREATE TABLE t(a)");
    const Query count{"SELECT count(*) FROM t"};
    std::jthread writer([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) write(*database, "INSERT INTO t VALUES(1)");
    });
    for (int i = 0; i < 300; ++i) {
        const std::vector<Call> calls(10, Call{&count, {}});
        const std::vector<Result> results = database->read(calls);
        ASSERT_EQ(results.front().at(0, 0), results.back().at(0, 0));
    }
}

TEST_F(SqliteReads, wait_for_a_free_session_and_say_so_when_there_is_none) {
    Options options;
    options.pool_size = 1;
    options.acquire_timeout = 50ms;
    options.statement_timeout = 3s;
    const DatabasePtr database = open_file(path, options);
    static_cast<void>(database->server());
    std::jthread slow([&] {
        const auto no_session = [&] {
            const auto error = error_of([&] {
                read(
                    *database, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                               "SELECT count(*) FROM n");
            });
            return error && error->text().find("read sessions") != std::string::npos;
        };
        while (no_session()) {
        }
    });
    std::optional<Error> error;
    while (!error) error = error_of([&] { read(*database, "SELECT 1"); });
    EXPECT_EQ(error->code(), ErrorCode::database);
    EXPECT_TRUE(error->retryable());
    EXPECT_NE(error->text().find("none of 1 read sessions"), std::string::npos);
    database->reserve(2);
    EXPECT_EQ(read_number(*database, "SELECT 1"), 1);
}

}} // namespace rowq::test
