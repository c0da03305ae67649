// A database of the test's own, looked at past the library.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rowq::test {

enum class Server { postgres, sqlite };

// Why tests of this server cannot run here; empty if they can.
[[nodiscard]] std::optional<std::string> missing(Server server);

// The same for tests that need PostgreSQL by TCP and with a password.
[[nodiscard]] std::optional<std::string> missing_tcp();

// ROWQ_REQUIRE=all: a missing server fails the test instead of skipping it.
[[nodiscard]] bool all_required();

// A result as the database writes it; a NULL reads "NULL".
using Rows = std::vector<std::vector<std::string>>;

// One session past the library. Used by one thread at a time. Throws std::runtime_error with the server's text.
class Session {
public:
    virtual ~Session() = default;

    // One statement's rows, or those of the last of several.
    virtual Rows rows(const std::string& sql) = 0;

    void run(const std::string& sql) { static_cast<void>(rows(sql)); }
    // The first column of the only row.
    [[nodiscard]] std::string one(const std::string& sql);
    [[nodiscard]] long long number(const std::string& sql) { return std::stoll(one(sql)); }
    // The first column of each row.
    [[nodiscard]] std::vector<std::string> column(const std::string& sql);
};

// Created empty, dropped with whatever still uses it. Must not be made where missing() has a reason.
class TestDatabase {
public:
    virtual ~TestDatabase() = default;
    TestDatabase() = default;
    TestDatabase(const TestDatabase&) = delete;
    TestDatabase& operator=(const TestDatabase&) = delete;

    [[nodiscard]] virtual Server server() const noexcept = 0;
    [[nodiscard]] bool postgres() const noexcept { return server() == Server::postgres; }

    // The address for rowq.
    [[nodiscard]] virtual const std::string& url() const noexcept = 0;

    [[nodiscard]] virtual std::unique_ptr<Session> connect() const = 0;

    // A session that is always there.
    [[nodiscard]] Session& session();

private:
    std::unique_ptr<Session> session_;
};

[[nodiscard]] std::unique_ptr<TestDatabase> make_database(Server server);

// Ends every session of the database but the asking one. PostgreSQL only. `which`: a condition on pg_stat_activity.
long long terminate_sessions(Session& session, std::string_view which = "true");

} // namespace rowq::test
