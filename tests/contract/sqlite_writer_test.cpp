// The one writer of a database: gathered commits, failures inside them, locks of other sessions, a full disk.
#include "db/sqlite_database.hpp"
#include "db/sqlite_file.hpp"
#include "support/required.hpp"
#include "support/small_disk.hpp"
#include "support/sqlite_files.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <future>
#include <thread>

namespace rowq::test { namespace {

using namespace std::chrono_literals;
using namespace detail::db;

// Another program's session, without our driver.
class Outsider {
public:
    explicit Outsider(const std::string& path) { sqlite3_open(path.c_str(), &db_); }
    ~Outsider() { sqlite3_close(db_); }
    Outsider(const Outsider&) = delete;
    Outsider& operator=(const Outsider&) = delete;

    void run(const char* text) {
        char* message = nullptr;
        if (sqlite3_exec(db_, text, nullptr, nullptr, &message) != SQLITE_OK)
            throw std::runtime_error(message);
    }

private:
    sqlite3* db_ = nullptr;
};

class SqliteWrites : public testing::Test {
protected:
    TemporaryFolder folder;
    std::string path = folder / "app.db";
    DatabasePtr database = open_file(path);

    SqliteWriter& writer() { return dynamic_cast<SqliteDatabase&>(*database).writer(); }
    std::int64_t rows(const std::string& table) {
        return read_number(*database, "SELECT count(*) FROM " + table);
    }
    std::string integrity() {
        return std::get<std::string>(read(*database, "PRAGMA integrity_check").at(0, 0));
    }

