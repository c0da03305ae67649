// Statements on real servers, without the rest of the library: each prepares, and does what its name says.
#include "support/described_tables.hpp"
#include "support/job_table.hpp"
#include "support/required.hpp"
#include "support/statement_runner.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace rowq::test { namespace {

using detail::sql::Parameter;
namespace sql = detail::sql;

const std::string now = "2026-01-01 12:00:00.000000";
const std::string token = "2026-01-01 12:00:30.000000";
const std::string later = "2026-01-01 12:01:00.000000";

class StatementsTest : public testing::TestWithParam<Server> {
protected:
    void SetUp() override {
        ROWQ_SKIP_IF(missing(server()));
        database_ = make_database(server());
        dialect_ = dialect_of(server());
    }

    [[nodiscard]] Server server() const { return GetParam(); }
    [[nodiscard]] bool postgres() const { return server() == Server::postgres; }
    [[nodiscard]] TestDatabase& database() { return *database_; }
    [[nodiscard]] Session& session() { return database_->session(); }
    [[nodiscard]] const sql::Dialect& dialect() const { return *dialect_; }

    Rows run(const sql::Statement& statement, const Arguments& arguments) {
        return execute(session(), server(), statement, arguments);
    }
    [[nodiscard]] sql::Statements statements(
        const detail::Table& table, std::string_view dead_letter = "") {
        return dialect().statements(table, read_catalog(session(), server(), table), dead_letter);
    }
    void create(const DescribedTable& described) { session().run(ddl_of(server(), described)); }
    void drop(const DescribedTable& described) {
        session().run("DROP TABLE " + dialect().quote_table(described.table.name()));
        if (!described.table.has(detail::Role::group))
            session().run("DROP TABLE " + dialect().quote_table(described.dead_letter));
    }

private:
    std::unique_ptr<TestDatabase> database_;
    std::unique_ptr<sql::Dialect> dialect_;
};

INSTANTIATE_TEST_SUITE_P(
    Servers, StatementsTest, testing::Values(Server::postgres, Server::sqlite),
    [](const auto& each) { return each.param == Server::postgres ? "postgres" : "sqlite"; });

TEST_P(StatementsTest, of_every_described_table_are_what_the_server_takes) {
    for (const auto& described : described_tables()) {
        SCOPED_TRACE(described.name);
        create(described);
        auto all = named_statements(statements(described.table, described.dead_letter));
        for (auto& other : other_statements(dialect(), described.table))
            all.push_back(std::move(other));
        for (const auto& [event, statement] : all) {
            EXPECT_NO_THROW(prepare(session(), server(), statement)) << event;
        }
        drop(described);
    }
}

TEST_P(StatementsTest, in_the_golden_files_are_those_that_the_servers_own_catalog_gives) {
    for (const auto& described : described_tables()) {
        SCOPED_TRACE(described.name);
        create(described);
        const auto known = catalog_of(server(), described);
        const auto found = read_catalog(session(), server(), described.table);
        ASSERT_EQ(found.columns.size(), known.columns.size());
        for (std::size_t i = 0; i < known.columns.size(); ++i) {
            EXPECT_EQ(found.columns[i].name, known.columns[i].name);
            EXPECT_EQ(found.columns[i].type, known.columns[i].type);
            EXPECT_EQ(found.columns[i].nullable, known.columns[i].nullable)
                << known.columns[i].name;
            EXPECT_EQ(found.columns[i].computed, known.columns[i].computed)
                << known.columns[i].name;
        }
        EXPECT_TRUE(dialect().type_problems(described.table, found).empty())
            << dialect().type_problems(described.table, found).front();
        drop(described);
    }
}

// A user may call things what a statement would like to call them.
TEST_P(StatementsTest, stand_whatever_the_table_and_its_columns_are_called) {
    for (const char* name : {"due", "taken", "tried", "held", "gone", "asked", "one", "select"}) {
        SCOPED_TRACE(name);
        const std::string table = dialect().quote(name);
        const std::string columns =
            " (lock integer NOT NULL PRIMARY KEY, c0 text, o0 " +
            std::string(postgres() ? "timestamptz" : "TEXT") +
            ", due text, n integer, key text, value text, i text, t text, taken text)";
        session().run("CREATE TABLE " + table + columns);
        session().run("CREATE TABLE graveyard" + columns);
        const auto base = rowq::table(name).id("lock").retry_after("o0").attempt("n").payload("c0");
        for (const detail::Table& described :
             {detail::Table(base.description()),
              detail::Table(base.lock_key("{key}{value}").description())}) {
            for (const auto& [event, statement] :
                 named_statements(statements(described, "graveyard"))) {
                EXPECT_NO_THROW(prepare(session(), server(), statement)) << event;
            }
        }
        const detail::Table leased(rowq::table(name)
                                       .id("lock")
                                       .group("value")
                                       .attempt("n")
                                       .locked_until("o0")
                                       .payload("c0")
                                       .description());
        for (const auto& [event, statement] : named_statements(statements(leased, "failed"))) {
            EXPECT_NO_THROW(prepare(session(), server(), statement)) << event;
        }
        session().run("DROP TABLE " + table);
        session().run("DROP TABLE graveyard");
    }
}

