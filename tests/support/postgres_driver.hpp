// The PostgreSQL driver on a database of the test's own.
#pragma once

#include "db/database.hpp"
#include "support/databases.hpp"
#include "support/relay.hpp"
#include "support/required.hpp"

#include <rowq/error.hpp>

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rowq::test {

// What an action throws.
template <class F>
std::optional<Error> thrown_by(F action) {
    try {
        action();
        return std::nullopt;
    } catch (const Error& error) {
        return error;
    }
}

// What a test server's address says.
inline std::string option_of(const std::string& url, const std::string& key) {
    const auto at = url.find(key + "=");
    if (at == std::string::npos) return "";
    const auto start = at + key.size() + 1;
    return url.substr(start, std::min(url.find('&', start), url.size()) - start);
}

inline Bytes bytes(std::string_view text) {
    Bytes result;
    for (const char c : text) result.push_back(static_cast<std::byte>(c));
    return result;
}

class PostgresDriverTest : public testing::Test {
protected:
    void SetUp() override {
        ROWQ_SKIP_IF(missing(Server::postgres));
        created = make_database(Server::postgres);
        database = open({});
    }

    // Sessions end before their database is dropped.
    void TearDown() override {
        connection.reset();
        database.reset();
    }

    [[nodiscard]] std::unique_ptr<detail::db::Database> open(const detail::db::Options& options) {
        return detail::db::open_database(created->url(), options);
    }

    // A session that goes through the relay.
    std::unique_ptr<detail::db::Database> open_through(
        const Relay& relay, detail::db::Options options = {}) {
        const auto& url = created->url();
        const auto name = url.substr(url.rfind('/', url.find('?')) + 1);
        const auto database_name = name.substr(0, name.find('?'));
        return detail::db::open_database(
            "postgresql://rowq@" + relay.host_and_port() + "/" + database_name +
                "?sslmode=disable&gssencmode=disable",
            options);
    }

    std::unique_ptr<Relay> relay() {
        return std::make_unique<Relay>(
            option_of(created->url(), "host"), option_of(created->url(), "port"));
    }

    // A session of the test's own, made on first use.
    detail::db::Connection& session() {
        if (!connection) connection = database->pool()->acquire();
        return **connection;
    }

    // Past the driver.
    rowq::test::Session& beside() { return created->session(); }

    // Statements live as long as the test, as those of a subscription do.
    const detail::db::Query& query(const std::string& text) {
        return *queries.emplace_back(std::make_unique<detail::db::Query>(text));
    }

    detail::db::Call call(const std::string& text, std::vector<Value> parameters = {}) {
        return {&query(text), std::move(parameters)};
    }

    detail::db::Result run(
        const std::string& text, std::vector<Value> parameters = {}, detail::db::Frame frame = {}) {
        const std::vector calls{call(text, std::move(parameters))};
        return session().run(calls, frame).at(0);
    }

    std::string pid() {
        return std::to_string(std::get<std::int64_t>(run("SELECT pg_backend_pid()").at(0, 0)));
    }

    std::unique_ptr<TestDatabase> created;
    std::vector<std::unique_ptr<detail::db::Query>> queries;
    std::unique_ptr<detail::db::Database> database;
    std::optional<detail::db::PooledConnection> connection;
};

} // namespace rowq::test
