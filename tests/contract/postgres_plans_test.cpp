// PostgreSQL: claims under the worst plans that the server may pick, and beside sessions that change what a claim has seen.
#include "support/described_tables.hpp"
#include "support/eventually.hpp"
#include "support/job_table.hpp"
#include "support/required.hpp"
#include "support/statement_runner.hpp"

#include <gtest/gtest.h>

#include <future>

namespace rowq::test { namespace {

using detail::sql::Parameter;

const std::string now = "2026-01-01 12:00:00.000000";

class PostgresPlans : public testing::Test {
protected:
    void SetUp() override {
        ROWQ_SKIP_IF(missing(Server::postgres));
        database_ = make_database(Server::postgres);
        create_table(*database_);
        session().run("ALTER TABLE jobs SET (autovacuum_enabled = false); ANALYZE jobs");
    }

    [[nodiscard]] Session& session() { return database_->session(); }
    [[nodiscard]] std::unique_ptr<Session> connect() const { return database_->connect(); }

    [[nodiscard]] detail::sql::Statements statements(Form form, const Roles& roles = {}) {
        const detail::Table table(describe(form, roles).description());
        return dialect_of(Server::postgres)
            ->statements(table, read_catalog(session(), Server::postgres, table), "");
    }
    static Rows claim(Session& by, const detail::sql::Statement& statement, std::size_t limit) {
        return execute(
            by, Server::postgres, statement,
            {{Parameter::group, "q"},
             {Parameter::now, now},
             {Parameter::limit, std::to_string(limit)},
             {Parameter::expiry, "2026-01-01 12:00:30.000000"}});
    }
    static std::vector<std::string> column(const Rows& rows, std::size_t number) {
        std::vector<std::string> values;
        for (const auto& row : rows) values.push_back(row.at(number));
        return values;
    }
    // 200 rows due, in an order that is not that of their ids, and as many that are done.
    void fill() {
        session().run("DELETE FROM jobs");
        insert_range(session(), 1, 400);
        session().run("UPDATE jobs SET processed_at = now() WHERE id > 200");
        session().run(
            "UPDATE jobs SET priority = 7 - id % 5, retry_after = retry_after + (id % 3) * "
            "interval '1 second'");
    }
    [[nodiscard]] std::vector<std::string> in_order() {
        return session().column("SELECT id FROM jobs WHERE processed_at IS NULL ORDER BY priority, "
                                "retry_after, id");
    }
    [[nodiscard]] static long long keys_held(Session& by) {
        return by.number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = "
                         "(SELECT oid FROM pg_database WHERE datname = current_database())");
    }

private:
    std::unique_ptr<TestDatabase> database_;
};

const std::vector<std::vector<std::string>> hostile{
    {},
    {"enable_hashjoin", "enable_mergejoin"},
    {"enable_nestloop", "enable_mergejoin"},
    {"enable_nestloop", "enable_hashjoin"},
    {"enable_hashjoin", "enable_mergejoin", "enable_material", "enable_memoize"},
    {"enable_indexscan", "enable_indexonlyscan", "enable_bitmapscan"},
    {"enable_seqscan", "enable_sort"}};

// Runs the body under each set of plans, planned for these arguments and for any.
template <class Body>
void under_hostile_plans(Session& session, Body body) {
    for (const char* mode : {"force_custom_plan", "force_generic_plan"}) {
        for (const auto& settings : hostile) {
            session.run("RESET ALL; SET plan_cache_mode = " + std::string(mode));
            std::string trace = mode;
            for (const auto& setting : settings) {
                session.run("SET " + setting + " = off");
                trace += " " + setting;
            }
            SCOPED_TRACE(trace);
            body();
        }
    }
}

TEST_F(PostgresPlans, leases_are_taken_as_many_as_asked_for_and_in_order) {
    const auto s = statements(Form::lease, {.processed_at = true});
    fill();
    const auto order = in_order();
    const auto worker = connect();
    under_hostile_plans(*worker, [&] {
        for (const std::size_t limit : {std::size_t{1}, std::size_t{10}, std::size_t{100}}) {
            session().run("UPDATE jobs SET locked_until = NULL");
            const auto ids = column(claim(*worker, s.claim, limit), 0);
            const auto end = order.begin() + static_cast<std::ptrdiff_t>(limit);
            EXPECT_EQ(ids, std::vector<std::string>(order.begin(), end));
            EXPECT_EQ(
                session().number("SELECT count(*) FROM jobs WHERE locked_until IS NOT NULL"),
                static_cast<long long>(limit));
        }
    });
}

TEST_F(PostgresPlans, rows_are_locked_as_many_as_asked_for_and_none_twice) {
    const auto s = statements(Form::row_lock, {.processed_at = true});
    fill();
    const auto order = in_order();
    const auto first = connect(), second = connect();
    under_hostile_plans(*first, [&] {
        for (Session* each : {first.get(), second.get()}) each->run("BEGIN");
        auto ids = column(claim(*first, s.claim, 10), 0);
        const auto others = column(claim(*second, s.claim, 10), 0);
        ids.insert(ids.end(), others.begin(), others.end());
        EXPECT_EQ(ids, std::vector<std::string>(order.begin(), order.begin() + 20));
        for (Session* each : {first.get(), second.get()}) each->run("ROLLBACK");
    });
}

TEST_F(PostgresPlans, one_key_is_locked_that_of_the_first_row_whose_key_is_free) {
    for (const bool counts : {true, false}) {
        SCOPED_TRACE(counts ? "with attempt" : "without attempt");
        const auto s = statements(Form::advisory, {.attempt = counts, .processed_at = true});
        fill();
        const auto order = in_order();
        const auto worker = connect(), other = connect();
        other->run(
            "SELECT pg_advisory_lock(hashtextextended('accounts-' || account, 0)) FROM jobs WHERE id "
            "IN (" +
            order[0] + "," + order[1] + "," + order[2] + ")");
        under_hostile_plans(*worker, [&] {
            const auto rows = claim(*worker, s.claim, 64);
            ASSERT_EQ(rows.size(), 1U);
            EXPECT_EQ(rows[0].at(1), "64") << "as many were looked at";
            EXPECT_EQ(rows[0].at(2), order[3]);
            EXPECT_EQ(keys_held(session()), 3 + 1);
            EXPECT_EQ(
                execute(*worker, Server::postgres, s.unlock, {{Parameter::lock, rows[0].at(0)}}),
                (Rows{{"t"}}));
            EXPECT_EQ(keys_held(session()), 3);
        });
        other->run("SELECT pg_advisory_unlock_all()");
    }
}

TEST_F(PostgresPlans, no_key_is_locked_where_all_are_held) {
    const auto s = statements(Form::advisory, {.processed_at = true});
    fill();
    const auto worker = connect(), other = connect();
    other->run("SELECT pg_advisory_lock(hashtextextended('accounts-' || account, 0)) FROM jobs");
    const auto held = keys_held(session());
    const auto rows = claim(*worker, s.claim, 64);
    ASSERT_EQ(rows.size(), 1U) << "always one row, that says how many were looked at";
    EXPECT_EQ(rows[0].at(0), "NULL");
    EXPECT_EQ(rows[0].at(1), "64");
    EXPECT_EQ(rows[0].at(2), "NULL");
    EXPECT_EQ(keys_held(session()), held);
    EXPECT_EQ(session().number("SELECT max(attempt) FROM jobs"), 1);
}

TEST_F(PostgresPlans, an_empty_queue_locks_no_key) {
    const auto s = statements(Form::advisory);
    const auto rows = claim(session(), s.claim, 64);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].at(0), "NULL");
    EXPECT_EQ(rows[0].at(1), "0");
    EXPECT_EQ(keys_held(session()), 0);
}

