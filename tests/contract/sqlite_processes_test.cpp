// Several processes that write to one SQLite database: nobody sees a lock, nobody starves, a kill loses nothing that was answered.
#include "support/child.hpp"
#include "support/sqlite_files.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>
#include <thread>

namespace rowq::test { namespace {

using namespace std::chrono_literals;

class SqliteProcesses : public testing::Test {
protected:
    TemporaryFolder folder;
    std::string path = folder / "app.db";
    std::string url = "sqlite:" + path;
    DatabasePtr database = open_file(path);

    std::int64_t rows(const std::string& table) {
        return read_number(*database, "SELECT count(*) FROM " + table);
    }

    void create_tables() {
        write(*database, "CREATE TABLE left_rows(name UNIQUE)");
        write(*database, "CREATE TABLE right_rows(name UNIQUE)");
    }
};

TEST_F(SqliteProcesses, two_with_sixteen_threads_never_see_a_locked_database) {
    create_tables();
    Child one("sqlite_rows", {url + "?synchronous=off", "one", "16", "320"});
    Child two("sqlite_rows", {url + "?synchronous=off", "two", "16", "320"});
    std::set<std::string> done;
    for (Child* child : {&one, &two}) {
        while (const std::optional<std::string> line = child->line()) {
            EXPECT_FALSE(line->starts_with("error")) << *line;
            EXPECT_TRUE(done.insert(*line).second) << *line;
        }
        EXPECT_EQ(child->wait(), 0);
    }
    EXPECT_EQ(done.size(), 2U * 16 * 320);
    EXPECT_EQ(rows("left_rows"), 2 * 16 * 320);
    EXPECT_EQ(rows("right_rows"), 2 * 16 * 320);
}

TEST_F(SqliteProcesses, that_keep_the_database_locked_are_named) {
    create_tables();
    const DatabasePtr hurried = open_file(path + "?busy_timeout=20");
    Child busy("sqlite_rows", {url, "busy", "4", "0"});
    // Stopped again and again until it is caught with the lock in its hand.
    std::optional<Error> error;
    const auto until = std::chrono::steady_clock::now() + 60s;
    while (!error && std::chrono::steady_clock::now() < until) {
        ASSERT_TRUE(busy.line());
        busy.signal(SIGSTOP);
        error = error_of([&] { write(*hurried, "INSERT INTO left_rows VALUES(NULL)"); });
        if (!error) busy.signal(SIGCONT);
    }
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::database);
    EXPECT_TRUE(error->retryable());
    EXPECT_NE(
        error->text().find("by process " + std::to_string(busy.id()) + " (sqlite_rows)"),
        std::string::npos)
        << error->text();
    busy.signal(SIGKILL);
    write(*database, "INSERT INTO left_rows VALUES(NULL)");
}

TEST_F(SqliteProcesses, one_with_no_end_of_work_lets_others_in) {
    create_tables();
    Child busy("sqlite_rows", {url + "?synchronous=off", "busy", "8", "0"});
    ASSERT_TRUE(busy.line());
    std::jthread reader([&] {
        while (busy.line()) {
        }
    });
    const DatabasePtr hurried = open_file(path + "?synchronous=off&busy_timeout=20000");
    for (int i = 0; i < 20; ++i)
        write(*hurried, "INSERT INTO left_rows VALUES(?)", {"mine " + std::to_string(i)});
    busy.signal(SIGKILL);
}

TEST_F(SqliteProcesses, killed_in_the_middle_of_writes_leave_all_that_was_answered) {
    create_tables();
    for (int round = 0; round < 5; ++round) {
        Child child("sqlite_rows", {url, "round" + std::to_string(round), "4", "0"});
        std::set<std::string> answered;
        for (int i = 0; i < 40 * (round + 1); ++i) answered.insert(child.line().value_or("error"));
        child.signal(SIGKILL);
        child.wait();
        while (const std::optional<std::string> line = child.line()) answered.insert(*line);
        for (const std::string& name : answered) {
            ASSERT_FALSE(name.starts_with("error")) << name;
            ASSERT_EQ(read(*database, "SELECT 1 FROM left_rows WHERE name = ?", {name}).rows(), 1U);
        }
        EXPECT_EQ(
            rows("(SELECT name FROM left_rows EXCEPT SELECT name FROM right_rows)") +
                rows("(SELECT name FROM right_rows EXCEPT SELECT name FROM left_rows)"),
            0);
        EXPECT_EQ(read(*database, "PRAGMA integrity_check").at(0, 0), Value{std::string{"ok"}});
        write(*database, "INSERT INTO left_rows VALUES(?)", {"after " + std::to_string(round)});
        write(*database, "INSERT INTO right_rows VALUES(?)", {"after " + std::to_string(round)});
    }
}

}} // namespace rowq::test
