// Holds: within a process, between processes, and when a holder dies or stands still.
#include "db/ofd_holds.hpp"
#include "db/sqlite_file.hpp"
#include "support/child.hpp"
#include "support/sqlite_files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>

namespace rowq::test { namespace {

using namespace std::chrono_literals;
using detail::db::Hold;
using detail::db::OfdHolds;

class Holds : public testing::Test {
protected:
    TemporaryFolder folder;
    std::string path = folder / "app.db";
    std::string url = "sqlite:" + path;
    DatabasePtr database = open_file(path);

    // What the kernel has not yet given back after a kill comes back soon, not at once.
    std::optional<Hold> hold_soon(std::uint64_t number) {
        const auto until = std::chrono::steady_clock::now() + 30s;
        std::optional<Hold> hold;
        while (!(hold = database->holds()->try_hold(number)) &&
               std::chrono::steady_clock::now() < until)
            std::this_thread::sleep_for(5ms);
        return hold;
    }
};

TEST_F(Holds, a_number_is_held_once_until_it_is_released) {
    std::optional<Hold> first = database->holds()->try_hold(7);
    ASSERT_TRUE(first);
    EXPECT_FALSE(database->holds()->try_hold(7));
    EXPECT_TRUE(database->holds()->try_hold(8));
    first->release();
    EXPECT_TRUE(database->holds()->try_hold(7));
}

TEST_F(Holds, moving_a_hold_keeps_it_and_overwriting_releases_it) {
    Hold hold = std::move(*database->holds()->try_hold(1));
    Hold moved = std::move(hold);
    EXPECT_FALSE(database->holds()->try_hold(1));
    moved = std::move(*database->holds()->try_hold(2));
    EXPECT_TRUE(database->holds()->try_hold(1));
    EXPECT_FALSE(database->holds()->try_hold(2));
}

TEST_F(Holds, the_top_bit_is_ignored) {
    const std::optional<Hold> hold = database->holds()->try_hold(5);
    EXPECT_FALSE(database->holds()->try_hold(5 | std::uint64_t{1} << 63));
}

TEST_F(Holds, every_number_can_be_held) {
    constexpr auto largest = std::numeric_limits<std::uint64_t>::max();
    for (const std::uint64_t number : {std::uint64_t{0}, largest, largest >> 1, (largest >> 1) - 1})
        EXPECT_TRUE(database->holds()->try_hold(number)) << number;
}

TEST_F(Holds, the_largest_number_is_held_against_another_process_too) {
    const std::string number = std::to_string(std::numeric_limits<std::uint64_t>::max());
    Child keeper("hold_keeper", {url, number});
    ASSERT_EQ(keeper.line(), "held");
    EXPECT_FALSE(database->holds()->try_hold(std::numeric_limits<std::uint64_t>::max()));
}

TEST_F(Holds, another_process_is_kept_out_and_let_in) {
    Child keeper("hold_keeper", {url, "1", "2"});
    ASSERT_EQ(keeper.line(), "held");
    ASSERT_EQ(keeper.line(), "held");
    EXPECT_FALSE(database->holds()->try_hold(1));
    EXPECT_FALSE(database->holds()->try_hold(2));
    std::optional<Hold> mine = database->holds()->try_hold(3);
    ASSERT_TRUE(mine);
    keeper.say("3");
    EXPECT_EQ(keeper.line(), "refused");
    mine->release();
    keeper.say("3");
    EXPECT_EQ(keeper.line(), "held");
}

TEST_F(Holds, another_process_with_another_spelling_is_kept_out) {
    static_cast<void>(database->server());
    std::filesystem::create_directory(folder / "sub");
    std::filesystem::create_symlink(path, folder / "sub/link.db");
    Child keeper("hold_keeper", {"sqlite:" + (folder / "sub/link.db"), "1"});
    ASSERT_EQ(keeper.line(), "held");
    EXPECT_FALSE(database->holds()->try_hold(1));
    EXPECT_FALSE(std::filesystem::exists(folder / "sub/link.db-rowq"));
}

TEST_F(Holds, releasing_one_of_three_neighbours_keeps_the_others) {
    const std::optional<Hold> low = database->holds()->try_hold(10);
    std::optional<Hold> middle = database->holds()->try_hold(11);
    const std::optional<Hold> high = database->holds()->try_hold(12);
    middle->release();
    Child keeper("hold_keeper", {url, "10", "11", "12"});
    EXPECT_EQ(keeper.line(), "refused");
    EXPECT_EQ(keeper.line(), "held");
    EXPECT_EQ(keeper.line(), "refused");
}

TEST_F(Holds, a_killed_process_frees_what_it_held) {
    Child keeper("hold_keeper", {url, "1"});
    ASSERT_EQ(keeper.line(), "held");
    EXPECT_FALSE(database->holds()->try_hold(1));
    keeper.signal(SIGKILL);
    EXPECT_TRUE(hold_soon(1));
}

TEST_F(Holds, a_stopped_process_keeps_what_it_holds) {
    Child keeper("hold_keeper", {url, "1"});
    ASSERT_EQ(keeper.line(), "held");
    keeper.signal(SIGSTOP);
    EXPECT_FALSE(database->holds()->try_hold(1));
    keeper.signal(SIGCONT);
    keeper.close_input();
    keeper.wait();
    EXPECT_TRUE(hold_soon(1));
}

TEST_F(Holds, a_program_started_by_the_holder_inherits_nothing) {
    std::optional<Hold> hold = database->holds()->try_hold(1);
    Child other("hold_keeper", {"sqlite:" + (folder / "other.db"), "1"});
    ASSERT_EQ(other.line(), "held");
    const std::string descriptors = "/proc/self/fd";
    for (const auto& entry : std::filesystem::directory_iterator(descriptors)) {
        const int number = std::stoi(entry.path().filename());
        std::error_code ignored;
        const std::string target = std::filesystem::read_symlink(entry.path(), ignored).string();
        if (target.starts_with(path)) {
            EXPECT_NE(::fcntl(number, F_GETFD) & FD_CLOEXEC, 0) << target;
        }
    }
}

TEST_F(Holds, two_databases_of_a_process_share_their_holds) {
    const DatabasePtr second = open_file(path);
    const std::optional<Hold> hold = database->holds()->try_hold(1);
    EXPECT_FALSE(second->holds()->try_hold(1));
    EXPECT_TRUE(second->holds()->try_hold(2));
}

// Closing one user's database must not let go of what the other holds.
TEST_F(Holds, closing_one_database_keeps_the_holds_of_the_other) {
    DatabasePtr second = open_file(path);
    ASSERT_TRUE(second->holds()->try_hold(2));
    const std::optional<Hold> hold = database->holds()->try_hold(1);
    second.reset();
    Child keeper("hold_keeper", {url, "1", "2"});
    EXPECT_EQ(keeper.line(), "refused");
    EXPECT_EQ(keeper.line(), "held");
}

TEST_F(Holds, the_file_is_left_and_a_new_start_uses_it) {
    ASSERT_TRUE(database->holds()->try_hold(1));
    database.reset();
    EXPECT_TRUE(std::filesystem::exists(path + "-rowq"));
    EXPECT_EQ(std::filesystem::file_size(path + "-rowq"), 0U);
    database = open_file(path);
    EXPECT_TRUE(database->holds()->try_hold(1));
}

TEST_F(Holds, the_file_has_the_permissions_of_the_database) {
    static_cast<void>(database->server());
    ASSERT_EQ(::chmod(path.c_str(), 0660), 0);
    ASSERT_TRUE(database->holds()->try_hold(1));
    struct stat status {};
    ASSERT_EQ(::stat((path + "-rowq").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0660U);
}

TEST_F(Holds, a_removed_file_is_noticed) {
    const std::optional<Hold> hold = database->holds()->try_hold(1);
    ASSERT_TRUE(hold);
    ASSERT_TRUE(std::filesystem::remove(path + "-rowq"));
    const std::optional<Error> error = error_of([&] { (void)database->holds()->try_hold(2); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::database);
    EXPECT_NE(error->text().find("app.db-rowq was removed or replaced"), std::string::npos);
}

TEST_F(Holds, a_replaced_file_is_noticed_and_no_row_is_taken_twice) {
    const std::optional<Hold> hold = database->holds()->try_hold(1);
    ASSERT_TRUE(hold);
    std::filesystem::remove(path + "-rowq");
    Child keeper("hold_keeper", {url, "2"});
    ASSERT_EQ(keeper.line(), "held");
    EXPECT_TRUE(error_of([&] { (void)database->holds()->try_hold(2); }));
    EXPECT_TRUE(error_of([&] { (void)database->holds()->try_hold(3); }));
    keeper.say("3");
    EXPECT_EQ(keeper.line(), "held"); // given back by the process that noticed
}

TEST_F(Holds, a_file_that_cannot_be_opened_is_named) {
    static_cast<void>(database->server());
    std::filesystem::create_directory(path + "-rowq");
    const std::optional<Error> error = error_of([&] { (void)database->holds()->try_hold(1); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::database);
    EXPECT_NE(error->text().find(path + "-rowq"), std::string::npos);
    EXPECT_FALSE(error->server_text().empty());
    std::filesystem::remove(path + "-rowq");
    EXPECT_TRUE(database->holds()->try_hold(1));
}

TEST_F(Holds, a_number_is_never_held_by_two_threads) {
    constexpr int threads = 8;
    std::atomic<int> inside{0};
    std::atomic<int> entered{0};
    std::atomic<bool> together{false};
    std::vector<std::jthread> workers;
    for (int i = 0; i < threads; ++i) {
        workers.emplace_back([&] {
            for (int mine = 0; mine < 200;) {
                const std::optional<Hold> hold = database->holds()->try_hold(42);
                if (!hold) {
                    std::this_thread::yield();
                    continue;
                }
                if (++inside > 1) together = true;
                ++mine;
                ++entered;
                --inside;
            }
        });
    }
    workers.clear();
    EXPECT_FALSE(together);
    EXPECT_EQ(entered, threads * 200);
}

TEST(HoldsInMemory, stay_in_the_process_and_with_their_database) {
    const DatabasePtr one = open_file(":memory:");
    const DatabasePtr two = open_file(":memory:");
    const std::optional<Hold> hold = one->holds()->try_hold(1);
    ASSERT_TRUE(hold);
    EXPECT_FALSE(one->holds()->try_hold(1));
    EXPECT_TRUE(two->holds()->try_hold(1));
    EXPECT_FALSE(std::filesystem::exists(":memory:-rowq"));
    EXPECT_FALSE(std::filesystem::exists("-rowq"));
}

}} // namespace rowq::test