TEST_P(StatementsTest, of_a_claim_count_attempts_and_report_them_as_they_stood) {
    create_table(database());
    session().run("ALTER TABLE jobs RENAME COLUMN attempt TO old");
    session().run("ALTER TABLE jobs ADD COLUMN attempt integer");
    for (const Form form : {Form::row_lock, Form::lease, Form::advisory}) {
        SCOPED_TRACE(to_string(form));
        session().run("DELETE FROM jobs");
        session().run("INSERT INTO jobs(id, account, attempt, retry_after, payload) VALUES "
                      "(1, 'a', 7, '2020-01-01 00:00:00.000000', 'x')");
        session().run("INSERT INTO jobs(id, account, attempt, retry_after, payload) VALUES "
                      "(2, 'a', NULL, '2020-01-02 00:00:00.000000', 'x')");
        const auto s = statements(detail::Table(describe(form).description()));
        const auto& claim = s.claim.empty() ? s.take : s.claim;
        const auto at = static_cast<std::size_t>(
            std::find(claim.outputs.begin(), claim.outputs.end(), sql::Output::attempt) -
            claim.outputs.begin());
        std::vector<std::string> told;
        for (const char* id : {"1", "2"}) {
            const Arguments arguments{{Parameter::group, "q"},        {Parameter::now, now},
                                      {Parameter::limit, "1"},        {Parameter::expiry, token},
                                      {Parameter::key, "accounts-a"}, {Parameter::id, id}};
            told.push_back(run(claim, arguments).at(0).at(at));
            session().run(std::string("UPDATE jobs SET queue = 'x' WHERE id = ") + id);
        }
        EXPECT_EQ(told, (std::vector<std::string>{"7", "1"})) << "NULL counts as 1";
        const bool counted = form != Form::row_lock;
        EXPECT_EQ(
            session().column("SELECT attempt FROM jobs ORDER BY id"),
            (std::vector<std::string>{counted ? "8" : "7", counted ? "2" : "NULL"}));
    }
}

// PostgreSQL finds and takes by one statement.
class StatementsOnSqlite : public StatementsTest {};

INSTANTIATE_TEST_SUITE_P(
    Servers, StatementsOnSqlite, testing::Values(Server::sqlite),
    [](const auto&) { return "sqlite"; });

TEST_P(StatementsOnSqlite, take_no_row_whose_key_is_another_by_now) {
    create_table(database());
    session().run("INSERT INTO jobs(id, account, retry_after, payload) VALUES "
                  "(1, 'b', '2020-01-01 00:00:00.000000', 'x')");
    const auto s = statements(detail::Table(describe(Form::advisory).description()));
    const auto taken_as = [&](const char* key) {
        return run(s.take, {{Parameter::group, "q"},
                            {Parameter::now, now},
                            {Parameter::id, "1"},
                            {Parameter::key, key}})
            .size();
    };
    EXPECT_EQ(taken_as("accounts-a"), 0U);
    EXPECT_EQ(session().one("SELECT attempt FROM jobs"), "1");
    EXPECT_EQ(taken_as("accounts-b"), 1U);
}

TEST_P(StatementsTest, for_renewal_renew_those_that_are_still_held) {
    session().run(
        postgres() ? "CREATE TABLE jobs (id text PRIMARY KEY, lease timestamptz, payload text)"
                   : "CREATE TABLE jobs (id TEXT PRIMARY KEY, lease TEXT, payload TEXT)");
    const auto add = [&](const std::string& id, const std::string& lease) {
        session().run("INSERT INTO jobs VALUES ('" + id + "', '" + lease + "', '')");
    };
    add("a", token);
    add("b\"\\,{}", token);
    add("c", later); // taken over
    const auto s = statements(detail::Table(
        rowq::table("jobs").id("id").locked_until("lease").payload("payload").description()));
    const std::string ids =
        postgres() ? R"({"gone","c","b\"\\,{}","a"})" : R"(["gone","c","b\"\\,{}","a"])";
    std::string tokens;
    for (int i = 0; i < 4; ++i) tokens += (i == 0 ? "\"" : ",\"") + token + "\"";
    tokens = postgres() ? "{" + tokens + "}" : "[" + tokens + "]";
    const std::string expiry = "2026-01-01 12:02:00.000000";
    auto renewed = run(
        s.renew, {{Parameter::ids, ids}, {Parameter::tokens, tokens}, {Parameter::expiry, expiry}});
    std::sort(renewed.begin(), renewed.end());
    ASSERT_EQ(renewed.size(), 2U);
    EXPECT_EQ(renewed[0][0], "a");
    EXPECT_EQ(renewed[1][0], "b\"\\,{}");
    EXPECT_EQ(renewed[0][1], session().one("SELECT lease FROM jobs WHERE id = 'a'"));
    EXPECT_EQ(session().number("SELECT count(*) FROM jobs WHERE lease = '" + expiry + "'"), 2);
    EXPECT_EQ(session().number("SELECT count(*) FROM jobs WHERE lease = '" + later + "'"), 1);
}