// A claim's snapshot is older than what another session commits while the claim waits for the row.
class PostgresRaces : public PostgresPlans, public testing::WithParamInterface<bool> {
protected:
    // The claim's only result row, after another session's change has been committed under it.
    std::vector<std::string> claim_under(const std::string& change) {
        const auto s = statements(Form::advisory, {.attempt = GetParam(), .processed_at = true});
        insert_range(session(), 1, 1);
        const auto settler = connect(), worker = connect();
        settler->run("BEGIN; " + change);
        auto claimed = std::async(std::launch::async, [&] { return claim(*worker, s.claim, 64); });
        EXPECT_TRUE(eventually([&] {
            return session().number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = "
                                    "'Lock' AND datname = current_database()") == 1;
        })) << "the claim waits for the row";
        settler->run("COMMIT");
        const auto rows = claimed.get();
        EXPECT_EQ(rows.size(), 1U);
        EXPECT_NE(rows.at(0).at(0), "NULL") << "its key was locked before";
        return rows.at(0);
    }
};

INSTANTIATE_TEST_SUITE_P(Attempts, PostgresRaces, testing::Bool(), [](const auto& each) {
    return each.param ? "counted" : "not_counted";
});

TEST_P(PostgresRaces, a_row_put_off_meanwhile_is_not_taken) {
    EXPECT_EQ(claim_under("UPDATE jobs SET retry_after = '2100-01-01'").at(2), "NULL");
    EXPECT_EQ(session().number("SELECT attempt FROM jobs"), 1);
}

TEST_P(PostgresRaces, a_row_marked_meanwhile_is_not_taken) {
    EXPECT_EQ(claim_under("UPDATE jobs SET processed_at = now()").at(2), "NULL");
    EXPECT_EQ(session().number("SELECT attempt FROM jobs"), 1);
}

TEST_P(PostgresRaces, a_row_moved_meanwhile_is_not_taken) {
    EXPECT_EQ(claim_under("UPDATE jobs SET queue = 'failed'").at(2), "NULL");
}

TEST_P(PostgresRaces, a_row_deleted_meanwhile_is_not_taken) {
    EXPECT_EQ(claim_under("DELETE FROM jobs").at(2), "NULL");
}

TEST_P(PostgresRaces, a_row_that_is_still_due_is_read_as_it_is_now) {
    const auto row = claim_under("UPDATE jobs SET attempt = 5, payload = 'new'");
    EXPECT_EQ(row.at(2), "1");
    EXPECT_EQ(row.back(), "new");
    if (GetParam()) {
        EXPECT_EQ(row.at(3), "5");
    }
    EXPECT_EQ(session().number("SELECT attempt FROM jobs"), GetParam() ? 6 : 5);
}

}} // namespace rowq::test
