// The table that tests work on: one set of columns for every form, described with the roles that a test asks for.
#pragma once

#include "support/databases.hpp"

#include <rowq/observer.hpp>
#include <rowq/table.hpp>
#include <rowq/value.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace rowq::test {

using rowq::to_string;

enum class Form { row_lock, lease, advisory };

// "row_lock", as test names and programs' arguments have it.
[[nodiscard]] std::string_view to_string(Form form) noexcept;
[[nodiscard]] Form form_named(std::string_view name);

// Which roles play beside id, payload and the form's own. All columns exist whatever plays.
struct Roles {
    bool group = true;
    bool priority = true;
    bool retry_after = true;
    bool attempt = true;
    bool headers = true;
    bool processed_at = false;
};

// Columns: id, queue ('q'), priority (0), retry_after, attempt (1), locked_until, processed_at, account (random), headers, payload.
// In the lock key form the key is "accounts-{account}".
void create_table(
    TestDatabase& database, const std::string& name = "jobs",
    const std::string& payload_type = "text");

// The index that serves the claim order of the description with all its roles.
void create_claim_index(TestDatabase& database, const std::string& name = "jobs");

[[nodiscard]] rowq::Table<void> describe(
    Form form, const Roles& roles = {}, std::string_view name = "jobs");

// A row as a test writes it past the library. Due since long ago unless delayed.
struct JobRow {
    long long id = 1;
    std::string payload = "\"work\"";
    std::string queue = "q";
    int priority = 0;
    std::string due = "2020-01-01 00:00:00.000000"; // UTC
    int attempt = 1;
    std::optional<std::string> account = {}; // its own id unless given
    std::string headers = "{}";
};
inline constexpr const char* far_future = "2100-01-01 00:00:00.000000";

void insert(Session& session, const JobRow& row, const std::string& table = "jobs");

// Rows first..last, all due, each with its id as payload and account.
void insert_range(
    Session& session, long long first, long long last, const std::string& table = "jobs");

// SQL for an instant so many seconds from now, as the columns hold it.
[[nodiscard]] std::string instant_from_now(const TestDatabase& database, double seconds);

// SQL for the seconds from now until the instant in a column.
[[nodiscard]] std::string seconds_until(const TestDatabase& database, const std::string& column);

} // namespace rowq::test
