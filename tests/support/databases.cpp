// What both kinds of database share.
#include "support/databases.hpp"

#include "support/postgres_database.hpp"
#include "support/sqlite_database.hpp"

#include <cstdlib>
#include <stdexcept>

namespace rowq::test {

std::optional<std::string> missing(Server server) {
#if !ROWQ_WITH_SQLITE
    if (server == Server::sqlite) return "this build has no SQLite driver";
#endif
    if (server == Server::sqlite) return std::nullopt;
#if !ROWQ_WITH_POSTGRES
    return "this build has no PostgreSQL driver";
#else
    const char* url = std::getenv("ROWQ_TEST_POSTGRES");
    if (url == nullptr || *url == '\0')
        return "no PostgreSQL server: set ROWQ_TEST_POSTGRES, or run under `tools/servers run --`";
    return std::nullopt;
#endif
}

std::optional<std::string> missing_tcp() {
    if (std::getenv("ROWQ_TEST_POSTGRES_TCP") != nullptr) return std::nullopt;
    return "no PostgreSQL server by TCP: set ROWQ_TEST_POSTGRES_TCP";
}

bool all_required() {
    const char* required = std::getenv("ROWQ_REQUIRE");
    return required != nullptr && std::string_view(required) == "all";
}

std::string Session::one(const std::string& sql) {
    const Rows found = rows(sql);
    if (found.size() != 1 || found.front().empty())
        throw std::runtime_error(
            "expected one row, got " + std::to_string(found.size()) + ": " + sql);
    return found.front().front();
}

std::vector<std::string> Session::column(const std::string& sql) {
    std::vector<std::string> values;
    for (const auto& row : rows(sql)) values.push_back(row.at(0));
    return values;
}

Session& TestDatabase::session() {
    if (!session_) session_ = connect();
    return *session_;
}

std::unique_ptr<TestDatabase> make_database(Server server) {
#if ROWQ_WITH_POSTGRES
    if (server == Server::postgres) return make_postgres_database();
#endif
#if ROWQ_WITH_SQLITE
    if (server == Server::sqlite) return make_sqlite_database();
#endif
    throw std::runtime_error("no such server");
}

long long terminate_sessions(Session& session, std::string_view which) {
    return session.number(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = "
        "current_database() AND pid <> pg_backend_pid() AND (" +
        std::string(which) + ")");
}

} // namespace rowq::test
