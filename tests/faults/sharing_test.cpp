// Many processes on one queue: each row once, whatever the form and the database.
#include "support/workers.hpp"

#include <map>
#include <set>

namespace rowq::test { namespace {

using namespace std::chrono_literals;

class Sharing : public FaultTest {
protected:
    // So many processes, all at work before the first row arrives, until the queue is empty again.
    template <class Insert>
    void share(int processes, const WorkerArguments& arguments, Insert insert_rows) {
        std::vector<std::unique_ptr<Worker>> workers;
        for (int i = 0; i < processes; ++i) workers.push_back(start(arguments));
        insert_rows();
        EXPECT_TRUE(eventually_empty());
        for (const auto& worker : workers) worker->signal(SIGTERM);
        for (const auto& worker : workers) EXPECT_TRUE(worker->ends_well());
        std::set<int> pids;
        for (const HistoryLine& line : history().all("start")) pids.insert(line.pid);
        EXPECT_GE(pids.size(), 2U) << "nobody shared anything";
    }
    [[nodiscard]] std::string first_error() const {
        const auto errors = history().all("error");
        return errors.empty() ? "" : errors.front().rest;
    }
};

ROWQ_EVERY_CASE(Sharing);

TEST_P(Sharing, four_processes_run_each_row_once) {
    const int rows = scaled(10'000);
    share(4, {{"workers", "4"}}, [&] { insert_range(session(), 1, rows); });
    EXPECT_EQ(history().problems(rows), "");
    EXPECT_EQ(history().count("start"), static_cast<std::size_t>(rows));
    EXPECT_EQ(first_error(), "");
}

TEST_P(Sharing, processes_that_drain_end_when_the_last_row_is_finished) {
    insert_range(session(), 1, 500);
    std::vector<std::unique_ptr<Worker>> workers;
    for (int i = 0; i < 3; ++i) workers.push_back(launch({{"workers", "2"}, {"drain", "1"}}));
    for (const auto& worker : workers) EXPECT_TRUE(worker->ends_well());
    EXPECT_EQ(count(), 0);
    EXPECT_EQ(history().problems(500), "");
}

class SharingOfKeys : public Sharing {};

ROWQ_CASES(SharingOfKeys, cases_of(Form::advisory));

TEST_P(SharingOfKeys, rows_of_a_key_never_run_together) {
    const int rows = scaled(2'000);
    std::map<std::string, std::string> keys;
    for (int id = 1; id <= rows; ++id) keys[std::to_string(id)] = std::to_string(id % 13);
    share(3, {{"workers", "4"}, {"sleep_us", "200"}}, [&] {
        const auto session = database().connect();
        session->run("BEGIN");
        insert_range(*session, 1, rows);
        session->run("UPDATE jobs SET account = CAST(id % 13 AS text); COMMIT");
    });
    const History history = this->history();
    EXPECT_EQ(history.problems(rows), "");
    EXPECT_EQ(history.overlaps(keys), "");
    EXPECT_EQ(history.count("start"), static_cast<std::size_t>(rows));
    EXPECT_EQ(first_error(), "");
}

class SharingOfAFile : public Sharing {};

ROWQ_CASES(SharingOfAFile, cases_of(Server::sqlite));

TEST_P(SharingOfAFile, writers_and_many_threads_never_meet_a_locked_database) {
    const int rows = scaled(4'000);
    std::vector<std::unique_ptr<Worker>> workers;
    for (int i = 0; i < 2; ++i) workers.push_back(start({{"workers", "16"}}));
    {
        Broker broker = this->broker();
        Publisher<std::string> publisher(broker, jobs(), "q");
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&] {
                for (int i = 0; i < rows / 40; ++i)
                    EXPECT_EQ(publisher.push_many(std::vector<std::string>(10, "x")).size(), 10U);
            });
        }
    }
    ASSERT_TRUE(eventually_empty());
    for (const auto& worker : workers) {
        worker->signal(SIGTERM);
        EXPECT_TRUE(worker->ends_well());
    }
    EXPECT_EQ(history().problems(rows / 40 * 40), "");
    EXPECT_EQ(history().count("start"), static_cast<std::size_t>(rows / 40 * 40));
    EXPECT_EQ(first_error(), "");
}

TEST_P(Sharing, a_small_pool_takes_no_row_that_it_cannot_run) {
    insert_range(session(), 1, 60);
    const auto worker =
        start({{"workers", "50"}, {"pool", "5"}, {"until", gate_file()}, {"lease_ms", "1000"}});
    const std::size_t expected = lease() || !postgres() ? 50 : 4;
    ASSERT_TRUE(eventually_running(*worker, expected));
    // Longer than the leases last, so that they must have been renewed.
    std::this_thread::sleep_for(2'500ms);
    EXPECT_EQ(history().running(worker->pid()), expected);
    if (lease()) {
        EXPECT_EQ(count("locked_until IS NOT NULL"), 50);
    }
    if (advisory()) {
        EXPECT_EQ(count("attempt = 2"), static_cast<long long>(expected));
    }
    open_gate();
    ASSERT_TRUE(eventually_empty());
    worker->signal(SIGTERM);
    EXPECT_TRUE(worker->ends_well());
    EXPECT_EQ(history().problems(60), "");
    EXPECT_EQ(history().count("start"), 60U);
    EXPECT_EQ(first_error(), "");
}

}} // namespace rowq::test
