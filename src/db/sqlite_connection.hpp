// One session with an SQLite database.
#pragma once

#include "db/connection.hpp"
#include "db/sqlite_address.hpp"
#include "db/sqlite_wait.hpp"

#include <rowq/error.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace rowq::detail::db {

// How long a session may wait for another process's lock, and how long one of its runs may take.
struct SqliteLimits {
    std::chrono::milliseconds lock{30'000};
    std::chrono::milliseconds statement{30'000};
};

class SqliteConnection final : public Connection {
public:
    using clock = SqliteWait::clock;
    enum class Use { reader, writer };

    // A writer creates the file where the address says so and sets its write-ahead log, waiting for others who do the same; a reader
    // can change nothing. Throws `connect` naming path and reason.
    SqliteConnection(const SqliteAddress& address, Use use, SqliteLimits limits);
    ~SqliteConnection() override;

    // As Connection says, but a failed call inside a transaction leaves what went before in place: what becomes of it is up to the
    // caller, unless in_transaction() tells that SQLite has rolled everything back itself.
    std::vector<Result> run(std::span<const Call> calls, Frame frame = {}) override;

    // Calls that only read, in one snapshot; one that would write fails.
    std::vector<Result> read(std::span<const Call> calls);

    void rollback() noexcept override;
    void prepare(const Query& query) override;
    [[nodiscard]] bool in_transaction() const noexcept override;
    [[nodiscard]] bool usable() const noexcept override { return db_ != nullptr; }
    [[nodiscard]] int socket() const noexcept override { return -1; }
    void close() noexcept override;

    // The steps of a transaction that gathers several runs. try_begin and try_commit: false if the lock was not to be had until then.
    // try_commit throws if the commit failed; the transaction is then rolled back.
    void set_limits(SqliteLimits limits) noexcept { limits_ = limits; }
    [[nodiscard]] bool try_begin(clock::time_point until);
    [[nodiscard]] bool try_commit(clock::time_point until);
    void savepoint();
    void release_savepoint();
    void rollback_to_savepoint();

    // The error for a lock that was waited for so long.
    [[nodiscard]] Error locked(std::chrono::milliseconds waited) const;

    // Commits that wrote something, counted by SQLite itself. Safe from any thread.
    [[nodiscard]] std::int64_t commits() const noexcept { return commits_.load(); }

    // The file's absolute path with symbolic links resolved; empty in memory.
    [[nodiscard]] std::string file() const;

    // How hard a commit is pressed to the disk, by SQLite's numbers: 0 off, 1 normal, 2 full, 3 extra.
    void set_synchronous(int level);
    [[nodiscard]] int synchronous() const noexcept { return synchronous_; }
    [[nodiscard]] int default_synchronous() const noexcept { return default_synchronous_; }

private:
    void check_in_place() const;
    struct CloseDatabase {
        void operator()(sqlite3* db) const noexcept;
    };
    struct FinalizeStatement {
        void operator()(sqlite3_stmt* statement) const noexcept;
    };
    using StatementPtr = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;
    struct Prepared {
        StatementPtr statement;
        std::uint64_t last_use = 0;
    };

    void open(const SqliteAddress& address, Use use);
    void set_write_ahead_log();
    int pragma(const char* text, std::string* answer = nullptr);
    void start_clock() noexcept;
    [[nodiscard]] StatementPtr compile(const Query& query);
    [[nodiscard]] sqlite3_stmt* statement(const Query& query);
    void make_room();
    Result execute(const Call& call);
    void bind(sqlite3_stmt* statement, const Call& call);
    void bind_value(sqlite3_stmt* statement, int index, const Value& value);
    void collect(sqlite3_stmt* statement, Result& result);
    int step_verb(const Query& verb);
    void execute_verb(const Query& verb);
    void execute_unhurried(const Query& verb);
    [[noreturn]] void fail(int code) const;
    [[noreturn]] void fail_step(int code, const Query& query);

    SqliteWait wait_; // before db_: SQLite calls it until it is closed
    std::unique_ptr<sqlite3, CloseDatabase> db_;
    std::unordered_map<std::uint32_t, Prepared> prepared_; // by Query number
    std::uint64_t uses_ = 0;
    std::string shown_;
    SqliteLimits limits_;
    bool in_memory_ = false;
    bool only_reading_ = false;
    Use use_;
    int synchronous_ = 0;
    int default_synchronous_ = 0;
    std::atomic<std::int64_t> commits_{0};
};

} // namespace rowq::detail::db
