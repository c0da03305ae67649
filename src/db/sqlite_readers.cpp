// The sessions that read.
#include "db/sqlite_readers.hpp"

#include <rowq/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace rowq::detail::db {

SqliteReaders::SqliteReaders(
    Connect connect, std::size_t size, std::chrono::milliseconds acquire_timeout)
    : connect_(std::move(connect)),
      acquire_timeout_(acquire_timeout),
      size_(std::max<std::size_t>(size, 1)) {
    free_.reserve(size_); // so that giving back needs no memory
}

void SqliteReaders::reserve(std::size_t size) {
    const std::lock_guard lock(mutex_);
    size_ = std::max(size_, size);
    free_.reserve(size_);
    freed_.notify_all();
}

void SqliteReaders::close() noexcept {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    free_.clear();
    freed_.notify_all();
}

std::unique_ptr<SqliteConnection> SqliteReaders::acquire() {
    {
        std::unique_lock lock(mutex_);
        const bool found = freed_.wait_for(
            lock, acquire_timeout_, [this] { return closed_ || !free_.empty() || made_ < size_; });
        if (closed_) throw Error(ErrorCode::closed, "the database was closed");
        if (!found) {
            Error::Details details;
            details.retryable = true;
            throw Error(
                ErrorCode::database,
                fmt::format(
                    "none of {} read sessions was free for {} ms", size_, acquire_timeout_.count()),
                details);
        }
        if (!free_.empty()) { // the last used: its pages are the warmest
            std::unique_ptr<SqliteConnection> session = std::move(free_.back());
            free_.pop_back();
            return session;
        }
        ++made_;
    }
    try {
        return connect_();
    } catch (...) {
        take_back(nullptr);
        throw;
    }
}

void SqliteReaders::take_back(std::unique_ptr<SqliteConnection> session) noexcept {
    const std::lock_guard lock(mutex_);
    if (session != nullptr && session->usable() && !closed_)
        free_.push_back(std::move(session));
    else
        --made_;
    freed_.notify_one();
}

} // namespace rowq::detail::db
