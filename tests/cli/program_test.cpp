// The commands doing what they are for, on every database in every form.
#include "cli/program.hpp"
#include "support/databases.hpp"
#include "support/eventually.hpp"
#include "support/matrix.hpp"
#include "support/required.hpp"
#include "support/sqlite_files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>

namespace rowq::test { namespace {

class ProgramTest : public testing::TestWithParam<Case> {
protected:
    void SetUp() override {
        const Server server = GetParam().server;
        ROWQ_SKIP_IF(missing(server));
        database_ = make_database(server);
        // SQLite's fixture has made the file, as the commands but init expect it.
        const auto init = run("rowq init --form " + form_option());
        ASSERT_EQ(init.status, 0) << init.err;
    }

    [[nodiscard]] std::string form_option() const {
        return GetParam().form == Form::lease      ? "lease"
               : GetParam().form == Form::row_lock ? "row-lock"
                                                   : "advisory --key 'job-{id}'";
    }
    // What rowq work needs to know of the form.
    [[nodiscard]] std::string key() const {
        return GetParam().form == Form::advisory ? " --key 'job-{id}' " : " ";
    }
    [[nodiscard]] std::string work(const std::string& options) const {
        return "rowq work --poll 20ms" + key() + options;
    }

    [[nodiscard]] std::unique_ptr<Program> start(const std::string& command_line) const {
        return std::make_unique<Program>(
            command_line, std::vector<std::string>{"ROWQ_DB=" + database_->url()},
            folder.path().string());
    }
    [[nodiscard]] Ended run(const std::string& command_line) const {
        return start(command_line)->wait();
    }
    [[nodiscard]] Session& session() { return database_->session(); }
    [[nodiscard]] std::vector<std::string> lines(const std::string& file) const {
        std::ifstream in(folder / file);
        std::vector<std::string> all;
        for (std::string line; std::getline(in, line);) all.push_back(line);
        return all;
    }
    [[nodiscard]] bool eventually_says(const std::string& file, std::size_t count) const {
        return eventually([&] { return lines(file).size() >= count; });
    }

    // Every process whose number stands in the file.
    void expect_eventually_gone(const std::string& file) const {
        for (const std::string& process : lines(file)) {
            const auto pid = static_cast<pid_t>(std::stol(process));
            EXPECT_TRUE(eventually([&] { return kill(pid, 0) != 0; })) << "it still runs";
        }
    }

