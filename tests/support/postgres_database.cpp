// libpq, used directly.
#include "support/postgres_database.hpp"

#if ROWQ_WITH_POSTGRES

#include <libpq-fe.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <stdexcept>

namespace rowq::test {

namespace {

class PostgresSession final : public Session {
public:
    explicit PostgresSession(const std::string& url)
        : connection_(PQconnectdb(url.c_str()), PQfinish) {
        if (PQstatus(connection_.get()) != CONNECTION_OK)
            throw std::runtime_error(PQerrorMessage(connection_.get()));
        run("SET client_min_messages = warning; SET timezone = 'UTC'");
    }

    Rows rows(const std::string& sql) override {
        const std::unique_ptr<PGresult, decltype(&PQclear)> result(
            PQexec(connection_.get(), sql.c_str()), PQclear);
        const auto status = PQresultStatus(result.get());
        if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
            throw std::runtime_error(sql + ": " + PQerrorMessage(connection_.get()));
        Rows rows(static_cast<std::size_t>(PQntuples(result.get())));
        for (std::size_t r = 0; r < rows.size(); ++r) {
            for (int c = 0; c < PQnfields(result.get()); ++c) {
                const int row = static_cast<int>(r);
                rows[r].emplace_back(
                    PQgetisnull(result.get(), row, c) != 0 ? "NULL"
                                                           : PQgetvalue(result.get(), row, c));
            }
        }
        return rows;
    }

private:
    std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

// The address with another database's name in it.
std::string with_database(const std::string& url, const std::string& name) {
    const auto scheme = url.find("://");
    if (scheme == std::string::npos)
        throw std::runtime_error("ROWQ_TEST_POSTGRES must be an address: postgresql://..");
    const auto end = std::min(url.find('?', scheme), url.size());
    const auto slash = std::min(url.find('/', scheme + 3), end);
    return url.substr(0, slash) + "/" + name + url.substr(end);
}

class PostgresDatabase final : public TestDatabase {
public:
    PostgresDatabase() : server_(std::getenv("ROWQ_TEST_POSTGRES")) {
        static std::atomic<int> count{0};
        name_ = "rowq_test_" + std::to_string(getpid()) + "_" + std::to_string(++count);
        url_ = with_database(server_, name_);
        PostgresSession session(server_);
        session.run("DROP DATABASE IF EXISTS " + name_ + " WITH (FORCE)");
        session.run("CREATE DATABASE " + name_);
    }

    ~PostgresDatabase() override {
        try {
            PostgresSession(server_).run("DROP DATABASE IF EXISTS " + name_ + " WITH (FORCE)");
        } catch (const std::exception&) {
            return; // the server went first
        }
    }

    [[nodiscard]] Server server() const noexcept override { return Server::postgres; }
    [[nodiscard]] const std::string& url() const noexcept override { return url_; }
    [[nodiscard]] std::unique_ptr<Session> connect() const override {
        return std::make_unique<PostgresSession>(url_);
    }

private:
    std::string server_;
    std::string name_;
    std::string url_;
};

} // namespace

std::unique_ptr<TestDatabase> make_postgres_database() {
    return std::make_unique<PostgresDatabase>();
}

} // namespace rowq::test

#endif
