// Claims under the worst plans that a server may pick: exactly as many rows as asked for, in order.
#include "broker/core.hpp"
#include "claim/claims.hpp"
#include "claim/opening.hpp"
#include "support/matrix.hpp"

#include <atomic>

namespace rowq::test { namespace {

using namespace std::chrono_literals;

class Plans : public QueueTest {
protected:
    // Makes every session from now on plan badly, on statistics of an empty table.
    void plan_badly(const std::string& off) {
        session().run("ANALYZE jobs");
        insert_range(session(), 1, 200);
        if (!postgres()) return;
        const std::string name = session().one("SELECT current_database()");
        session().run("ALTER TABLE jobs SET (autovacuum_enabled = false)");
        std::size_t from = 0;
        while (from < off.size()) {
            const auto end = std::min(off.find(' ', from), off.size());
            session().run(
                "ALTER DATABASE " + name + " SET " + off.substr(from, end - from) + " = off");
            from = end + 1;
        }
    }

    // Claims of `n` rows until none is due, each claim's ids; all rows stay in work.
    [[nodiscard]] std::vector<std::vector<std::string>> claims_of(std::size_t n) {
        namespace claim = detail::claim;
        const auto database = detail::db::open_database(this->database().url(), {});
        const Clock clock;
        const auto dialect =
            postgres() ? detail::sql::postgres_dialect() : detail::sql::sqlite_dialect();
        const detail::Table table(jobs().description());
        const SubscriptionOptions options;
        const std::string group = "q";
        auto opened =
            claim::open_queue(*database, clock, *dialect, {table, group, false, options, 60s});
        claim::Watcher watcher;
        const auto claims = claim::make_claims(opened.queue, watcher, {});
        std::vector<std::vector<std::string>> found;
        std::vector<claim::Claimed> kept;
        for (;;) {
            kept.push_back(claims->claim(n, {}));
            if (kept.back().rows.empty()) return found;
            auto& ids = found.emplace_back();
            for (const auto& held : kept.back().rows) ids.push_back(to_string(held->content.id));
        }
    }
    using SubscriptionOptions = detail::SubscriptionOptions;
};

ROWQ_CASES(Plans, cases_of(Form::lease));

const std::vector<std::string> hostile{
    "enable_hashjoin enable_mergejoin", "enable_nestloop enable_mergejoin",
    "enable_nestloop enable_hashjoin", "enable_hashjoin enable_mergejoin enable_material",
    "enable_indexscan enable_bitmapscan enable_hashjoin enable_mergejoin"};

TEST_P(Plans, never_change_how_many_rows_a_claim_takes) {
    for (const std::string& off : hostile) {
        if (postgres())
            session().run(
                "ALTER DATABASE " + session().one("SELECT current_database()") + " RESET ALL");
        session().run("DELETE FROM jobs");
        plan_badly(off);
        const auto claims = claims_of(10);
        ASSERT_EQ(claims.size(), 20U) << off;
        for (const auto& ids : claims) EXPECT_EQ(ids.size(), 10U) << off;
        session().run("UPDATE jobs SET locked_until = NULL");
        EXPECT_EQ(claims_of(1).size(), 200U) << off;
        if (!postgres()) break;
    }
}

TEST_P(Plans, never_change_the_order_of_a_claim) {
    for (const std::string& off : hostile) {
        if (postgres())
            session().run(
                "ALTER DATABASE " + session().one("SELECT current_database()") + " RESET ALL");
        session().run("DELETE FROM jobs");
        plan_badly(off);
        session().run("UPDATE jobs SET priority = 7 - id % 5");
        session().run(
            "UPDATE jobs SET retry_after = '2020-01-02 00:00:00.000000' WHERE id % 3 = 0");
        const auto expected =
            session().column("SELECT id FROM jobs ORDER BY priority, retry_after, id");
        const auto claims = claims_of(100);
        ASSERT_EQ(claims.size(), 2U) << off;
        std::vector<std::string> ids = claims[0];
        ids.insert(ids.end(), claims[1].begin(), claims[1].end());
        EXPECT_EQ(ids, expected) << off;
        if (!postgres()) break;
    }
}

}} // namespace rowq::test