    // Jobs that all wait before the writer may begin: another session keeps the lock until then.
    std::vector<std::future<std::optional<Error>>> at_once(
        SqliteWriter& by, std::size_t count, const std::function<void(std::size_t)>& job) {
        Outsider outsider(path);
        outsider.run("BEGIN IMMEDIATE");
        std::vector<std::future<std::optional<Error>>> answers;
        for (std::size_t i = 0; i < count; ++i)
            answers.push_back(
                std::async(std::launch::async, [&job, i] { return error_of([&] { job(i); }); }));
        while (by.waiting() < count) std::this_thread::sleep_for(1ms);
        outsider.run("ROLLBACK");
        for (const auto& answer : answers) answer.wait();
        return answers;
    }
};

TEST_F(SqliteWrites, of_many_threads_need_one_commit) {
    constexpr std::size_t jobs = 40;
    write(*database, "CREATE TABLE t(a)");
    const std::int64_t before = writer().commits();
    auto answers = at_once(writer(), jobs, [&](std::size_t i) {
        write(*database, "INSERT INTO t VALUES(?)", {static_cast<std::int64_t>(i)});
    });
    for (auto& answer : answers) EXPECT_FALSE(answer.get());
    EXPECT_EQ(rows("t"), static_cast<std::int64_t>(jobs));
    EXPECT_EQ(writer().commits() - before, 1);
}

TEST_F(SqliteWrites, are_gathered_up_to_a_bound) {
    constexpr std::size_t jobs = SqliteWriter::most_jobs + 10;
    write(*database, "CREATE TABLE t(a)");
    const std::int64_t before = writer().commits();
    for (auto& answer :
         at_once(writer(), jobs, [&](std::size_t) { write(*database, "INSERT INTO t VALUES(1)"); }))
        EXPECT_FALSE(answer.get());
    EXPECT_EQ(rows("t"), static_cast<std::int64_t>(jobs));
    EXPECT_EQ(writer().commits() - before, 2);
}

TEST_F(SqliteWrites, one_after_the_other_need_a_commit_each) {
    write(*database, "CREATE TABLE t(a)");
    const std::int64_t before = writer().commits();
    for (int i = 0; i < 5; ++i) write(*database, "INSERT INTO t VALUES(1)");
    EXPECT_EQ(writer().commits() - before, 5);
}

TEST_F(SqliteWrites, each_caller_gets_their_own_results) {
    write(*database, "CREATE TABLE t(a INTEGER PRIMARY KEY)");
    auto answers = at_once(writer(), 30, [&](std::size_t i) {
        const auto number = static_cast<std::int64_t>(i);
        const Result result = write(*database, "INSERT INTO t VALUES(?) RETURNING a", {number});
        if (result.at(0, 0) != Value{number}) throw Error(ErrorCode::database, "another's result");
    });
    for (auto& answer : answers) EXPECT_FALSE(answer.get());
}

TEST_F(SqliteWrites, that_fail_harm_nobody_else) {
    write(*database, "CREATE TABLE t(a UNIQUE)");
    write(*database, "INSERT INTO t VALUES(-1)");
    const Query insert{"INSERT INTO t VALUES(?)"};
    auto answers = at_once(writer(), 40, [&](std::size_t i) {
        const auto number = static_cast<std::int64_t>(i);
        const std::int64_t second = i % 4 == 0 ? -1 : number + 1'000;
        database->write(std::array{Call{&insert, {number}}, Call{&insert, {second}}});
    });
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const std::optional<Error> error = answers[i].get();
        EXPECT_EQ(error.has_value(), i % 4 == 0) << i;
        if (error) {
            EXPECT_EQ(error->server_text(), "UNIQUE constraint failed: t.a");
        }
    }
    EXPECT_EQ(rows("t"), 1 + 30 * 2);
    EXPECT_EQ(rows("t WHERE a IN (0, 4, 8, 12, 1000, 1004)"), 0);
}

// A trigger may roll back everything that SQLite has gathered; the others must neither be lost nor done twice.
TEST_F(SqliteWrites, that_roll_back_the_whole_transaction_harm_nobody_else) {
    write(*database, "CREATE TABLE t(a)");
    write(
        *database, "CREATE TRIGGER guard BEFORE INSERT ON t WHEN new.a % 5 = 0 "
                   "BEGIN SELECT RAISE(ROLLBACK, 'not this one'); END");
    auto answers = at_once(writer(), 40, [&](std::size_t i) {
        write(*database, "INSERT INTO t VALUES(?)", {static_cast<std::int64_t>(i)});
    });
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const std::optional<Error> error = answers[i].get();
        EXPECT_EQ(error.has_value(), i % 5 == 0) << i;
        if (error) {
            EXPECT_EQ(error->server_text(), "not this one");
        }
    }
    EXPECT_EQ(rows("t"), 32);
    EXPECT_EQ(read_number(*database, "SELECT count(DISTINCT a) FROM t"), 32);
}

TEST_F(SqliteWrites, that_a_check_at_the_end_refuses_harm_nobody_else) {
    write(*database, "CREATE TABLE parent(id INTEGER PRIMARY KEY)");
    write(*database, "CREATE TABLE t(a REFERENCES parent(id) DEFERRABLE INITIALLY DEFERRED)");
    write(*database, "INSERT INTO parent VALUES(1)");
    auto connection = std::make_unique<SqliteConnection>(
        parse_sqlite_address("sqlite:" + path), SqliteConnection::Use::writer, SqliteLimits{});
    const Query on{"PRAGMA foreign_keys = ON"};
    const Call switch_on{&on, {}};
    connection->run(std::span(&switch_on, 1));
    SqliteWriter foreign(std::move(connection), true);
    const Query insert{"INSERT INTO t VALUES(?)"};
    auto answers = at_once(foreign, 20, [&](std::size_t i) {
        const Call call{&insert, {std::int64_t{i % 4 == 0 ? 2 : 1}}};
        foreign.write(
            this, [&](SqliteConnection& session) { return session.run(std::span(&call, 1)); }, {});
    });
    for (std::size_t i = 0; i < answers.size(); ++i)
        EXPECT_EQ(answers[i].get().has_value(), i % 4 == 0) << i;
    EXPECT_EQ(rows("t"), 15);
}

