// From an address to a session that is set up.
#include "db/postgres_connect.hpp"

#include "db/postgres_error.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace rowq::detail::db {

namespace {

// The order of an attempt's end: with a session, or with the reason why there is none.
struct Attempt {
    PgHandle handle;
    std::string failure;
};

PgHandle start(const PgOptions& options) {
    std::vector<const char*> keys;
    std::vector<const char*> values;
    for (const auto& [key, value] : options) {
        keys.push_back(key.c_str());
        values.push_back(value.c_str());
    }
    keys.push_back(nullptr);
    values.push_back(nullptr);
    return PgHandle(PQconnectStartParams(keys.data(), values.data(), 0));
}

std::string silent(const PgOptions& options, const char* during) {
    const auto of = [&](const char* key) {
        const auto found = options.find(key);
        return found == options.end() ? std::string() : found->second;
    };
    return fmt::format(
        "no answer {} from host {} port {}", during,
        of(options.contains("host") ? "host" : "hostaddr"), of("port"));
}

// Ends a session that must not be waited for: PQfinish would say good-bye first.
void abandon(PgHandle& handle) {
    if (const int socket = PQsocket(handle.get()); socket >= 0) ::shutdown(socket, SHUT_RDWR);
    handle.reset();
}

// Empty when connected.
std::string drive(PGconn* connection, const PgOptions& options, Deadline deadline) {
    PQsetErrorVerbosity(connection, PQERRORS_VERBOSE); // the only way to the sqlstate of a failure
    auto next = PGRES_POLLING_WRITING;
    while (next != PGRES_POLLING_OK) {
        if (next == PGRES_POLLING_FAILED || PQstatus(connection) == CONNECTION_BAD)
            return PQerrorMessage(connection);
        const short events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT;
        if (wait_for(PQsocket(connection), events, deadline) == 0)
            return silent(options, "in time");
        next = PQconnectPoll(connection);
    }
    PQsetErrorVerbosity(connection, PQERRORS_DEFAULT);
    return {};
}

// `checked`: the server looks every few seconds whether we are still there while it works for us, so that a statement that was given up
// does not go on for hours. Servers before 14 and on some systems cannot.
std::string session_settings(bool checked) {
    std::string text =
        "SET TimeZone = 'UTC'; SET DateStyle = 'ISO'; SET standard_conforming_strings = on; "
        "SET default_transaction_isolation = 'read committed'; SET bytea_output = 'hex'; "
        "SET tcp_keepalives_idle = 15; SET tcp_keepalives_interval = 5; "
        "SET tcp_keepalives_count = 3";
    if (checked) text += "; SET client_connection_check_interval = '5s'";
    return text;
}

enum class Applied { yes, no, refused };

Applied apply(
    PGconn* connection, const std::string& settings, Deadline deadline, std::string& failure) {
    if (PQsendQuery(connection, settings.c_str()) == 0) return Applied::no;
    Applied result = Applied::yes;
    for (;;) {
        const int unsent = PQflush(connection);
        while (PQisBusy(connection) != 0) {
            const auto events = static_cast<short>(unsent > 0 ? POLLIN | POLLOUT : POLLIN);
            if (wait_for(PQsocket(connection), events, deadline) == 0) {
                failure = "no answer in time after the connection was made";
                return Applied::no;
            }
            if (PQconsumeInput(connection) == 0 || PQflush(connection) < 0) return Applied::no;
        }
        const PgAnswer answer(PQgetResult(connection));
        if (!answer) return result;
        if (PQresultStatus(answer.get()) == PGRES_COMMAND_OK) continue;
        failure = server_text_of(*answer);
        result = ends_session(*answer) ? Applied::no : Applied::refused;
        if (result == Applied::no) return result;
    }
}

std::string set_up(PGconn* connection, Deadline deadline) {
    if (PQsetnonblocking(connection, 1) != 0) return PQerrorMessage(connection);
    const bool checks = PQserverVersion(connection) >= 140000;
    std::string failure;
    Applied applied = apply(connection, session_settings(checks), deadline, failure);
    if (applied == Applied::refused && checks)
        applied = apply(connection, session_settings(false), deadline, failure);
    if (applied != Applied::yes) return failure.empty() ? PQerrorMessage(connection) : failure;
    return PQenterPipelineMode(connection) == 1 ? "" : PQerrorMessage(connection);
}

Attempt attempt(const PgOptions& options, Deadline deadline) {
    Attempt result;
    result.handle = start(options);
    if (!result.handle) {
        result.failure = "out of memory";
        return result;
    }
    // What the server notes while connecting is of no interest, and not for stderr.
    PQsetNoticeReceiver(
        result.handle.get(), [](void*, const PGresult*) {}, nullptr);
    result.failure = drive(result.handle.get(), options, deadline);
    if (result.failure.empty()) result.failure = set_up(result.handle.get(), deadline);
    if (!result.failure.empty()) abandon(result.handle);
    return result;
}

// libpq adds a line with the place in the server's source.
std::string without_location(std::string text) {
    for (auto at = text.find("\nLOCATION:"); at != std::string::npos; at = text.find("\nLOCATION:"))
        text.erase(at, std::min(text.find('\n', at + 1), text.size()) - at);
    return text;
}

} // namespace

PgHandle connect_postgres(
    const PostgresAddress& address, std::chrono::milliseconds timeout, const Cutoff& cutoff) {
    using std::chrono::milliseconds;
    const Deadline end = deadline_after(timeout, cutoff);
    const auto& attempts = address.attempts();
    std::string failures;
    for (std::size_t i = 0; i < attempts.size(); ++i) {
        const auto left =
            std::chrono::ceil<milliseconds>(end.at - std::chrono::steady_clock::now());
        const auto share = left / static_cast<milliseconds::rep>(attempts.size() - i);
        const auto limit = address.connect_timeout();
        auto result =
            attempt(attempts[i], deadline_after(limit ? milliseconds(*limit) : share, cutoff));
        if (result.handle) return std::move(result.handle);
        if (!failures.empty()) failures += "; ";
        failures += without_location(std::move(result.failure));
        // A host that refuses the user is an answer; the others would refuse too.
        if (sqlstate_in(failures).starts_with("28")) break;
    }
    throw cannot_connect(address.name(), address.scrubbed(std::move(failures)));
}

} // namespace rowq::detail::db
