// Connections shared by all who need one of their own for a while.
#pragma once

#include "db/connection.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

namespace rowq::detail::db {

class Pool;

// A connection on loan. Gives it back when destroyed: rolled back if a transaction is open, discarded if it broke or `discard` was called
// (as for a session that holds locks nobody can account for).
class PooledConnection {
public:
    PooledConnection() = default;
    PooledConnection(Pool& pool, std::unique_ptr<Connection> connection) noexcept;
    PooledConnection(PooledConnection&& other) noexcept;
    PooledConnection& operator=(PooledConnection&& other) noexcept;
    ~PooledConnection();

    [[nodiscard]] Connection& operator*() const noexcept { return *connection_; }
    [[nodiscard]] Connection* operator->() const noexcept { return connection_.get(); }
    [[nodiscard]] explicit operator bool() const noexcept { return connection_ != nullptr; }

    void give_back() noexcept;
    void discard() noexcept;

private:
    Pool* pool_ = nullptr;
    std::unique_ptr<Connection> connection_;
};

// Fair: who waits longest is served first. Connections are made when first needed and kept; one that broke is replaced on the next
// acquire, with exponential, jittered back-off (100 ms to 5 s) after failures to connect: within it acquire() fails at once with the
// last error instead of hammering the server.
class Pool {
public:
    using Connect = std::function<std::unique_ptr<Connection>()>;

    Pool(Connect connect, std::size_t size, std::chrono::milliseconds acquire_timeout);
    ~Pool();

    // Waits for a free connection. Throws `database` (retryable) when acquire_timeout passes, naming the pool's size; `connect`; `closed`
    // when the pool is closed or a stop is requested.
    [[nodiscard]] PooledConnection acquire(std::stop_token stop = {});

    // For long holders (claims): never takes the last connection, so that settlements and renewals always find one. Empty when that
    // would be needed; throws `connect` and `closed` as acquire().
    [[nodiscard]] std::optional<PooledConnection> try_acquire_spare();

    void reserve(std::size_t size);
    void close() noexcept;
    [[nodiscard]] std::size_t size() const;

private:
    friend class PooledConnection;
    struct Shared;
    void take_back(std::unique_ptr<Connection> connection) noexcept;
    std::unique_ptr<Shared> shared_;
};

} // namespace rowq::detail::db
