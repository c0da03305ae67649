// The one writer of a database: commits what has queued up together.
#pragma once

#include "db/sqlite_connection.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

namespace rowq::detail::db {

// SQLite lets one session write at a time and makes each commit wait for the disk. So all writes of a process go to one thread, which
// takes whatever waits, runs each job in a savepoint of one transaction, commits once and answers all: the disk is waited for once, and
// no thread of the process ever meets another's lock. The more callers, the more jobs a commit.
//
// A job that fails is undone alone. When SQLite has rolled back the whole transaction (disk full, a trigger that says so, a statement
// that ran too long), each job runs again in a transaction of its own: a job is answered with success only after the commit that holds
// it. Safe to use from any thread.
class SqliteWriter {
public:
    using clock = SqliteWait::clock;
    using Work = std::function<std::vector<Result>(SqliteConnection&)>;

    // Keeps latency bounded: what comes later waits for the next commit.
    static constexpr std::size_t most_jobs = 256;

    explicit SqliteWriter(std::unique_ptr<SqliteConnection> connection, bool shared_with_processes);
    ~SqliteWriter(); // runs what is still queued
    SqliteWriter(const SqliteWriter&) = delete;
    SqliteWriter& operator=(const SqliteWriter&) = delete;

    // Waits until the work is committed; it may run more than once. `owner` is whoever may give up with cancel().
    std::vector<Result> write(const void* owner, Work work, SqliteLimits limits);

    // Work that changes nothing, on the writer's session between two commits: for databases that have no other session.
    std::vector<Result> read(const void* owner, const Work& work, SqliteLimits limits);

    // Answers the owner's jobs that have not begun with `closed`.
    void cancel(const void* owner) noexcept;

    // Durability is that of the strictest of all who share the writer. Empty: SQLite's own default.
    void require_synchronous(std::optional<int> level);

    // Jobs that have not begun.
    [[nodiscard]] std::size_t waiting();

    [[nodiscard]] std::int64_t commits() const noexcept { return connection_->commits(); }

private:
    struct Job {
        const void* owner = nullptr;
        Work work;
        bool writes = false;
        SqliteLimits limits;
        clock::time_point give_up;
        bool cancelled = false;      // under the writer's mutex
        std::vector<Result> results; // kept until the commit
        std::exception_ptr error;    // its own, kept until the commit
        bool answered = false;
        std::promise<std::vector<Result>> answer;

        void succeed();
        void fail(const std::exception_ptr& why);
    };
    using JobPtr = std::shared_ptr<Job>;
    using Batch = std::vector<JobPtr>;
    enum class Ran { in_place, transaction_gone };

    std::vector<Result> submit(JobPtr job);
    void loop();
    [[nodiscard]] Batch wait_for_jobs();
    void serve(Batch& batch);
    void run_read(Job& job);
    void commit_together(Batch& batch, bool may_grow);
    [[nodiscard]] bool begin(Batch& batch, bool may_grow);
    void watch(Batch* batch);
    void apply_synchronous();
    void take_more(Batch& batch);
    void drop_cancelled(Batch& batch);
    void drop_expired(Batch& batch);
    [[nodiscard]] Ran run_job(Job& job, bool alone);
    void run_each_alone(const Batch& batch);
    void commit(const Batch& batch);
    void fail_all(const Batch& batch, const std::exception_ptr& why);
    void leave_gap();

    std::unique_ptr<SqliteConnection> connection_; // the thread's; commits() apart
    const bool shared_;
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<JobPtr> queue_;
    Batch* beginning_ =
        nullptr; // what waits for another process's lock; changed and read under mutex_
    bool stopping_ = false;
    int synchronous_;              // the strictest so far; under mutex_
    bool new_synchronous_ = false; // not yet applied; under mutex_
    clock::time_point last_gap_ = clock::now();
    std::jthread thread_; // last: it uses all of the above
};

} // namespace rowq::detail::db
