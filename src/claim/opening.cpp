// Opening a subscription: every check with the words that say what to mend.
#include "claim/opening.hpp"

#include "db/values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdlib>
#include <utility>

namespace rowq::detail::claim {

namespace {

using namespace std::chrono_literals;

[[noreturn]] void refuse(const Request& request, ErrorCode code, std::string_view text) {
    const auto& table = request.table.name();
    throw Error(code, text).at(table, request.group.empty() ? table : request.group);
}

struct Floor {
    int major;
    int minor;
};

// Advisory locks need hashtextextended (PostgreSQL 11) and materialised WITH needs 12; SQLite returns rows from updates since 3.35 and counts changes in 64 bits since 3.37.
Floor floor_of(db::Kind kind) noexcept {
    return kind == db::Kind::postgres ? Floor{12, 0} : Floor{3, 37};
}

void check_version(const Request& request, const sql::Dialect& dialect, const db::Server& server) {
    const Floor floor = floor_of(server.kind);
    if (std::pair(server.major, server.minor) >= std::pair(floor.major, floor.minor)) return;
    refuse(
        request, ErrorCode::server_too_old,
        fmt::format(
            "{} {} is too old: the {} form needs {}.{} or newer", dialect.name(), server.version,
            to_string(request.table.form()), floor.major, floor.minor));
}

std::vector<db::Result> ask(
    db::Database& database, const sql::Statement& statement, const Request& request) {
    const Prepared prepared(statement);
    Inputs inputs;
    inputs.group = request.group;
    const std::array calls{prepared.call(inputs)};
    return database.read(calls);
}

sql::Catalog read_catalog(
    db::Database& database, const sql::Dialect& dialect, const Request& request) {
    const auto columns = ask(database, dialect.catalog_columns(request.table), request);
    if (columns.front().rows() == 0)
        refuse(
            request, ErrorCode::schema,
            fmt::format(
                "there is no table {} in {}: create it, or check the name's case and schema",
                request.table.name(), database.name()));
    const auto indexes = ask(database, dialect.catalog_indexes(request.table), request);
    return sql::read_catalog(
        columns.front().values, columns.front().columns, indexes.front().values,
        indexes.front().columns);
}

void check_columns(
    const Request& request, const sql::Dialect& dialect, const sql::Catalog& catalog) {
    for (const auto& column : request.table.columns()) {
        if (catalog.find(column.name) == nullptr)
            refuse(
                request, ErrorCode::schema,
                fmt::format(
                    "the table has no column \"{}\" for the role {}", column.name,
                    to_string(column.role)));
    }
    for (const auto& part : request.table.lock_key()) {
        if (part.is_column && catalog.find(part.text) == nullptr)
            refuse(
                request, ErrorCode::schema,
                fmt::format("the table has no column \"{}\" for the lock key", part.text));
    }
    const auto problems = dialect.type_problems(request.table, catalog);
    if (!problems.empty())
        refuse(request, ErrorCode::schema, fmt::format("{}", fmt::join(problems, "; ")));
}

QueueStatements prepare_all(sql::Statements texts) {
    QueueStatements s;
    s.claim = Prepared(std::move(texts.claim));
    s.candidates = Prepared(std::move(texts.candidates));
    s.take = Prepared(std::move(texts.take));
    s.ack = Prepared(std::move(texts.ack));
    s.retry = Prepared(std::move(texts.retry));
    s.retry_after = Prepared(std::move(texts.retry_after));
    s.give_back = Prepared(std::move(texts.give_back));
    for (auto& text : texts.dead_letter) s.dead_letter.emplace_back(std::move(text));
    s.renew = Prepared(std::move(texts.renew));
    s.unfinished = Prepared(std::move(texts.unfinished));
    s.unlock = Prepared(std::move(texts.unlock));
    return s;
}

// Each on the server, under its own name, so that an error says which one it refuses.
void check_statements(db::Database& database, const Request& request, const QueueStatements& s) {
    std::vector<std::pair<std::string_view, const Prepared*>> named{
        {"claim", &s.claim},
        {"claim", &s.candidates},
        {"claim", &s.take},
        {"ack", &s.ack},
        {"retry", &s.retry},
        {"retry_after", &s.retry_after},
        {"give back", &s.give_back},
        {"renew", &s.renew},
        {"unfinished", &s.unfinished},
        {"unlock", &s.unlock}};
    for (const auto& statement : s.dead_letter) named.emplace_back("dead letter", &statement);
    for (const auto& [name, statement] : named) {
        if (statement->empty()) continue;
        try {
            database.prepare(std::array{statement->query()});
        } catch (const Error& error) {
            if (error.code() != ErrorCode::schema) throw;
            throw Error(
                error.code(),
                fmt::format("the statement for {} cannot be prepared: {}", name, error.text()),
                error.details())
                .at(request.table.name(),
                    request.group.empty() ? request.table.name() : request.group);
        }
    }
}

// Leases are compared with the host's clock, so hosts must agree. On SQLite host and database are one.
void check_clock(
    db::Database& database, const Clock& clock, const sql::Dialect& dialect,
    const Request& request) {
    if (request.table.form() != Form::lease || database.kind() == db::Kind::sqlite) return;
    const auto before = clock.now();
    const auto results = ask(database, dialect.server_clock(), request);
    const auto after = clock.now();
    const auto server =
        results.front().rows() == 1 ? db::as_timestamp(results.front().at(0, 0)) : std::nullopt;
    if (!server) return;
    const auto limit = request.lease / 4;
    if (*server >= before - limit && *server <= after + limit) return;
    const auto skew = std::chrono::duration_cast<std::chrono::milliseconds>(before - *server);
    refuse(
        request, ErrorCode::declaration,
        fmt::format(
            "this host's clock is {} ms {} the database's, more than a quarter of the lease of {} ms: "
            "set the clocks right (NTP), or use longer leases",
            std::abs(skew.count()), skew.count() > 0 ? "ahead of" : "behind",
            request.lease.count()));
}

std::vector<std::string> time_limits(
    db::Database& database, const sql::Dialect& dialect, const Request& request) {
    std::vector<std::string> found;
    const auto statement = dialect.time_limits(request.table.form());
    if (statement.empty()) return found;
    const auto results = ask(database, statement, request);
    for (std::size_t row = 0; row < results.front().rows(); ++row) {
        const auto name = db::as_text(results.front().at(row, 0)).value_or("");
        found.push_back(fmt::format(
            "{} is {}: the server ends the session of a handler that runs longer, and its row returns; "
            "set it to 0 for rowq's user, or use the lease form",
            name, db::as_text(results.front().at(row, 1)).value_or("")));
    }
    return found;
}

std::vector<std::string> warnings(
    db::Database& database, const sql::Dialect& dialect, const Request& request,
    const sql::Catalog& catalog) {
    auto found = time_limits(database, dialect, request);
    if (!sql::serves_claim_order(request.table, catalog))
        found.push_back(
            "no index serves the claim order, so claims grow slow with the backlog; add: " +
            dialect.claim_index_ddl(request.table));
    return found;
}

} // namespace

void check_declaration(const Request& request) {
    const auto& options = request.options;
    const auto wrong = [&](std::string_view text) {
        refuse(request, ErrorCode::declaration, text);
    };
    if (options.workers < 1) wrong("a subscription needs at least one worker");
    if (options.max_in_work.value_or(options.workers) < options.workers)
        wrong("max_in_work is at least the number of workers");
    if (options.poll_interval < 1ms) wrong("the poll interval is at least 1 ms");
    if (options.first_backoff < 0ms || options.longest_backoff < options.first_backoff)
        wrong("a back-off starts at 0 ms or more and ends no lower than it starts");
    if (options.lease && request.table.form() != Form::lease)
        wrong("a lease length is given, but the table has no locked_until column");
    if (request.lease < 1s) wrong("a lease is at least 1 s");
    if (options.max_attempts && *options.max_attempts < 1) wrong("max_attempts is at least 1");
    if (options.max_attempts && options.dead_letter.empty())
        wrong("max_attempts needs a dead letter: say where rows go with dead_letter()");
    if (!options.max_attempts && !options.dead_letter.empty())
        wrong("a dead letter needs a cap: say after how many attempts with max_attempts()");
    if (options.max_attempts && !request.table.has(Role::attempt))
        wrong("max_attempts needs an attempt column in the table's description");
    if (options.dead_letter.empty() && options.on_undecodable &&
        options.on_undecodable->kind() == Outcome::Kind::dead_letter)
        wrong("rows that do not decode are to become dead letters, but no dead letter is declared");
    if (!options.dead_letter.empty() &&
        options.dead_letter ==
            (request.table.has(Role::group) ? request.group : request.table.name()))
        wrong("the dead letter is the queue itself");
}

Opened open_queue(
    db::Database& database, const Clock& clock, const sql::Dialect& dialect,
    const Request& request) {
    check_declaration(request);
    for (const auto& column : request.table.columns())
        static_cast<void>(dialect.quote(column.name));
    if (!request.table.schema().empty()) static_cast<void>(dialect.quote(request.table.schema()));
    static_cast<void>(dialect.quote(request.table.relation()));
    check_version(request, dialect, database.server());
    const auto catalog = read_catalog(database, dialect, request);
    check_columns(request, dialect, catalog);
    auto statements =
        prepare_all(dialect.statements(request.table, catalog, request.options.dead_letter));
    check_statements(database, request, statements);
    check_clock(database, clock, dialect, request);
    return {
        Queue{
            database, clock, request.table, request.group, request.options.dead_letter,
            request.lease, std::move(statements)},
        warnings(database, dialect, request, catalog)};
}

} // namespace rowq::detail::claim
