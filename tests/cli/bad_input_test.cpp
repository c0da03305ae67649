// What the program says, and with which status, when it is asked for what cannot be: one line, nothing lost.
#include "cli/program.hpp"
#include "support/databases.hpp"
#include "support/required.hpp"
#include "support/small_disk.hpp"
#include "support/sqlite_files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace rowq::test { namespace {

class BadInput : public testing::TestWithParam<Server> {
protected:
    void SetUp() override {
        ROWQ_SKIP_IF(missing(GetParam()));
        database_ = make_database(GetParam());
        ASSERT_EQ(run("rowq init && rowq push -q kept").status, 0);
    }
    void TearDown() override {
        if (!database_) return;
        EXPECT_EQ(session().number("SELECT count(*) FROM rowq_jobs WHERE payload = 'kept'"), 1);
        EXPECT_EQ(session().number("SELECT count(*) FROM rowq_jobs"), rows_);
    }

    [[nodiscard]] Ended run(const std::string& command_line) {
        Program program(command_line, {"ROWQ_DB=" + database_->url()}, folder.path().string());
        return program.wait();
    }
    // One line on standard error that holds `text`, and this status.
    void refused(const std::string& command_line, int status, const std::string& text) {
        const auto ended = run(command_line);
        EXPECT_EQ(ended.status, status) << command_line << "\n" << ended.err;
        EXPECT_NE(ended.err.find(text), std::string::npos) << command_line << "\n" << ended.err;
        EXPECT_TRUE(ended.err.starts_with("rowq: ")) << ended.err;
        EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
        EXPECT_EQ(ended.out, "") << command_line;
    }
    [[nodiscard]] Session& session() { return database_->session(); }
    void write_file(const std::string& name, const std::string& text) {
        std::ofstream(folder / name) << text;
    }

    TemporaryFolder folder;
    int rows_ = 1; // that must be there at the end

private:
    std::unique_ptr<TestDatabase> database_;
};

INSTANTIATE_TEST_SUITE_P(
    Servers, BadInput, testing::Values(Server::postgres, Server::sqlite),
    [](const auto& each) { return each.param == Server::postgres ? "postgres" : "sqlite"; });

TEST_P(BadInput, addresses) {
    for (const std::string command : {"push x", "work --exec true", "ls", "stats"}) {
        refused("rowq " + command + " --db nonsense", 1, "not the address of a database");
        refused("rowq " + command + " --db ''", 1, "the address of the database is empty");
        refused("rowq " + command + " --db sqlite:nowhere/file.db", 1, "nowhere/file.db");
        refused("rowq " + command + " --db sqlite:no.db", 1, "no.db");
        refused("rowq " + command + " --db mysql://u:secret@h/d", 1, "no driver for MySQL");
    }
    refused("rowq init --db sqlite:nowhere/file.db", 1, "nowhere/file.db");
    refused("rowq ls --db 'postgresql://u:secret@127.0.0.1:1/d'", 1, "127.0.0.1");
    EXPECT_EQ(
        run("rowq ls --db 'postgresql://u:secret@127.0.0.1:1/d'").err.find("secret"),
        std::string::npos);
    refused("rowq ls --db 'postgresql://h/d?no_such_option=1'", 1, "no_such_option");
    for (const std::string misplaced :
         {"'postgresql://u:secret@h/d'", "ls 'postgresql://u:secret@h/d'",
          "ls --db 'postgresql://h/d?pasword=secret'"})
        EXPECT_EQ(run("rowq " + misplaced).err.find("secret"), std::string::npos) << misplaced;
}

TEST_P(BadInput, tables_that_are_not_there) {
    for (const std::string command : {"push x", "work --exec true", "ls", "stats"}) {
        refused("rowq " + command + " --table nothing", 1, "rowq init");
        refused("rowq " + command + " --table nothing", 1, "nothing");
    }
    refused("rowq ls --table a.b.c", 1, "a.b.c");
    refused("rowq ls --table ''", 1, "");
    refused("rowq ls --table " + std::string(300, 'x'), 1, "xxx");
}

TEST_P(BadInput, tables_that_do_not_fit) {
    session().run("CREATE TABLE other (id INTEGER PRIMARY KEY, queue TEXT)");
    for (const std::string command : {"push x", "work --exec true", "ls", "stats"})
        refused("rowq " + command + " --table other", 1, "other");
    const std::string time = GetParam() == Server::postgres ? "boolean" : "BLOB";
    session().run(
        "CREATE TABLE wrong (id INTEGER PRIMARY KEY, queue TEXT, priority INTEGER, retry_after " +
        time + ", attempt INTEGER, headers TEXT, payload TEXT)");
    refused("rowq work --exec true --table wrong", 1, "retry_after");
    refused("rowq init --table other", 1, "column");
    refused("rowq init --form row-lock", 1, "lease form");
    refused("rowq work --exec true --key '{id}'", 2, "lease form");
}

