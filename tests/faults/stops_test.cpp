// SIGTERM to processes with rows in every stage.
#include "support/workers.hpp"

namespace rowq::test { namespace {

using namespace std::chrono_literals;

class Stops : public FaultTest {};

ROWQ_EVERY_CASE(Stops);

TEST_P(Stops, leave_rows_that_never_started_to_others_as_they_were) {
    insert_range(session(), 1, 10);
    const auto first = start({{"workers", "3"}, {"until", gate_file()}});
    ASSERT_TRUE(eventually_running(*first, 3));
    first->signal(SIGTERM);
    const auto second = start({{"workers", "3"}});
    // The first is still within its grace.
    ASSERT_TRUE(eventually([&] { return history().count("settled") == 7; }));
    EXPECT_EQ(history().running(first->pid()), 3U);
    for (const HistoryLine& line : history().all("start")) EXPECT_EQ(line.rest, "1") << line.row;
    open_gate();
    EXPECT_TRUE(first->ends_well());
    ASSERT_TRUE(eventually_empty());
    second->signal(SIGTERM);
    EXPECT_TRUE(second->ends_well());
    EXPECT_EQ(history().problems(10), "");
}

TEST_P(Stops, let_handlers_that_heed_them_finish) {
    insert_range(session(), 1, 10);
    const auto worker = start({{"workers", "10"}, {"until", gate_file()}, {"heed_stop", "1"}});
    ASSERT_TRUE(eventually_running(*worker, 10));
    worker->signal(SIGTERM);
    EXPECT_TRUE(worker->ends_well());
    EXPECT_EQ(count(), 0);
    EXPECT_EQ(history().problems(10), "");
}

TEST_P(Stops, by_a_second_signal_end_the_process_at_once) {
    insert_range(session(), 1, 3);
    const auto worker = start({{"workers", "3"}, {"until", gate_file()}, {"lease_ms", "1000"}});
    ASSERT_TRUE(eventually_running(*worker, 3));
    const auto at = monotonic_ns();
    worker->signal(SIGTERM);
    worker->signal(SIGINT);
    EXPECT_FALSE(worker->ends_well());
    died(*worker, at);
    const auto heir = start({{"workers", "3"}});
    ASSERT_TRUE(eventually_empty());
    heir->signal(SIGTERM);
    EXPECT_TRUE(heir->ends_well());
    EXPECT_EQ(history().problems(3), "");
}

}} // namespace rowq::test
