// A database as the rooms above see it: connections, one way to read, one way to write, and holds where it has no locks.
#pragma once

#include "db/connection.hpp"
#include "db/holds.hpp"
#include "db/pool.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rowq::detail::db {

enum class Kind { postgres, sqlite };

struct Options {
    std::size_t pool_size = 10; // connections at most; SQLite: readers at most
    std::chrono::milliseconds connect_timeout{10'000};
    std::chrono::milliseconds statement_timeout{30'000};
    std::chrono::milliseconds acquire_timeout{30'000};
};

// What the server says of itself, found out by the first connection.
struct Server {
    Kind kind = Kind::postgres;
    int major = 0; // 15 in 15.13; 3 in SQLite 3.40.1
    int minor = 0;
    std::string version; // as the server writes it
};

// Safe to use from any thread. Destroyed after all connections it gave out are back.
class Database {
public:
    virtual ~Database() = default;

    // The kind is known from the address; no connection is made.
    [[nodiscard]] virtual Kind kind() const noexcept = 0;

    // The address without its password, for messages.
    [[nodiscard]] virtual std::string name() const = 0;

    // Connects if no connection was made yet. Throws `connect`.
    [[nodiscard]] virtual Server server() = 0;

    // Calls that only read, on any session; all see what was committed before. A session found dead before anything was sent is
    // replaced once. Never waits behind writers.
    virtual std::vector<Result> read(std::span<const Call> calls) = 0;

    // Calls that write, as one transaction: all or nothing, durable when this returns. SQLite: queued to the process's one writer, which
    // commits what has queued up together; one caller's failure does not touch the others'. "Database is locked" is waited out.
    virtual std::vector<Result> write(std::span<const Call> calls) = 0;

    // The same for calls that depend on when they run: made once the write can begin, with the connection or SQLite's lock in hand.
    using MakeCalls = std::function<std::vector<Call>()>;
    virtual std::vector<Result> write_late(const MakeCalls& make_calls) = 0;

    // Prepares on some session, to find out what the server thinks of a text; throws `schema`.
    virtual void prepare(std::span<const Query> queries) = 0;

    // A session of one's own (see Pool). SQLite, where no session can hold anything: null.
    [[nodiscard]] virtual Pool* pool() noexcept = 0;

    // Holds on rows and keys for a database without locks; null where sessions lock.
    [[nodiscard]] virtual Holds* holds() noexcept = 0;

    // Grows the pool to this many connections; called before the broker starts. Never shrinks.
    virtual void reserve(std::size_t connections) = 0;

    // From this instant on nothing is waited for: what still is without an answer fails with its connection. For a stop that has an end.
    virtual void end_waits_at(std::chrono::steady_clock::time_point at) noexcept = 0;

    // Ends waits of acquire(), read() and write() with `closed` and refuses new ones. Connections in use stay usable.
    virtual void close() noexcept = 0;
};

// Parses the address and picks the driver; connects to nothing. Throws `connect` for an address that is not one, naming what is wrong
// without any password, and `dialect` for a database this build has no driver for (naming the library to install).
//   postgresql://user@host1,host2:5433/db?target_session_attrs=read-write&..   all of libpq's options
//   sqlite:app.db   sqlite:/abs/app.db   sqlite://relative  sqlite:///abs   sqlite::memory:   ?synchronous=..&busy_timeout=..
[[nodiscard]] std::unique_ptr<Database> open_database(std::string_view url, const Options& options);

} // namespace rowq::detail::db