    TemporaryFolder folder;

private:
    std::unique_ptr<TestDatabase> database_;
};

ROWQ_EVERY_CASE(ProgramTest);

TEST_P(ProgramTest, rows_go_in_by_push_and_out_by_work) {
    const auto push = run("printf 'one\\ntwo\\n\\n' | rowq push --lines && rowq push 'thr ee'");
    ASSERT_EQ(push.status, 0) << push.err;
    EXPECT_EQ(push.out, "1\n2\n3\n4\n");
    const auto ls = run("rowq ls --payload --json");
    EXPECT_NE(ls.out.find("\"payload\":\"thr ee\""), std::string::npos) << ls.out << ls.err;
    EXPECT_EQ(std::count(ls.out.begin(), ls.out.end(), '\n'), 4);
    const auto before = run("rowq stats --json");
    EXPECT_NE(before.out.find("\"due\":4"), std::string::npos) << before.out << before.err;

    const auto work = run(this->work("--drain --exec '(cat; echo) >>seen'"));
    EXPECT_EQ(work.status, 0) << work.err;
    EXPECT_NE(work.err.find("4 done, 0 dropped, 0 retried, 0 dead"), std::string::npos) << work.err;
    EXPECT_EQ(work.out, "");
    EXPECT_EQ(lines("seen"), (std::vector<std::string>{"one", "two", "", "thr ee"}));
    EXPECT_EQ(session().number("SELECT count(*) FROM rowq_jobs"), 0);
}

TEST_P(ProgramTest, commands_learn_of_their_row) {
    static_cast<void>(run("rowq push --group g --header to=ada --header 'a b=c\"d' x"));
    const auto work = run(this->work(
        "--drain --group g --exec 'echo \"$ROWQ_ID $ROWQ_ATTEMPT $ROWQ_GROUP $ROWQ_HEADERS\" >seen'"));
    EXPECT_EQ(work.status, 0) << work.err;
    ASSERT_EQ(lines("seen").size(), 1U);
    const std::string line = lines("seen")[0];
    EXPECT_TRUE(line.starts_with("1 1 g {")) << line;
    EXPECT_NE(line.find("\"to\""), std::string::npos) << line;
    EXPECT_NE(line.find(R"(c\"d)"), std::string::npos) << line;
}

TEST_P(ProgramTest, exit_codes_are_outcomes) {
    static_cast<void>(run("printf '0\\n65\\n75\\n3\\nkill\\n' | rowq push --lines"));
    const auto work = run(this->work(
        "--drain --max-attempts 1 --dead-letter failed --exec 'read code; echo $code >>seen; "
        "if [ $code = kill ]; then kill -9 $$; fi; exit $code'"));
    EXPECT_EQ(work.status, 0) << work.err;
    EXPECT_NE(work.err.find("1 done, 1 dropped, 0 retried, 3 dead"), std::string::npos) << work.err;
    EXPECT_NE(work.err.find("exit status 3"), std::string::npos) << work.err;
    EXPECT_NE(work.err.find("killed by signal 9"), std::string::npos) << work.err;
    EXPECT_EQ(lines("seen").size(), 5U);
    EXPECT_EQ(
        session().column("SELECT payload FROM rowq_jobs WHERE queue = 'failed' ORDER BY id"),
        (std::vector<std::string>{"75", "3", "kill"}));
    EXPECT_EQ(session().number("SELECT count(*) FROM rowq_jobs"), 3);
}

TEST_P(ProgramTest, events_are_json_lines_whatever_the_commands_write) {
    static_cast<void>(run("rowq push -q x"));
    const auto work = run(this->work("--drain --json --exec 'echo noise'"));
    EXPECT_EQ(work.status, 0) << work.err;
    std::istringstream out(work.out);
    for (std::string line; std::getline(out, line);)
        EXPECT_TRUE(line.starts_with("{") && line.ends_with("}")) << line;
    EXPECT_NE(work.out.find("\"event\":\"settled\""), std::string::npos) << work.out;
    EXPECT_NE(work.err.find("noise"), std::string::npos) << work.err;
}

TEST_P(ProgramTest, a_stop_lets_commands_finish_and_leaves_the_rest) {
    static_cast<void>(run("printf '1\\n2\\n3\\n' | rowq push -q --lines"));
    const auto worker = start(
        "exec " + work("--exec 'echo $ROWQ_ID >>seen; until [ -e go ]; do sleep 0.01; done'"));
    ASSERT_TRUE(eventually_says("seen", 1));
    worker->signal(SIGTERM);
    std::ofstream(folder / "go") << "go";
    const auto ended = worker->wait();
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(lines("seen").size(), 1U);
    EXPECT_EQ(session().number("SELECT count(*) FROM rowq_jobs"), 2);
    EXPECT_EQ(session().number("SELECT max(attempt) FROM rowq_jobs"), 1);
}

TEST_P(ProgramTest, commands_that_outlast_the_grace_period_are_ended_and_their_rows_return) {
    static_cast<void>(run("rowq push -q x"));
    const auto worker =
        start("exec " + work("--grace 100ms --exec 'echo $$ >>seen; exec sleep 1000'"));
    ASSERT_TRUE(eventually_says("seen", 1));
    worker->signal(SIGTERM);
    const auto ended = worker->wait();
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_NE(kill(static_cast<pid_t>(std::stol(lines("seen")[0])), 0), 0) << "it still runs";
    EXPECT_EQ(session().number("SELECT count(*) FROM rowq_jobs"), 1);
}

TEST_P(ProgramTest, a_time_out_ends_a_command_and_all_it_started) {
    static_cast<void>(run("rowq push -q x"));
    const auto work = run(this->work(
        "--drain --timeout 200ms --max-attempts 1 --dead-letter failed --exec 'sleep 1000 & echo $! >seen; "
        "trap : TERM; wait'"));
    EXPECT_EQ(work.status, 0) << work.err;
    EXPECT_NE(work.err.find("timed out after 200 ms"), std::string::npos) << work.err;
    ASSERT_EQ(lines("seen").size(), 1U);
    expect_eventually_gone("seen");
}

TEST_P(ProgramTest, commands_end_with_a_killed_worker) {
    static_cast<void>(run("rowq push -q x"));
    const auto worker =
        start("exec " + work("--exec 'sleep 1000 & echo $! >>seen; echo $$ >>seen; wait'"));
    ASSERT_TRUE(eventually_says("seen", 2));
    worker->signal(SIGKILL);
    EXPECT_EQ(worker->wait().status, 128 + SIGKILL);
    expect_eventually_gone("seen");
    EXPECT_EQ(session().number("SELECT count(*) FROM rowq_jobs"), 1);
}

// coreutils' timeout makes a process group of its own.
TEST_P(ProgramTest, commands_that_made_process_groups_end_like_all_others) {
    static_cast<void>(run("rowq push -q x"));
    const std::string command = "timeout 1000 sh -c \"echo \\$\\$ >>seen; sleep 1000\"";
    const auto limited = run(this->work(
        "--drain --timeout 200ms --max-attempts 1 --dead-letter failed --exec '" + command + "'"));
    EXPECT_NE(limited.err.find("timed out after 200 ms"), std::string::npos) << limited.err;
    static_cast<void>(run("rowq push -q x"));
    const auto worker = start("exec " + work("--exec '" + command + "'"));
    ASSERT_TRUE(eventually_says("seen", 2));
    worker->signal(SIGKILL);
    EXPECT_EQ(worker->wait().status, 128 + SIGKILL);
    expect_eventually_gone("seen");
}

TEST_P(ProgramTest, a_standard_error_that_cannot_be_written_stops_nothing) {
    static_cast<void>(run("printf '1\\n2\\n' | rowq push -q --lines"));
    EXPECT_EQ(run(work("--drain --exec 'exit 65' 2>/dev/full")).status, 0);
    EXPECT_EQ(session().number("SELECT count(*) FROM rowq_jobs"), 0);
    EXPECT_EQ(run(work("--drain --exec true 2>&-")).status, 0);
    EXPECT_EQ(run("rowq ls --db nonsense 2>&-").status, 1);
    EXPECT_EQ(run("rowq ls --colour 2>/dev/full").status, 2);
}

TEST_P(ProgramTest, names_cannot_draw_a_table_of_their_own) {
    static_cast<void>(run("rowq push -q --group \"$(printf 'a\\nforged\\033[2J')\" x"));
    for (const std::string command : {"rowq ls", "rowq stats"}) {
        const auto ended = run(command);
        EXPECT_EQ(std::count(ended.out.begin(), ended.out.end(), '\n'), 2) << ended.out;
        EXPECT_EQ(ended.out.find('\033'), std::string::npos) << ended.out;
    }
}

TEST_P(ProgramTest, init_is_safe_to_repeat_and_to_run_at_once) {
    session().run("DROP TABLE rowq_jobs");
    std::vector<std::unique_ptr<Program>> all;
    for (int i = 0; i < 8; ++i) all.push_back(start("exec rowq init --form " + form_option()));
    for (const auto& each : all) {
        const auto ended = each->wait();
        EXPECT_EQ(ended.status, 0) << ended.err;
    }
    EXPECT_EQ(run("rowq push x").status, 0);
    const auto print = run("rowq init --print --form " + form_option());
    EXPECT_EQ(print.status, 0) << print.err;
    EXPECT_TRUE(print.out.starts_with("CREATE TABLE IF NOT EXISTS")) << print.out;
}

TEST_P(ProgramTest, large_payloads_reach_commands_whether_they_read_them_or_not) {
    static_cast<void>(run("head -c 3000000 /dev/zero | tr '\\0' x | rowq push -q; rowq push -q y"));
    static_cast<void>(run(work("--drain --exec 'wc -c >>seen'")));
    EXPECT_EQ(lines("seen"), (std::vector<std::string>{"3000000", "1"}));
    static_cast<void>(run("head -c 3000000 /dev/zero | tr '\\0' x | rowq push -q"));
    EXPECT_EQ(run(work("--drain --exec true")).status, 0);
    EXPECT_EQ(session().number("SELECT count(*) FROM rowq_jobs"), 0);
}

}} // namespace rowq::test
