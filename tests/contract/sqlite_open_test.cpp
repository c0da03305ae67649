// Opening SQLite databases: what cannot be opened and why, one database under several names, the registry of open files.
#include "db/sqlite_database.hpp"
#include "db/sqlite_file.hpp"
#include "support/child.hpp"
#include "support/sqlite_files.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

namespace rowq::test { namespace {

using namespace std::chrono_literals;
using namespace detail::db;
namespace fs = std::filesystem;

class SqliteOpen : public testing::Test {
protected:
    TemporaryFolder folder;
    std::string path = folder / "app.db";

    static void expect_connect_error(
        const std::string& path_and_options, const std::string& path, const std::string& because) {
        const DatabasePtr database = open_file(path_and_options);
        const auto error = error_of([&] { (void)database->server(); });
        ASSERT_TRUE(error) << path_and_options;
        EXPECT_EQ(error->code(), ErrorCode::connect);
        EXPECT_NE(error->text().find(path), std::string::npos) << error->text();
        EXPECT_NE(error->text().find(because), std::string::npos) << error->text();
        EXPECT_EQ(error->text().find('\n'), std::string::npos);
    }
};

// The file format versions in the header: 2 is the write-ahead log. Another process reads them: closing a descriptor of the file here
// would drop SQLite's locks.
bool has_write_ahead_log(const std::string& path) {
    const std::string command = "od -An -tu1 -j18 -N2 '" + path + "' | grep -qx '   2   2'";
    return std::system(command.c_str()) == 0;
}

// Permissions mean nothing to root, so the action runs in a thread with the file rights of nobody.
void as_nobody(const std::function<void()>& action) {
    std::jthread([&] {
        if (::geteuid() == 0) ::setfsuid(65'534);
        action();
    }).join();
}

TEST_F(SqliteOpen, touches_nothing_before_it_is_needed) {
    DatabasePtr database = open_file(path);
    EXPECT_NE(database->holds(), nullptr);
    database.reset();
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST_F(SqliteOpen, creates_a_file_with_a_write_ahead_log) {
    const DatabasePtr database = open_file(path);
    static_cast<void>(database->server());
    EXPECT_TRUE(has_write_ahead_log(path));
}

TEST_F(SqliteOpen, switches_a_database_with_a_rollback_journal) {
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &raw), SQLITE_OK);
    sqlite3_exec(raw, "CREATE TABLE t(a); INSERT INTO t VALUES(7)", nullptr, nullptr, nullptr);
    sqlite3_close(raw);
    const DatabasePtr database = open_file(path);
    EXPECT_EQ(read_number(*database, "SELECT a FROM t"), 7);
    EXPECT_TRUE(has_write_ahead_log(path));
}

TEST_F(SqliteOpen, a_missing_folder) {
    expect_connect_error(
        folder / "no/app.db", "no/app.db", "the folder " + (folder / "no") + " does not exist");
}

TEST_F(SqliteOpen, a_folder_in_place_of_the_file) {
    expect_connect_error(folder.path().string(), folder.path(), "it is a folder");
}

TEST_F(SqliteOpen, a_file_in_place_of_the_folder) {
    std::ofstream(folder / "file") << "text";
    expect_connect_error(folder / "file/app.db", "file/app.db", "is not a folder");
}

TEST_F(SqliteOpen, a_file_that_is_no_database) {
    std::ofstream(path) << std::string(5'000, 'x');
    expect_connect_error(path, path, "not an SQLite database");
    expect_connect_error(path + "?mode=ro", path, "not an SQLite database");
}

TEST_F(SqliteOpen, a_file_that_is_not_there_and_must_be) {
    expect_connect_error(path + "?mode=rw", path, "there is no such file");
    expect_connect_error(path + "?mode=ro", path, "there is no such file");
    EXPECT_FALSE(fs::exists(path));
}

TEST_F(SqliteOpen, a_file_nobody_may_read) {
    static_cast<void>(open_file(path)->server());
    fs::permissions(folder.path(), fs::perms::all);
    ::chmod(path.c_str(), 0);
    as_nobody([&] { expect_connect_error(path, path, "Permission denied"); });
}

TEST_F(SqliteOpen, a_file_nobody_may_write) {
    static_cast<void>(open_file(path)->server());
    fs::permissions(folder.path(), fs::perms::all);
    ::chmod(path.c_str(), 0444);
    as_nobody([&] { expect_connect_error(path, path, "may read but not write it"); });
}

TEST_F(SqliteOpen, a_folder_nobody_may_write) {
    static_cast<void>(open_file(path)->server());
    ::chmod(path.c_str(), 0666);
    ::chmod(folder.path().c_str(), 0555);
    as_nobody([&] {
        expect_connect_error(path, path, "");
        expect_connect_error(folder / "new.db", "new.db", "Permission denied");
    });
    ::chmod(folder.path().c_str(), 0755);
}

TEST_F(SqliteOpen, a_failed_opening_is_tried_again) {
    const DatabasePtr database = open_file(folder / "later/app.db");
    EXPECT_TRUE(error_of([&] { (void)database->server(); }));
    fs::create_directory(folder / "later");
    static_cast<void>(database->server());
}

TEST_F(SqliteOpen, read_only_reads_and_refuses_the_rest) {
    const DatabasePtr writer = open_file(path);
    write(*writer, "CREATE TABLE t(a)");
    write(*writer, "INSERT INTO t VALUES(1)");
    const DatabasePtr reader = open_file(path + "?mode=ro");
    EXPECT_EQ(read_number(*reader, "SELECT a FROM t"), 1);
    for (const auto& action : std::vector<std::function<void()>>{
             [&] { write(*reader, "INSERT INTO t VALUES(2)"); },
             [&] { (void)reader->holds()->try_hold(1); }}) {
        const auto error = error_of(action);
        ASSERT_TRUE(error);
        EXPECT_EQ(error->code(), ErrorCode::database);
        EXPECT_NE(error->text().find("mode=ro"), std::string::npos);
    }
}

// Whether two databases have one writer shows in its count of commits.
bool share_a_writer(Database& one, Database& two) {
    auto& first = dynamic_cast<SqliteDatabase&>(one);
    auto& second = dynamic_cast<SqliteDatabase&>(two);
    write(one, "CREATE TABLE IF NOT EXISTS shared(a)");
    const std::int64_t before = second.writer().commits();
    write(one, "INSERT INTO shared VALUES(1)");
    return second.writer().commits() == before + 1 && first.writer().commits() == before + 1;
}

TEST_F(SqliteOpen, every_spelling_of_a_path_is_one_database) {
    fs::create_directory(folder / "sub");
    fs::create_directory_symlink(folder.path(), folder / "linked-folder");
    const DatabasePtr first = open_file(path);
    static_cast<void>(first->server());
    fs::create_symlink(path, folder / "link.db");
    fs::create_hard_link(path, folder / "hard.db");
    const std::string relative = fs::relative(path);
    for (const std::string& spelling :
         {path, folder / "./app.db", folder / "sub/../app.db", folder / "link.db",
          folder / "linked-folder/app.db", relative, "./" + relative, folder / "hard.db"}) {
        const DatabasePtr second = open_file(spelling);
        EXPECT_TRUE(share_a_writer(*first, *second)) << spelling;
        EXPECT_EQ(SqliteFile::count(), 1U) << spelling;
        const std::optional<Hold> hold = first->holds()->try_hold(1);
        ASSERT_TRUE(hold) << spelling;
        EXPECT_FALSE(second->holds()->try_hold(1)) << spelling;
        EXPECT_EQ(
            read_number(*second, "SELECT count(*) FROM shared"),
            read_number(*first, "SELECT count(*) FROM shared"));
    }
}

// A file under two names has two write-ahead logs as soon as two processes use different ones.
TEST_F(SqliteOpen, a_file_with_two_names_is_refused_where_nobody_has_it_open) {
    static_cast<void>(open_file(path)->server());
    fs::create_hard_link(path, folder / "hard.db");
    expect_connect_error(path, path, "more than one name");
    expect_connect_error(folder / "hard.db", "hard.db", "more than one name");
    expect_connect_error(folder / "hard.db?mode=ro", "hard.db", "more than one name");
}

TEST_F(SqliteOpen, other_files_have_writers_of_their_own) {
    const DatabasePtr first = open_file(path);
    const DatabasePtr second = open_file(folder / "other.db");
    EXPECT_FALSE(share_a_writer(*first, *second));
    EXPECT_EQ(SqliteFile::count(), 2U);
}

TEST_F(SqliteOpen, the_registry_empties_itself_with_the_last_user) {
    ASSERT_EQ(SqliteFile::count(), 0U);
    DatabasePtr first = open_file(path);
    DatabasePtr second = open_file(path);
    EXPECT_EQ(SqliteFile::count(), 0U);
    static_cast<void>(first->server());
    static_cast<void>(second->server());
    EXPECT_EQ(SqliteFile::count(), 1U);
    first.reset();
    EXPECT_EQ(SqliteFile::count(), 1U);
    second.reset();
    EXPECT_EQ(SqliteFile::count(), 0U);
    first = open_file(path);
    write(*first, "CREATE TABLE t(a)");
    EXPECT_EQ(SqliteFile::count(), 1U);
}

TEST_F(SqliteOpen, many_threads_open_and_close_one_new_file) {
    constexpr int threads = 8;
    for (int round = 0; round < 10; ++round) {
        const std::string file = folder / ("new" + std::to_string(round) + ".db");
        std::barrier start(threads);
        std::barrier opened(threads);
        std::atomic<int> failed{0};
        std::vector<std::jthread> workers;
        for (int i = 0; i < threads; ++i) {
            workers.emplace_back([&] {
                const DatabasePtr database = open_file(file);
                start.arrive_and_wait();
                if (error_of([&] {
                        (void)database->server();
                        write(*database, "CREATE TABLE IF NOT EXISTS t(a)");
                        write(*database, "INSERT INTO t VALUES(1)");
                    }))
                    ++failed;
                if (SqliteFile::count() != 1) ++failed;
                opened.arrive_and_wait();
            });
        }
        workers.clear();
        EXPECT_EQ(failed, 0);
        EXPECT_EQ(SqliteFile::count(), 0U);
        EXPECT_EQ(read_number(*open_file(file), "SELECT count(*) FROM t"), threads);
    }
}

TEST_F(SqliteOpen, many_processes_open_one_new_file) {
    for (int round = 0; round < 5; ++round) {
        const std::string url = "sqlite:" + (folder / ("new" + std::to_string(round) + ".db"));
        std::vector<std::unique_ptr<Child>> children;
        for (int i = 0; i < 6; ++i)
            children.push_back(std::make_unique<Child>(
                "hold_keeper", std::vector<std::string>{url, std::to_string(i)}));
        for (const auto& child : children) EXPECT_EQ(child->line(), "held");
    }
}

TEST_F(SqliteOpen, durability_is_that_of_the_strictest_user) {
    const DatabasePtr careless = open_file(path + "?synchronous=off");
    static_cast<void>(careless->server());
    const auto level = [&] { return write(*careless, "PRAGMA synchronous").at(0, 0); };
    EXPECT_EQ(level(), Value{std::int64_t{0}});
    const DatabasePtr normal = open_file(path + "?synchronous=normal");
    static_cast<void>(normal->server());
    write(*normal, "CREATE TABLE t(a)");
    EXPECT_EQ(level(), Value{std::int64_t{1}});
    const DatabasePtr plain = open_file(path);
    static_cast<void>(plain->server());
    write(*plain, "INSERT INTO t VALUES(1)");
    EXPECT_EQ(level(), Value{std::int64_t{2}});
    const DatabasePtr second = open_file(path + "?synchronous=off");
    static_cast<void>(second->server());
    EXPECT_EQ(level(), Value{std::int64_t{2}});
}

TEST_F(SqliteOpen, a_change_of_the_working_folder_moves_nothing) {
    const fs::path before = fs::current_path();
    fs::current_path(folder.path());
    const DatabasePtr database = open_file("app.db");
    fs::current_path(before);
    static_cast<void>(database->server());
    EXPECT_TRUE(fs::exists(path));
}

}} // namespace rowq::test
