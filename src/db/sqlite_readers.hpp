// The sessions that read.
#pragma once

#include "db/sqlite_connection.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace rowq::detail::db {

// Read sessions, opened when first needed and kept. A read transaction in the write-ahead log neither waits for the writer nor makes it
// wait. Safe to use from any thread.
class SqliteReaders {
public:
    using Connect = std::function<std::unique_ptr<SqliteConnection>()>;

    SqliteReaders(Connect connect, std::size_t size, std::chrono::milliseconds acquire_timeout);

    // Runs the work on a free session. Throws `database` (retryable) when none was free in time, `connect`, `closed`.
    template <class Work>
    auto with_session(const Work& work) {
        Loan loan{*this, acquire()};
        return work(*loan.session);
    }

    void reserve(std::size_t size);
    void close() noexcept;

private:
    struct Loan {
        SqliteReaders& readers;
        std::unique_ptr<SqliteConnection> session;
        Loan(SqliteReaders& from, std::unique_ptr<SqliteConnection> lent)
            : readers(from), session(std::move(lent)) {}
        ~Loan() { readers.take_back(std::move(session)); }
        Loan(const Loan&) = delete;
        Loan& operator=(const Loan&) = delete;
    };

    [[nodiscard]] std::unique_ptr<SqliteConnection> acquire();
    void take_back(std::unique_ptr<SqliteConnection> session) noexcept;

    const Connect connect_;
    const std::chrono::milliseconds acquire_timeout_;
    std::mutex mutex_;
    std::condition_variable freed_;
    std::size_t size_;
    std::size_t made_ = 0; // lent or free
    std::vector<std::unique_ptr<SqliteConnection>> free_;
    bool closed_ = false;
};

} // namespace rowq::detail::db