TEST_P(BadInput, configuration_files) {
    refused("rowq ls --config nothing.toml", 1, "nothing.toml");
    write_file("broken.toml", "[[table]]\nname = \"x\nid");
    refused("rowq ls --config broken.toml", 1, "broken.toml:2");
    write_file("empty.toml", "");
    refused("rowq ls --config empty.toml", 1, "describes no [[table]]");
    write_file("other.toml", "[[table]]\nname = \"other\"\nid = \"id\"\n");
    refused("rowq ls --config other.toml", 1, "rowq_jobs");
    write_file("role.toml", "[[table]]\nname = \"rowq_jobs\"\nid = \"id\"\ncolour = \"c\"\n");
    refused("rowq ls --config role.toml", 1, "role.toml:4");
    write_file(
        "column.toml", "[[table]]\nname = \"rowq_jobs\"\nid = \"nr\"\npayload = \"payload\"\n");
    refused("rowq work --exec true --config column.toml", 1, "nr");
    refused("rowq ls --config .", 1, "");
    write_file(
        "flat.toml", "[[table]]\nname = \"rowq_jobs\"\nid = \"id\"\npayload = \"payload\"\n");
    refused("rowq push x --config flat.toml --group g", 2, "--group");
    refused("rowq work --exec true --config flat.toml --group g", 2, "--group");
    for (const std::string id :
         {"{ column = \"id\", generated = \"no\" }", "{ column = \"id\", genrated = true }"}) {
        write_file("column.toml", "[[table]]\nname = \"rowq_jobs\"\nid = " + id + "\n");
        refused("rowq ls --config column.toml", 1, "rated");
    }
}

TEST_P(BadInput, options) {
    for (const std::string garbage : {"5", "0x10s", "soon", "-3s", "1e999h", "5d", "''"}) {
        refused("rowq push x --delay=" + garbage, 2, "--delay");
        refused("rowq work --exec true --lease=" + garbage, 2, "--lease");
    }
    refused("rowq", 2, "subcommand");
    refused("rowq dance", 2, "there is no command \"dance\"");
    refused("rowq push x --colour red", 2, "--colour");
    refused("rowq push x --priority high", 2, "--priority");
    refused("rowq push x --header novalue", 2, "novalue");
    refused("rowq push x --lines", 2, "--lines");
    refused("rowq work", 2, "--exec");
    refused("rowq work --exec true --workers 0", 2, "--workers");
    refused("rowq work --exec true --max-attempts 3", 2, "--dead-letter");
    refused("rowq work --exec true --dead-letter failed", 2, "--max-attempts");
    refused("rowq work --exec ''", 2, "--exec");
    refused("rowq ls --limit 0", 2, "--limit");
    refused("rowq init --table keyed --form advisory --key '{nope}'", 1, "nope");
    refused("rowq work --exec true --key ''", 2, "--key");
    refused("rowq ls --state sleeping", 2, "--state");
    refused("rowq init --form best", 2, "--form");
    refused("rowq init --key x", 2, "--key");
}

TEST_P(BadInput, standard_output_that_cannot_be_written) {
    refused("rowq ls >/dev/full", 1, "standard output");
    refused("rowq ls >&-", 1, "standard output");
    refused("rowq stats >/dev/full", 1, "standard output");
    refused("rowq push again >/dev/full", 1, "standard output");
    rows_ = 2; // the row is there: what failed is the message
}

TEST_P(BadInput, a_worker_whose_events_nobody_reads_any_more_stops) {
    ASSERT_EQ(run("rowq push -q --group events a; rowq push -q --group events b").status, 0);
    rows_ = 3;
    const auto ended = run("rowq work --json --group events --exec 'exit 75' >/dev/full");
    EXPECT_EQ(ended.status, 1) << ended.err;
    EXPECT_NE(ended.err.find("standard output"), std::string::npos) << ended.err;
}

TEST_P(BadInput, help_is_no_error) {
    for (const std::string command : {"", "init", "push", "work", "ls", "stats"}) {
        const auto ended = run("rowq " + command + " --help");
        EXPECT_EQ(ended.status, 0);
        EXPECT_NE(ended.out.find("rowq"), std::string::npos);
        EXPECT_EQ(ended.err, "");
    }
}

TEST(FullDisk, loses_nothing_and_says_so) {
    const SmallDisk disk("600k");
    ROWQ_SKIP_IF(disk.missing());
    TemporaryFolder outside;
    const std::vector<std::string> environment{"ROWQ_DB=sqlite:" + (disk / "app.db")};
    const auto run = [&](const std::string& command_line) {
        return Program(command_line, environment, outside.path().string()).wait();
    };
    ASSERT_EQ(run("rowq init && rowq push -q first").status, 0);
    const auto push = run("head -c 2000000 /dev/zero | tr '\\0' x | rowq push");
    EXPECT_EQ(push.status, 1) << push.err;
    EXPECT_TRUE(push.err.starts_with("rowq: publishing failed: disk full")) << push.err;
    EXPECT_EQ(std::count(push.err.begin(), push.err.end(), '\n'), 1) << push.err;
    EXPECT_EQ(push.out, "");
    EXPECT_EQ(run("rowq work --drain --exec 'cat >seen'").status, 0);
    EXPECT_EQ(run("cat seen").out, "first");
}

}} // namespace rowq::test