TEST_P(StatementsTest, for_dead_letters_move_a_row_as_it_is_but_for_lease_and_attempt) {
    for (const auto& described : described_tables()) {
        if (described.table.has(detail::Role::group)) continue;
        SCOPED_TRACE(described.name);
        create(described);
        const std::string overriding = postgres() ? " OVERRIDING SYSTEM VALUE" : "";
        for (const char* id : {"17", "18"})
            session().run(
                "INSERT INTO jobs(id, queue, priority, retry_after, attempt, locked_until, account, "
                "cents)" +
                overriding + " VALUES (" + id + ", 'q', 3, '" + now + "', 4, '" + token +
                "', 'acc', 21)");
        const auto s = statements(described.table, described.dead_letter);
        const auto move = [&](const std::string& with) {
            for (const auto& statement : s.dead_letter)
                run(statement, {{Parameter::id, "17"}, {Parameter::token, with}});
        };
        const bool lease = described.table.form() == detail::Form::lease;
        if (lease) {
            move(later);
            EXPECT_EQ(session().number("SELECT count(*) FROM graveyard"), 0) << "the token is lost";
        }
        move(token);
        EXPECT_EQ(session().column("SELECT id FROM jobs"), std::vector<std::string>{"18"});
        const bool counts = described.table.form() == detail::Form::row_lock &&
                            described.table.has(detail::Role::attempt);
        EXPECT_EQ(
            session().rows("SELECT id, queue, priority, attempt, locked_until IS NULL, account, "
                           "cents, doubled FROM graveyard"),
            (Rows{
                {"17", "q", "3", counts ? "5" : "4",
                 postgres() ? (lease ? "t" : "f") : (lease ? "1" : "0"), "acc", "21", "42"}}));
        drop(described);
    }
}

TEST_P(StatementsTest, for_stats_and_lists_put_each_row_into_one_state) {
    create_table(database());
    const auto add = [&](int id, const std::string& columns, const std::string& values) {
        session().run(
            "INSERT INTO jobs(id, payload, retry_after" + columns + ") VALUES (" +
            std::to_string(id) + ", 'x', " + values + ")");
    };
    const auto at = [](const std::string& instant) { return "'" + instant + "'"; };
    add(1, "", at(now));
    add(2, "", at("2026-01-01 11:00:00.000000"));
    add(3, "", at(later));
    add(4, ", locked_until", at(now) + ", " + at(token));
    add(5, ", locked_until", at(later) + ", " + at(now));
    add(6, ", processed_at", at(now) + ", " + at(now));
    add(7, ", queue", at(later) + ", 'r'");
    const Arguments arguments{{Parameter::now, now}, {Parameter::limit, "10"}};
    const auto ids = [&](const detail::Table& table, std::string_view state) {
        std::string text;
        for (const auto& row : run(dialect().list(table, state), arguments))
            text += (text.empty() ? "" : " ") + row.at(0) + ":" + row.at(2);
        return text;
    };
    const detail::Table leased(describe(Form::lease, {.processed_at = true}).description());
    auto stats = run(dialect().stats(leased), arguments);
    ASSERT_EQ(stats.size(), 2U);
    EXPECT_EQ(stats[0].at(5), session().one("SELECT retry_after FROM jobs WHERE id = 2"));
    stats[0].pop_back();
    EXPECT_EQ(stats[0], (std::vector<std::string>{"q", "2", "2", "1", "1"}));
    EXPECT_EQ(stats[1], (std::vector<std::string>{"r", "0", "1", "0", "0", "NULL"}));
    EXPECT_EQ(ids(leased, ""), "2:due 1:due 4:working 6:done 3:delayed 5:delayed 7:delayed");
    EXPECT_EQ(ids(leased, "due"), "2:due 1:due");
    EXPECT_EQ(ids(leased, "delayed"), "3:delayed 5:delayed 7:delayed");
    EXPECT_EQ(ids(leased, "working"), "4:working");
    EXPECT_EQ(ids(leased, "done"), "6:done");

    const detail::Table bare(rowq::table("jobs").id("id").payload("payload").description());
    EXPECT_EQ(run(dialect().stats(bare), arguments), (Rows{{"", "7", "0", "NULL", "0", "NULL"}}))
        << "who is at work cannot be read from the rows";
    EXPECT_EQ(ids(bare, "working"), "");
    EXPECT_EQ(ids(bare, "due"), ids(bare, ""));
    EXPECT_THROW(static_cast<void>(dialect().list(bare, "dead")), Error);
}

}} // namespace rowq::test
