// Statistics, lists and the recommended table.
#include "ops/look.hpp"

#include "db/values.hpp"

#include <rowq/error.hpp>

#include <array>
#include <chrono>
#include <thread>

namespace rowq::detail::ops {

namespace {

db::Result ask(
    db::Database& database, const Table& table, const sql::Statement& statement,
    const db::Query& query, Timestamp now, std::int64_t limit = 0) {
    db::Call call{&query, {}};
    for (const auto parameter : statement.parameters) {
        if (parameter == sql::Parameter::now)
            call.parameters.emplace_back(now);
        else
            call.parameters.emplace_back(limit);
    }
    try {
        return std::move(database.read(std::array{std::move(call)}).front());
    } catch (const Error& error) {
        throw error.at(table.name(), "");
    }
}

db::Result ask_once(
    db::Database& database, const Table& table, const sql::Statement& statement, Timestamp now,
    std::int64_t limit = 0) {
    return ask(database, table, statement, db::Query(statement.text), now, limit);
}

// As the claims read it.
std::optional<Id> id_of(const Value& value) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
    const auto* text = std::get_if<std::string>(&value);
    return text != nullptr && db::is_utf8(*text) ? std::optional<Id>(*text) : std::nullopt;
}

std::int64_t number(const Value& value) { return db::as_integer(value).value_or(0); }

} // namespace

std::unique_ptr<sql::Dialect> dialect_of(db::Kind kind) {
    return kind == db::Kind::postgres ? sql::postgres_dialect() : sql::sqlite_dialect();
}

StatsReader::StatsReader(db::Database& database, const Table& table)
    : database_(database),
      table_(table),
      statement_(dialect_of(database.kind())->stats(table)),
      query_(statement_.text) {}

std::vector<GroupStats> StatsReader::read(Timestamp now) {
    const auto result = ask(database_, table_, statement_, query_, now);
    std::vector<GroupStats> groups;
    for (std::size_t i = 0; i < result.rows(); ++i) {
        groups.push_back(
            {db::as_text(result.at(i, 0)).value_or(""), number(result.at(i, 1)),
             number(result.at(i, 2)), db::as_integer(result.at(i, 3)), number(result.at(i, 4)),
             db::as_timestamp(result.at(i, 5))});
    }
    return groups;
}

std::vector<ListedRow> list(
    db::Database& database, const Table& table, std::string_view state, std::int64_t limit,
    Timestamp now) {
    const auto dialect = dialect_of(database.kind());
    const auto result = ask_once(database, table, dialect->list(table, state), now, limit);
    std::vector<ListedRow> rows;
    for (std::size_t i = 0; i < result.rows(); ++i) {
        rows.push_back(
            {id_of(result.at(i, 0)), db::as_text(result.at(i, 1)).value_or(""),
             db::as_text(result.at(i, 2)).value_or(""), db::as_integer(result.at(i, 3)),
             db::as_timestamp(result.at(i, 4)), db::as_text(result.at(i, 5))});
    }
    return rows;
}

std::vector<std::string> columns(db::Database& database, const Table& table) {
    const auto dialect = dialect_of(database.kind());
    const auto result = ask_once(database, table, dialect->catalog_columns(table), Timestamp{});
    std::vector<std::string> names;
    for (std::size_t i = 0; i < result.rows(); ++i)
        names.push_back(db::as_text(result.at(i, 0)).value_or(""));
    return names;
}

// Two that create the same table at once may collide in the server's catalog; the one who lost finds it there on the next try.
void init(db::Database& database, const sql::InitOptions& options) {
    using namespace std::chrono_literals;
    const auto statements = dialect_of(database.kind())->init_ddl(options);
    for (int attempt = 1;; ++attempt) {
        try {
            for (const auto& statement : statements) {
                const db::Query query(statement);
                static_cast<void>(database.write(std::array{db::Call{&query, {}}}));
            }
            return;
        } catch (const Error& error) {
            const bool collided = error.sqlstate() == "23505" || error.sqlstate() == "42P07" ||
                                  error.sqlstate() == "42710" || error.retryable();
            if (!collided || attempt == 20) throw error.at(options.table, "");
        }
        std::this_thread::sleep_for(20ms);
    }
}

} // namespace rowq::detail::ops
