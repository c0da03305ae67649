// The fixture of tests that run on every database in every form: a database, its table, a broker and what it told.
#pragma once

#include "support/databases.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/job_table.hpp"
#include "support/recorder.hpp"
#include "support/scale.hpp"
#include "support/sqlite_files.hpp"

#include <rowq/rowq.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace rowq::test {

struct Case {
    Server server = Server::postgres;
    Form form = Form::row_lock;
};

// "postgres_lease"
[[nodiscard]] std::string to_string(const Case& c);
std::ostream& operator<<(std::ostream& out, const Case& c);
[[nodiscard]] std::string name_of(const testing::TestParamInfo<Case>& info);

[[nodiscard]] std::vector<Case> every_case();
[[nodiscard]] std::vector<Case> cases_where(const std::function<bool(const Case&)>& wanted);
[[nodiscard]] std::vector<Case> cases_of(Server server);
[[nodiscard]] std::vector<Case> cases_of(Form form);

// A database of the test's own with the standard table. Skips, or fails, where the server is missing.
class QueueTest : public testing::TestWithParam<Case> {
protected:
    void SetUp() override;

    [[nodiscard]] Form form() const { return GetParam().form; }
    [[nodiscard]] bool postgres() const { return GetParam().server == Server::postgres; }
    [[nodiscard]] bool lease() const { return form() == Form::lease; }
    [[nodiscard]] bool row_lock() const { return form() == Form::row_lock; }
    [[nodiscard]] bool advisory() const { return form() == Form::advisory; }

    [[nodiscard]] TestDatabase& database() { return *database_; }
    [[nodiscard]] Session& session() { return database_->session(); }
    void add(const JobRow& row) { insert(session(), row); }
    [[nodiscard]] long long count(const std::string& condition = "1 = 1") {
        return session().number("SELECT count(*) FROM jobs WHERE " + condition);
    }

    // The standard table as this case's form reads it.
    [[nodiscard]] rowq::Table<void> jobs(const Roles& roles = {}) const {
        return describe(form(), roles);
    }

    // Told to `recorder`; a short grace, so that what hangs ends.
    [[nodiscard]] BrokerOptions options() const;
    [[nodiscard]] Broker broker() const { return Broker(database_->url(), options()); }

    // The code and text of what start() throws.
    [[nodiscard]] static std::optional<Error> start_error(Broker& broker) {
        return error_of([&] { broker.start(); });
    }

    [[nodiscard]] bool eventually_settled(Outcome::Kind outcome, std::size_t times = 1) const {
        return eventually([&] { return recorder->settled(outcome) >= times; });
    }
    [[nodiscard]] bool eventually_told(Event::Kind kind, std::size_t times = 1) const {
        return eventually([&] { return recorder->count(kind) >= times; });
    }

    std::shared_ptr<Recorder> recorder = std::make_shared<Recorder>();

private:
    std::unique_ptr<TestDatabase> database_;
};

// Often enough that a test need not wait for it.
inline constexpr std::chrono::milliseconds often{20};

#define ROWQ_CASES(fixture, cases)                                                                 \
    INSTANTIATE_TEST_SUITE_P(Matrix, fixture, testing::ValuesIn(cases), name_of)
#define ROWQ_EVERY_CASE(fixture) ROWQ_CASES(fixture, every_case())

} // namespace rowq::test
