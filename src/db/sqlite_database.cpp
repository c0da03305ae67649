// An SQLite database as the rooms above see it.
#include "db/sqlite_database.hpp"

#include "db/sqlite.hpp"

#include <rowq/error.hpp>

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <utility>

namespace rowq::detail::db {

std::unique_ptr<Database> open_sqlite(std::string_view url, const Options& options) {
    return std::make_unique<SqliteDatabase>(parse_sqlite_address(url), options);
}

SqliteDatabase::SqliteDatabase(SqliteAddress address, const Options& options)
    : address_(std::move(address)),
      options_(options),
      limits_(sqlite_limits(address_, options)),
      readers_([this] { return open_reader(); }, options.pool_size, options.acquire_timeout) {}

SqliteDatabase::~SqliteDatabase() { close(); }

Server SqliteDatabase::server() {
    check_open();
    if (address_.mode == SqliteMode::read_only)
        readers_.with_session([](SqliteConnection&) {});
    else
        static_cast<void>(file());
    const int number = sqlite3_libversion_number();
    return {Kind::sqlite, number / 1'000'000, number / 1'000 % 1'000, sqlite3_libversion()};
}

std::vector<Result> SqliteDatabase::read(std::span<const Call> calls) {
    check_open();
    if (calls.empty()) return {};
    const auto work = [calls](SqliteConnection& session) { return session.read(calls); };
    if (address_.in_memory()) return file().writer().read(this, work, limits_);
    return readers_.with_session(work);
}

std::vector<Result> SqliteDatabase::write(std::span<const Call> calls) {
    check_open();
    check_writable();
    if (calls.empty()) return {};
    return file().writer().write(
        this, [calls](SqliteConnection& session) { return session.run(calls); }, limits());
}

std::vector<Result> SqliteDatabase::write_late(const MakeCalls& make_calls) {
    check_open();
    check_writable();
    return file().writer().write(
        this, [&make_calls](SqliteConnection& session) { return session.run(make_calls()); },
        limits());
}

void SqliteDatabase::prepare(std::span<const Query> queries) {
    check_open();
    const auto work = [queries](SqliteConnection& session) {
        for (const Query& query : queries) session.prepare(query);
        return std::vector<Result>{};
    };
    if (address_.in_memory())
        file().writer().read(this, work, limits_);
    else
        readers_.with_session(work);
}

SqliteLimits SqliteDatabase::limits() const {
    using std::chrono::milliseconds;
    const auto left = ends_.load() - std::chrono::steady_clock::now();
    SqliteLimits shortened = limits_;
    if (left < shortened.lock)
        shortened.lock = std::max(milliseconds(0), std::chrono::floor<milliseconds>(left));
    return shortened;
}

void SqliteDatabase::close() noexcept {
    closed_ = true;
    readers_.close();
    const std::lock_guard lock(mutex_);
    if (file_ != nullptr) file_->writer().cancel(this);
}

std::optional<Hold> SqliteDatabase::FileHolds::try_hold(std::uint64_t number) {
    database_.check_open();
    database_.check_writable();
    return database_.file().holds().try_hold(number);
}

SqliteFile& SqliteDatabase::file() {
    const std::lock_guard lock(mutex_);
    if (file_ == nullptr) file_ = SqliteFile::open(address_, options_);
    return *file_;
}

// By the path that the writer uses, so that both see the same write-ahead log.
std::unique_ptr<SqliteConnection> SqliteDatabase::open_reader() {
    SqliteAddress address = address_;
    if (address_.mode != SqliteMode::read_only)
        address.path = file().path();
    else if (const std::shared_ptr<SqliteFile> open_one = SqliteFile::find(address_.path))
        address.path = open_one->path();
    return std::make_unique<SqliteConnection>(address, SqliteConnection::Use::reader, limits_);
}

void SqliteDatabase::check_open() const {
    if (closed_)
        throw Error(ErrorCode::closed, fmt::format("the database {} was closed", address_.shown()));
}

void SqliteDatabase::check_writable() const {
    if (address_.mode == SqliteMode::read_only)
        throw Error(
            ErrorCode::database,
            fmt::format(
                "{} was opened to be read only: its address says mode=ro", address_.shown()));
}

} // namespace rowq::detail::db
