// Opening a session with an SQLite database, and its transactions. Statements: sqlite_statement.cpp.
#include "db/sqlite_connection.hpp"

#include "db/sqlite_error.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <utility>

namespace rowq::detail::db {

namespace {

// Function-local, so that their numbers do not depend on the order in which files are initialised.
const Query& begin_read() {
    static const Query query{"BEGIN"};
    return query;
}
// Takes the write lock at once: a transaction that reads first and then writes fails without waiting.
const Query& begin_write() {
    static const Query query{"BEGIN IMMEDIATE"};
    return query;
}
const Query& commit() {
    static const Query query{"COMMIT"};
    return query;
}
const Query& set_savepoint() {
    static const Query query{"SAVEPOINT rowq_run"};
    return query;
}
const Query& release_run() {
    static const Query query{"RELEASE rowq_run"};
    return query;
}
const Query& roll_back_run() {
    static const Query query{"ROLLBACK TO rowq_run"};
    return query;
}

int open_flags(SqliteMode mode, bool writer) noexcept {
    if (mode == SqliteMode::read_only) return SQLITE_OPEN_READONLY;
    const bool creates = writer && mode == SqliteMode::create;
    return SQLITE_OPEN_READWRITE | (creates ? SQLITE_OPEN_CREATE : 0);
}

} // namespace

void SqliteConnection::CloseDatabase::operator()(sqlite3* db) const noexcept {
    sqlite3_close_v2(db);
}

SqliteConnection::SqliteConnection(const SqliteAddress& address, Use use, SqliteLimits limits)
    : shown_(address.shown()), limits_(limits), in_memory_(address.in_memory()), use_(use) {
    if (sqlite3_threadsafe() == 0)
        throw cannot_open(shown_, "this machine's SQLite library was built without threads");
    open(address, use);
    if (use_ == Use::writer) {
        sqlite3_commit_hook(
            db_.get(),
            [](void* self) {
                ++static_cast<SqliteConnection*>(self)->commits_;
                return 0;
            },
            this);
    }
}

SqliteConnection::~SqliteConnection() = default;

void SqliteConnection::open(const SqliteAddress& address, Use use) {
    const char* const path = in_memory_ ? ":memory:" : address.path.c_str();
    const int flags = open_flags(address.mode, use == Use::writer) | SQLITE_OPEN_NOMUTEX;
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(path, &raw, flags, nullptr);
    db_.reset(raw);
    if (code != SQLITE_OK) throw sqlite_open_error(raw, code, shown_, limits_.lock);
    sqlite3_extended_result_codes(raw, 1);
    // A column that is not there must be an error, not a text that holds its name.
    sqlite3_db_config(raw, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
    wait_.attach(raw);
    if (use == Use::reader || in_memory_) {
        // The first look at the file: whether it is a database, and one that can be read.
        start_clock();
        const int read =
            pragma(use == Use::reader ? "PRAGMA query_only = 1" : "PRAGMA user_version");
        const int look = read == SQLITE_OK ? pragma("PRAGMA schema_version") : read;
        if (look != SQLITE_OK) throw sqlite_open_error(raw, look, shown_, limits_.lock);
    } else {
        if (sqlite3_db_readonly(raw, "main") != 0)
            throw cannot_open(shown_, "this user may read but not write it; mode=ro only reads");
        set_write_ahead_log();
    }
    std::string level;
    const int asked = pragma("PRAGMA synchronous", &level);
    if (asked != SQLITE_OK) throw sqlite_open_error(raw, asked, shown_, limits_.lock);
    synchronous_ = default_synchronous_ = std::stoi(level);
    if (address.synchronous) set_synchronous(*address.synchronous);
}

// SQLite does not ask the busy handler in all the places where others switch the log on or recover it, so we ask again ourselves.
void SqliteConnection::set_write_ahead_log() {
    const clock::time_point until = clock::now() + limits_.lock;
    wait_.set(until, clock::time_point::max());
    for (int tries = 0;; ++tries) {
        std::string mode;
        const int code = pragma("PRAGMA journal_mode = WAL", &mode);
        if (code == SQLITE_OK && mode == "wal") return;
        const int kind = code & 0xff;
        const bool busy = kind == SQLITE_BUSY || kind == SQLITE_LOCKED || kind == SQLITE_PROTOCOL;
        if (busy && wait_.pause(tries)) continue;
        if (code != SQLITE_OK) throw sqlite_open_error(db_.get(), code, shown_, limits_.lock);
        throw cannot_open(
            shown_,
            fmt::format("SQLite keeps journal_mode={} there and cannot switch it to WAL", mode));
    }
}

int SqliteConnection::pragma(const char* text, std::string* answer) {
    const auto keep = [](void* to, int columns, char** values, char**) {
        if (to != nullptr && columns > 0 && values[0] != nullptr)
            *static_cast<std::string*>(to) = values[0];
        return 0;
    };
    return sqlite3_exec(db_.get(), text, keep, answer, nullptr);
}

void SqliteConnection::set_synchronous(int level) {
    const int code = pragma(fmt::format("PRAGMA synchronous = {}", level).c_str());
    if (code != SQLITE_OK) fail(code);
    synchronous_ = level;
}

void SqliteConnection::start_clock() noexcept {
    const clock::time_point now = clock::now();
    wait_.set(now + limits_.lock, now + limits_.statement);
}

std::vector<Result> SqliteConnection::run(std::span<const Call> calls, Frame frame) {
    if (!usable()) throw Error(ErrorCode::closed, fmt::format("{} is closed", shown_));
    const bool own = calls.size() > 1 && !frame.begin && !frame.commit && !in_transaction();
    start_clock();
    try {
        if (frame.begin || own)
            execute_verb(use_ == Use::writer && !only_reading_ ? begin_write() : begin_read());
        std::vector<Result> results;
        results.reserve(calls.size());
        for (const Call& call : calls) results.push_back(execute(call));
        if (frame.commit || own) {
            wait_.set(clock::now() + limits_.lock, clock::time_point::max());
            execute_verb(commit());
        }
        return results;
    } catch (...) {
        if (frame.commit || own) rollback();
        throw;
    }
}

std::vector<Result> SqliteConnection::read(std::span<const Call> calls) {
    if (usable()) check_in_place(); // or rows of a file that is gone would go on being handed out
    only_reading_ = true;
    try {
        std::vector<Result> results = run(calls);
        only_reading_ = false;
        return results;
    } catch (...) {
        only_reading_ = false;
        throw;
    }
}

void SqliteConnection::rollback() noexcept {
    if (!in_transaction()) return;
    sqlite3_exec(db_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    if (in_transaction()) close();
}

bool SqliteConnection::in_transaction() const noexcept {
    return db_ != nullptr && sqlite3_get_autocommit(db_.get()) == 0;
}

void SqliteConnection::close() noexcept {
    prepared_.clear();
    db_.reset();
}

void SqliteConnection::check_in_place() const {
    int moved = 0;
    if (!in_memory_ &&
        sqlite3_file_control(db_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK &&
        moved != 0)
        throw Error(
            ErrorCode::database,
            fmt::format(
                "{} was removed or replaced while in use; what is written now would be lost, so "
                "nothing is: start this program again",
                shown_));
}

bool SqliteConnection::try_begin(clock::time_point until) {
    if (!usable()) throw Error(ErrorCode::closed, fmt::format("{} is closed", shown_));
    check_in_place();
    wait_.set(until, clock::time_point::max());
    const int code = step_verb(begin_write());
    const int kind = code & 0xff;
    if (kind == SQLITE_BUSY || kind == SQLITE_LOCKED || kind == SQLITE_PROTOCOL) return false;
    if (code != SQLITE_DONE) fail(code);
    return true;
}

bool SqliteConnection::try_commit(clock::time_point until) {
    wait_.set(until, clock::time_point::max());
    const int code = step_verb(commit());
    if (code == SQLITE_DONE) return true;
    if ((code & 0xff) == SQLITE_BUSY && in_transaction()) return false;
    Error error =
        sqlite_error(db_.get(), code, shown_, limits_.lock); // before rollback() clears it
    rollback();
    throw Error(std::move(error));
}

void SqliteConnection::savepoint() { execute_unhurried(set_savepoint()); }

void SqliteConnection::release_savepoint() { execute_unhurried(release_run()); }

void SqliteConnection::rollback_to_savepoint() {
    execute_unhurried(roll_back_run());
    execute_unhurried(release_run());
}

// Waits for nobody, and must not be stopped because the time of the statements before it is over.
void SqliteConnection::execute_unhurried(const Query& verb) {
    wait_.set(clock::time_point::max(), clock::time_point::max());
    execute_verb(verb);
}

Error SqliteConnection::locked(std::chrono::milliseconds waited) const {
    return sqlite_error(nullptr, SQLITE_BUSY, shown_, waited);
}

std::string SqliteConnection::file() const {
    const char* const name = sqlite3_db_filename(db_.get(), "main");
    return name != nullptr ? name : "";
}

} // namespace rowq::detail::db
