// An SQLite database as the rooms above see it.
#pragma once

#include "db/database.hpp"
#include "db/sqlite_address.hpp"
#include "db/sqlite_file.hpp"
#include "db/sqlite_readers.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rowq::detail::db {

// Reads go to sessions of this object, writes to the writer of the file, which all objects of the process share.
//
// In memory there is one session, and reads take their turn with the writes on the writer's thread: each further session would be a
// database of its own, and SQLite's way to share one (a shared cache) locks whole tables and answers "table is locked" without waiting.
class SqliteDatabase final : public Database {
public:
    SqliteDatabase(SqliteAddress address, const Options& options);
    ~SqliteDatabase() override;

    [[nodiscard]] Kind kind() const noexcept override { return Kind::sqlite; }
    [[nodiscard]] std::string name() const override { return address_.text; }
    [[nodiscard]] Server server() override;
    std::vector<Result> read(std::span<const Call> calls) override;
    std::vector<Result> write(std::span<const Call> calls) override;
    std::vector<Result> write_late(const MakeCalls& make_calls) override;
    void prepare(std::span<const Query> queries) override;
    [[nodiscard]] Pool* pool() noexcept override { return nullptr; }
    [[nodiscard]] Holds* holds() noexcept override { return &holds_; }
    void reserve(std::size_t connections) override { readers_.reserve(connections); }
    void end_waits_at(std::chrono::steady_clock::time_point at) noexcept override { ends_ = at; }
    void close() noexcept override;

    // The writer that this object shares.
    [[nodiscard]] SqliteWriter& writer() { return file().writer(); }

private:
    // Which file it is shows only when it is opened; until then, nobody can hold anything.
    class FileHolds final : public Holds {
    public:
        explicit FileHolds(SqliteDatabase& database) noexcept : database_(database) {}
        [[nodiscard]] std::optional<Hold> try_hold(std::uint64_t number) override;

    private:
        void release(std::uint64_t) noexcept override {} // holds go back to the file's own
        SqliteDatabase& database_;
    };

    [[nodiscard]] SqliteFile& file();
    [[nodiscard]] std::unique_ptr<SqliteConnection> open_reader();
    [[nodiscard]] SqliteLimits limits() const;
    void check_open() const;
    void check_writable() const;

    const SqliteAddress address_;
    const Options options_;
    const SqliteLimits limits_;
    FileHolds holds_{*this};
    std::atomic<bool> closed_{false};
    std::atomic<std::chrono::steady_clock::time_point> ends_{
        std::chrono::steady_clock::time_point::max()}; // of waits for the lock
    std::mutex mutex_;
    std::shared_ptr<SqliteFile> file_; // set once, under mutex_
    SqliteReaders readers_;
};

} // namespace rowq::detail::db
