// The statements of a session: prepared once, bound, stepped, read.
#include "db/sqlite_connection.hpp"
#include "db/sqlite_error.hpp"
#include "db/values.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>
#include <variant>

namespace rowq::detail::db {

namespace {

// More statements than a broker with many subscriptions has; the least used go first.
constexpr std::size_t most_prepared = 500;

// A statement that is not reset keeps its snapshot and its parameters' memory.
class ResetAtEnd {
public:
    explicit ResetAtEnd(sqlite3_stmt* statement) noexcept : statement_(statement) {}
    ~ResetAtEnd() {
        sqlite3_reset(statement_);
        sqlite3_clear_bindings(statement_);
    }
    ResetAtEnd(const ResetAtEnd&) = delete;
    ResetAtEnd& operator=(const ResetAtEnd&) = delete;

private:
    sqlite3_stmt* statement_;
};

// By storage class, not by the column's declared type: that is what SQLite knows of a value.
Value read_value(sqlite3_stmt* statement, int column) {
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER: return std::int64_t{sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT: return sqlite3_column_double(statement, column);
    case SQLITE_TEXT: {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
        if (text == nullptr) throw std::bad_alloc();
        return std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
    }
    case SQLITE_BLOB: {
        const auto* bytes = static_cast<const std::byte*>(sqlite3_column_blob(statement, column));
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
        return size == 0 ? Bytes{} : Bytes(bytes, bytes + size);
    }
    default: return Null{};
    }
}

} // namespace

void SqliteConnection::FinalizeStatement::operator()(sqlite3_stmt* statement) const noexcept {
    sqlite3_finalize(statement);
}

SqliteConnection::StatementPtr SqliteConnection::compile(const Query& query) {
    if (query.empty()) throw Error(ErrorCode::database, "an empty statement cannot be run");
    const char* const text = query.text().c_str();
    const char* tail = nullptr;
    sqlite3_stmt* raw = nullptr;
    // With the zero byte counted, SQLite need not copy the text.
    const int size = static_cast<int>(query.text().size()) + 1;
    int code = sqlite3_prepare_v3(db_.get(), text, size, SQLITE_PREPARE_PERSISTENT, &raw, &tail);
    StatementPtr statement{raw};
    if (code != SQLITE_OK) throw sqlite_prepare_error(db_.get(), code, shown_, limits_.lock);
    sqlite3_stmt* more = nullptr;
    code = sqlite3_prepare_v3(db_.get(), tail, -1, 0, &more, nullptr);
    const StatementPtr rest{more};
    if (raw == nullptr || more != nullptr || code != SQLITE_OK)
        throw Error(ErrorCode::schema, "a text to run holds exactly one statement");
    return statement;
}

sqlite3_stmt* SqliteConnection::statement(const Query& query) {
    auto place = prepared_.find(query.number());
    if (place == prepared_.end()) {
        StatementPtr fresh = compile(query);
        make_room();
        place = prepared_.emplace(query.number(), Prepared{std::move(fresh), 0}).first;
    }
    place->second.last_use = ++uses_;
    return place->second.statement.get();
}

void SqliteConnection::make_room() {
    if (prepared_.size() < most_prepared) return;
    const auto older = [](const auto& a, const auto& b) {
        return a.second.last_use < b.second.last_use;
    };
    prepared_.erase(std::min_element(prepared_.begin(), prepared_.end(), older));
}

void SqliteConnection::prepare(const Query& query) {
    if (!usable()) throw Error(ErrorCode::closed, fmt::format("{} is closed", shown_));
    start_clock();
    static_cast<void>(statement(query));
}

Result SqliteConnection::execute(const Call& call) {
    if (call.query == nullptr) throw Error(ErrorCode::database, "a call has no statement");
    sqlite3_stmt* const prepared = statement(*call.query);
    if (only_reading_ && sqlite3_stmt_readonly(prepared) == 0)
        throw Error(ErrorCode::database, "a statement that writes was sent as one that reads");
    Result result;
    const std::int64_t before = sqlite3_total_changes64(db_.get());
    int code = SQLITE_OK;
    {
        const ResetAtEnd reset{prepared};
        bind(prepared, call);
        result.columns = static_cast<std::size_t>(sqlite3_column_count(prepared));
        while ((code = sqlite3_step(prepared)) == SQLITE_ROW) collect(prepared, result);
        if (code != SQLITE_DONE) fail_step(code, *call.query);
    }
    // SQLite's count is that of the last statement that could change rows, so it is asked only when this one did.
    if (result.columns > 0)
        result.affected = static_cast<std::int64_t>(result.rows());
    else if (sqlite3_total_changes64(db_.get()) != before)
        result.affected = sqlite3_changes64(db_.get());
    return result;
}

void SqliteConnection::collect(sqlite3_stmt* prepared, Result& result) {
    // A table that has gained a column since is compiled anew by the first step.
    result.columns = static_cast<std::size_t>(sqlite3_column_count(prepared));
    for (std::size_t i = 0; i < result.columns; ++i)
        result.values.push_back(read_value(prepared, static_cast<int>(i)));
}

void SqliteConnection::bind(sqlite3_stmt* prepared, const Call& call) {
    const int expected = sqlite3_bind_parameter_count(prepared);
    if (call.parameters.size() != static_cast<std::size_t>(expected))
        throw Error(
            ErrorCode::database, fmt::format(
                                     "a statement with {} parameters was called with {}", expected,
                                     call.parameters.size()));
    int index = 0;
    for (const Value& value : call.parameters) bind_value(prepared, ++index, value);
}

// The parameters outlive the step, and the bindings are cleared after it: nothing is copied but times.
void SqliteConnection::bind_value(sqlite3_stmt* prepared, int index, const Value& value) {
    const int code = std::visit(
        [&](const auto& content) {
            using Content = std::decay_t<decltype(content)>;
            if constexpr (std::is_same_v<Content, Null>) {
                return sqlite3_bind_null(prepared, index);
            } else if constexpr (std::is_same_v<Content, bool>) {
                return sqlite3_bind_int(prepared, index, content ? 1 : 0);
            } else if constexpr (std::is_same_v<Content, std::int64_t>) {
                return sqlite3_bind_int64(prepared, index, content);
            } else if constexpr (std::is_same_v<Content, double>) {
                if (std::isnan(content))
                    throw Error(
                        ErrorCode::database, "SQLite has no NaN and would store NULL for it");
                return sqlite3_bind_double(prepared, index, content);
            } else if constexpr (std::is_same_v<Content, std::string>) {
                return sqlite3_bind_text64(
                    prepared, index, content.data(), content.size(), SQLITE_STATIC, SQLITE_UTF8);
            } else if constexpr (std::is_same_v<Content, Bytes>) {
                // A null pointer would be NULL; an empty value is not.
                if (content.empty()) return sqlite3_bind_zeroblob(prepared, index, 0);
                return sqlite3_bind_blob64(
                    prepared, index, content.data(), content.size(), SQLITE_STATIC);
            } else {
                const std::string text = format_timestamp(content);
                return sqlite3_bind_text64(
                    prepared, index, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
            }
        },
        value);
    if (code != SQLITE_OK) fail(code);
}

int SqliteConnection::step_verb(const Query& verb) {
    sqlite3_stmt* const prepared = statement(verb);
    const int code = sqlite3_step(prepared);
    sqlite3_reset(prepared);
    return code;
}

void SqliteConnection::execute_verb(const Query& verb) {
    const int code = step_verb(verb);
    if (code != SQLITE_DONE) fail(code);
}

void SqliteConnection::fail(int code) const {
    const bool ran_out = (code & 0xff) == SQLITE_INTERRUPT;
    throw sqlite_error(db_.get(), code, shown_, ran_out ? limits_.statement : limits_.lock);
}

// SQLite compiles a statement anew when the schema has changed. If that fails, the text is at fault, not the data: ask once more by
// itself, and let the compiler's own error come out.
void SqliteConnection::fail_step(int code, const Query& query) {
    const bool ran_out = (code & 0xff) == SQLITE_INTERRUPT;
    Error error = sqlite_error(db_.get(), code, shown_, ran_out ? limits_.statement : limits_.lock);
    if ((code & 0xff) == SQLITE_ERROR) static_cast<void>(compile(query));
    throw Error(std::move(error));
}

} // namespace rowq::detail::db
