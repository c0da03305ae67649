// Sessions that the server ends while handlers run and while claims go on. PostgreSQL only.
#include "support/workers.hpp"

#include <map>

namespace rowq::test { namespace {

using namespace std::chrono_literals;

class Outages : public FaultTest {};

ROWQ_CASES(Outages, cases_of(Server::postgres));

class OutagesInLeaseForm : public Outages {};

ROWQ_CASES(OutagesInLeaseForm, cases_where([](const Case& c) {
               return c.server == Server::postgres && c.form == Form::lease;
           }));

TEST_P(OutagesInLeaseForm, do_not_cost_a_lease_its_ack) {
    insert_range(session(), 1, 50);
    const auto worker = start({{"workers", "50"}, {"until", gate_file()}, {"lease_ms", "60000"}});
    ASSERT_TRUE(eventually_running(*worker, 50));
    const std::string name = session().one("SELECT current_database()");
    const auto elsewhere = make_database(Server::postgres);
    // Nobody gets in for a while, and everybody inside is thrown out.
    elsewhere->session().run("ALTER DATABASE " + name + " ALLOW_CONNECTIONS false");
    terminate_sessions(session());
    open_gate();
    ASSERT_TRUE(eventually([&] { return history().count("end") == 50; }));
    std::this_thread::sleep_for(2s);
    EXPECT_EQ(history().count("settled"), 0U);
    elsewhere->session().run("ALTER DATABASE " + name + " ALLOW_CONNECTIONS true");
    ASSERT_TRUE(eventually_empty()) << "acks did not land";
    ASSERT_TRUE(eventually([&] { return history().count("settled") == 50; }));
    insert_range(session(), 51, 60);
    ASSERT_TRUE(eventually_empty()) << "claims did not go on";
    worker->signal(SIGTERM);
    EXPECT_TRUE(worker->ends_well());
    EXPECT_EQ(history().problems(60), "");
    EXPECT_EQ(history().count("start"), 60U) << "a row ran twice";
}

TEST_P(Outages, again_and_again_end_with_every_row_finished) {
    const int rows = scaled(3'000);
    insert_range(session(), 1, rows);
    const auto worker = start({{"workers", "4"}, {"sleep_us", "300"}, {"lease_ms", "2000"}});
    for (std::size_t round = 1; round <= 5; ++round) {
        const auto enough = static_cast<std::size_t>(rows) * round / 10;
        ASSERT_TRUE(eventually([&] { return history().count("settled") >= enough; })) << round;
        terminate_sessions(session());
    }
    ASSERT_TRUE(eventually_empty());
    worker->signal(SIGTERM);
    EXPECT_TRUE(worker->ends_well());
    // A commit whose answer was lost leaves no line of its own, so only what must never happen is checked.
    std::map<std::string, int> finished;
    for (const HistoryLine& line : history().all("settled")) {
        if (line.rest != "ack") continue;
        EXPECT_EQ(++finished[line.row], 1) << "row " << line.row;
    }
}

}} // namespace rowq::test