TEST_F(SqliteWrites, that_find_the_disk_full_are_not_half_done) {
    write(*database, "CREATE TABLE t(a, b)");
    const Query insert{"INSERT INTO t VALUES(?, ?)"};
    const std::int64_t pages = read_number(*database, "PRAGMA page_count");
    write(*database, "PRAGMA max_page_count = " + std::to_string(pages + 20));
    const auto pair = [&](std::size_t i) {
        const auto number = static_cast<std::int64_t>(i);
        const Bytes half(6'000, std::byte{1});
        database->write(std::array{Call{&insert, {number, half}}, Call{&insert, {number, half}}});
    };
    auto answers = at_once(writer(), 20, pair);
    std::int64_t done = 0;
    for (auto& answer : answers) {
        const std::optional<Error> error = answer.get();
        if (!error) {
            ++done;
            continue;
        }
        EXPECT_EQ(error->code(), ErrorCode::database);
        EXPECT_TRUE(error->retryable());
        EXPECT_NE(error->text().find("disk full"), std::string::npos);
        EXPECT_FALSE(error->server_text().empty());
    }
    EXPECT_GT(done, 0);
    EXPECT_LT(done, 20);
    EXPECT_EQ(rows("t"), done * 2);
    EXPECT_EQ(rows("(SELECT a FROM t GROUP BY a HAVING count(*) <> 2)"), 0);
    EXPECT_EQ(integrity(), "ok");
    write(*database, "PRAGMA max_page_count = 1000000");
    pair(100);
    EXPECT_EQ(rows("t"), done * 2 + 2);
}

TEST_F(SqliteWrites, wait_for_another_process_and_then_go_on) {
    write(*database, "CREATE TABLE t(a)");
    Outsider outsider(path);
    outsider.run("BEGIN IMMEDIATE");
    auto answer = std::async(std::launch::async, [&] {
        return error_of([&] { write(*database, "INSERT INTO t VALUES(1)"); });
    });
    EXPECT_EQ(answer.wait_for(300ms), std::future_status::timeout);
    EXPECT_EQ(rows("t"), 0);
    outsider.run("COMMIT");
    EXPECT_FALSE(answer.get());
    EXPECT_EQ(rows("t"), 1);
}

TEST_F(SqliteWrites, give_up_on_a_lock_when_their_time_has_passed) {
    const DatabasePtr hurried = open_file(path + "?busy_timeout=150");
    write(*database, "CREATE TABLE t(a)");
    static_cast<void>(hurried->server());
    Outsider outsider(path);
    outsider.run("BEGIN IMMEDIATE");
    auto patient = std::async(std::launch::async, [&] {
        return error_of([&] { write(*database, "INSERT INTO t VALUES(1)"); });
    });
    const std::optional<Error> error =
        error_of([&] { write(*hurried, "INSERT INTO t VALUES(2)"); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::database);
    EXPECT_TRUE(error->retryable());
    EXPECT_NE(error->text().find("stayed locked for 150 ms"), std::string::npos) << error->text();
    EXPECT_NE(error->text().find(path + " stayed"), std::string::npos) << error->text();
    outsider.run("COMMIT");
    EXPECT_FALSE(patient.get()); // the same writer, a longer time
    EXPECT_EQ(rows("t"), 1);
}

TEST_F(SqliteWrites, end_with_closed_when_their_database_is_closed) {
    const DatabasePtr other = open_file(path);
    write(*database, "CREATE TABLE t(a)");
    static_cast<void>(other->server());
    Outsider outsider(path);
    outsider.run("BEGIN IMMEDIATE");
    auto mine = std::async(std::launch::async, [&] {
        return error_of([&] { write(*database, "INSERT INTO t VALUES(1)"); });
    });
    auto others = std::async(std::launch::async, [&] {
        return error_of([&] { write(*other, "INSERT INTO t VALUES(2)"); });
    });
    EXPECT_EQ(mine.wait_for(100ms), std::future_status::timeout);
    database->close();
    const std::optional<Error> error = mine.get();
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::closed);
    outsider.run("COMMIT");
    EXPECT_FALSE(others.get());
    EXPECT_EQ(read_number(*other, "SELECT sum(a) FROM t"), 2);
}

TEST_F(SqliteWrites, stop_when_the_file_is_removed) {
    write(*database, "CREATE TABLE t(a)");
    EXPECT_EQ(read_number(*database, "SELECT count(*) FROM t"), 0);
    std::filesystem::remove(path);
    for (const auto& error :
         {error_of([&] { write(*database, "INSERT INTO t VALUES(1)"); }),
          error_of([&] { read(*database, "SELECT * FROM t"); })}) {
        ASSERT_TRUE(error);
        EXPECT_EQ(error->code(), ErrorCode::database);
        EXPECT_NE(error->text().find("was removed or replaced"), std::string::npos);
    }
}

TEST_F(SqliteWrites, in_memory_are_gathered_and_read_by_all_threads) {
    const DatabasePtr memory = open_file(":memory:");
    write(*memory, "CREATE TABLE t(a UNIQUE)");
    std::vector<std::jthread> workers;
    std::atomic<int> failed{0};
    for (int thread = 0; thread < 8; ++thread) {
        workers.emplace_back([&, thread] {
            for (int i = 0; i < 100; ++i) {
                const std::int64_t number = thread * 100 + i;
                if (error_of([&] { write(*memory, "INSERT INTO t VALUES(?)", {number}); }))
                    ++failed;
                // What was answered is there for every later read.
                if (read(*memory, "SELECT a FROM t WHERE a = ?", {number}).rows() != 1) ++failed;
            }
        });
    }
    workers.clear();
    EXPECT_EQ(failed, 0);
    EXPECT_EQ(read_number(*memory, "SELECT count(*) FROM t"), 800);
}

// Here it is the commit that fails: SQLite writes to the disk no sooner.
TEST(SqliteOnFullDisk, a_commit_that_fails_is_told_to_all_and_leaves_nothing) {
    SmallDisk disk("400k");
    ROWQ_SKIP_IF(disk.missing());
    DatabasePtr database = open_file(disk / "app.db");
    write(*database, "CREATE TABLE t(a, b)");
    const Query insert{"INSERT INTO t VALUES(?, ?)"};
    std::atomic<std::int64_t> done{0};
    std::atomic<int> full{0};
    std::atomic<int> other{0};
    std::vector<std::jthread> workers;
    for (int thread = 0; thread < 8; ++thread) {
        workers.emplace_back([&, thread] {
            for (int i = 0; i < 20; ++i) {
                const std::int64_t number = thread * 100 + i;
                const Call call{&insert, {number, Bytes(4'000, std::byte{1})}};
                const auto error = error_of([&] { database->write(std::array{call, call}); });
                if (!error)
                    ++done;
                else if (error->retryable() && error->text().find("disk full") == 0)
                    ++full;
                else
                    ++other;
            }
        });
    }
    workers.clear();
    EXPECT_GT(done, 0);
    EXPECT_GT(full, 0);
    EXPECT_EQ(other, 0);
    EXPECT_EQ(read_number(*database, "SELECT count(*) FROM t"), done * 2);
    EXPECT_EQ(
        read_number(
            *database, "SELECT count(*) FROM (SELECT a FROM t GROUP BY a HAVING count(*) <> 2)"),
        0);
    ASSERT_TRUE(disk.resize("8m"));
    write(*database, "INSERT INTO t VALUES(1, 2)");
    database.reset();
    database = open_file(disk / "app.db");
    EXPECT_EQ(read_number(*database, "SELECT count(*) FROM t"), done * 2 + 1);
    database.reset();
}

}} // namespace rowq::test
