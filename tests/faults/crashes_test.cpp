// Processes that are killed, stopped or kill themselves with rows in work.
#include "support/workers.hpp"

#include <algorithm>

namespace rowq::test { namespace {

using namespace std::chrono_literals;

class Crashes : public FaultTest {};

ROWQ_EVERY_CASE(Crashes);

TEST_P(Crashes, return_every_row_in_work_to_the_other_workers) {
    insert_range(session(), 1, 20);
    const auto victim = start({{"workers", "20"}, {"until", gate_file()}, {"lease_ms", "2000"}});
    ASSERT_TRUE(eventually_running(*victim, 20));
    const auto heir = start({{"workers", "4"}, {"lease_ms", "2000"}});
    kill(*victim);
    ASSERT_TRUE(eventually_empty()) << "rows stay lost";
    heir->signal(SIGTERM);
    EXPECT_TRUE(heir->ends_well());
    EXPECT_EQ(history().problems(20), "");
    for (const HistoryLine& line : history().all("start")) {
        if (line.pid == heir->pid()) {
            EXPECT_EQ(line.rest, row_lock() ? "1" : "2") << "row " << line.row;
        }
    }
}

TEST_P(Crashes, return_every_row_in_work_to_the_same_worker_started_again) {
    insert_range(session(), 1, 20);
    const WorkerArguments arguments{{"workers", "5"}, {"until", gate_file()}, {"lease_ms", "1000"}};
    for (int round = 0; round < 3; ++round) {
        const auto victim = start(arguments);
        ASSERT_TRUE(eventually_running(*victim, 5));
        kill(*victim);
    }
    open_gate();
    const auto last = start(arguments);
    ASSERT_TRUE(eventually_empty());
    last->signal(SIGTERM);
    EXPECT_TRUE(last->ends_well());
    EXPECT_EQ(history().problems(20), "");
}

TEST_P(Crashes, in_the_middle_of_the_work_lose_and_repeat_nothing) {
    const int rows = scaled(3'000);
    insert_range(session(), 1, rows);
    const WorkerArguments arguments{{"workers", "4"}, {"sleep_us", "300"}, {"lease_ms", "1000"}};
    for (int round = 1; round <= 4; ++round) {
        const auto victim = start(arguments);
        const auto enough = static_cast<std::size_t>(rows * round / 8);
        ASSERT_TRUE(eventually([&] { return history().count("settled") >= enough; }));
        kill(*victim);
    }
    const auto last = start(arguments);
    ASSERT_TRUE(eventually_empty());
    last->signal(SIGTERM);
    EXPECT_TRUE(last->ends_well());
    EXPECT_EQ(history().problems(rows), "");
    EXPECT_EQ(history().count("error"), 0U) << history().all("error")[0].rest;
}

class CrashesWithKeys : public Crashes {};

ROWQ_CASES(CrashesWithKeys, cases_of(Form::advisory));

TEST_P(CrashesWithKeys, never_leave_a_key_blocked) {
    for (int id = 1; id <= 6; ++id) add({.id = id, .account = id % 2 == 0 ? "even" : "odd"});
    const auto victim = start({{"workers", "4"}, {"until", gate_file()}});
    ASSERT_TRUE(eventually_running(*victim, 2));
    const auto heir = start({{"workers", "4"}});
    kill(*victim);
    ASSERT_TRUE(eventually_empty()) << "a key is still held";
    heir->signal(SIGTERM);
    EXPECT_TRUE(heir->ends_well());
    const History history = this->history();
    EXPECT_EQ(history.problems(6), "");
    std::map<std::string, std::string> keys;
    for (int id = 1; id <= 6; ++id) keys[std::to_string(id)] = id % 2 == 0 ? "even" : "odd";
    EXPECT_EQ(history.overlaps(keys), "");
}

class CrashesThatSpendAnAttempt : public Crashes {};

ROWQ_CASES(CrashesThatSpendAnAttempt, cases_where([](const Case& c) {
               return c.form != Form::row_lock;
           }));

TEST_P(
    CrashesThatSpendAnAttempt, by_a_row_itself_end_in_the_dead_letter_and_let_its_neighbours_flow) {
    insert_range(session(), 1, 30);
    // One worker, since whatever else is in work at a crash spends an attempt too.
    const WorkerArguments arguments{
        {"workers", "1"},
        {"abort_on", "7"},
        {"max_attempts", "2"},
        {"dead_letter", "failed"},
        {"lease_ms", "1000"}};
    for (int round = 0; round < 2; ++round) {
        const auto victim = start(arguments);
        EXPECT_FALSE(victim->ends_well());
        const auto lines = history().all("start", "7");
        ASSERT_EQ(lines.size(), static_cast<std::size_t>(round + 1));
        died(*victim, lines.back().at);
    }
    const auto survivor = start(arguments);
    ASSERT_TRUE(eventually_empty("queue = 'q'")) << "the third process died too, or rows are stuck";
    survivor->signal(SIGTERM);
    EXPECT_TRUE(survivor->ends_well());
    EXPECT_EQ(session().column("SELECT id FROM jobs"), std::vector<std::string>{"7"});
    EXPECT_EQ(history().all("start", "7").size(), 2U);
    EXPECT_EQ(history().problems(30), "");
}

class CrashesWithLeases : public Crashes {};

ROWQ_CASES(CrashesWithLeases, cases_of(Form::lease));

// A process that stands still past its lease does not know that it has lost its rows.
TEST_P(CrashesWithLeases, that_are_only_a_long_sleep_end_with_one_owner) {
    insert_range(session(), 1, 5);
    const auto sleeper = start({{"workers", "5"}, {"until", gate_file()}, {"lease_ms", "1000"}});
    ASSERT_TRUE(eventually_running(*sleeper, 5));
    sleeper->signal(SIGSTOP);
    const auto other = start({{"workers", "5"}, {"lease_ms", "1000"}});
    open_gate(); // for the other, too
    ASSERT_TRUE(eventually_empty());
    sleeper->signal(SIGCONT);
    ASSERT_TRUE(eventually([&] {
        return history().count("error") + history().count("lost") >= 5 &&
               history().running(sleeper->pid()) == 0;
    })) << "its late acks were not refused";
    for (const auto& worker : {&sleeper, &other}) {
        (*worker)->signal(SIGTERM);
        EXPECT_TRUE((*worker)->ends_well());
    }
    History history = this->history();
    history.stopped(sleeper->pid());
    EXPECT_EQ(history.problems(5), "");
    for (const HistoryLine& line : history.all("settled")) EXPECT_EQ(line.pid, other->pid());
}

class CrashesWithoutLeases : public Crashes {};

ROWQ_CASES(CrashesWithoutLeases, cases_where([](const Case& c) { return c.form != Form::lease; }));

TEST_P(CrashesWithoutLeases, that_are_only_a_sleep_keep_rows_and_keys_that_need_no_renewal) {
    insert_range(session(), 1, 3);
    const auto sleeper = start({{"workers", "3"}, {"until", gate_file()}});
    ASSERT_TRUE(eventually_running(*sleeper, 3));
    sleeper->signal(SIGSTOP);
    const auto other = start({{"workers", "3"}});
    insert_range(session(), 4, 6);
    ASSERT_TRUE(eventually([&] { return history().count("settled") == 3; }));
    sleeper->signal(SIGCONT);
    open_gate();
    ASSERT_TRUE(eventually_empty());
    for (const auto& worker : {&sleeper, &other}) {
        (*worker)->signal(SIGTERM);
        EXPECT_TRUE((*worker)->ends_well());
    }
    EXPECT_EQ(history().problems(6), "");
    EXPECT_EQ(history().count("start"), 6U);
}

TEST_P(Crashes, of_a_handler_by_exception_strand_no_other_row) {
    insert_range(session(), 1, 10);
    const auto worker = start({{"workers", "10"}, {"fail_on", "4"}});
    ASSERT_TRUE(eventually_empty("id <> 4"));
    EXPECT_TRUE(eventually([&] { return history().all("settled", "4").size() == 1; }));
    worker->signal(SIGTERM);
    EXPECT_TRUE(worker->ends_well());
    EXPECT_EQ(count("id = 4 AND attempt = 2 AND locked_until IS NULL"), 1);
}

}} // namespace rowq::test
