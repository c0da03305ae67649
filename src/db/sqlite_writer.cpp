// The one writer of a database: commits what has queued up together.
#include "db/sqlite_writer.hpp"

#include <rowq/error.hpp>

#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string>
#include <utility>

namespace rowq::detail::db {

namespace {

using namespace std::chrono_literals;

// While another process has the lock, the queue and those who gave up are looked at so often.
constexpr auto between_looks = 100ms;

// Waiters of other processes ask at least once in SqliteWait::longest_pause; a writer with no end of jobs lets them in so often.
constexpr auto between_gaps = 200ms;
constexpr auto gap = SqliteWait::longest_pause + 500us;

int kind_of(const Error& error) {
    return error.sqlstate().empty() ? SQLITE_OK : std::stoi(error.sqlstate()) & 0xff;
}

bool ran_out_of_time(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const Error& error) {
        return kind_of(error) == SQLITE_INTERRUPT;
    } catch (...) {
        return false;
    }
}

} // namespace

SqliteWriter::SqliteWriter(std::unique_ptr<SqliteConnection> connection, bool shared_with_processes)
    : connection_(std::move(connection)),
      shared_(shared_with_processes),
      synchronous_(connection_->synchronous()),
      thread_([this] { loop(); }) {}

SqliteWriter::~SqliteWriter() {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    arrived_.notify_one();
}

std::vector<Result> SqliteWriter::write(const void* owner, Work work, SqliteLimits limits) {
    auto job = std::make_shared<Job>();
    job->owner = owner;
    job->work = std::move(work);
    job->writes = true;
    job->limits = limits;
    return submit(std::move(job));
}

std::vector<Result> SqliteWriter::read(const void* owner, const Work& work, SqliteLimits limits) {
    auto job = std::make_shared<Job>();
    job->owner = owner;
    job->work = work;
    job->limits = limits;
    return submit(std::move(job));
}

// The job lives until both sides are done with it; what it refers to lives with the caller, who waits.
std::vector<Result> SqliteWriter::submit(JobPtr job) {
    job->give_up = clock::now() + job->limits.lock;
    std::future<std::vector<Result>> answer = job->answer.get_future();
    {
        const std::lock_guard lock(mutex_);
        queue_.push_back(std::move(job));
        arrived_.notify_one();
    }
    return answer.get();
}

// The thread answers them: it looks after each try for the lock.
void SqliteWriter::cancel(const void* owner) noexcept {
    const std::lock_guard lock(mutex_);
    for (const JobPtr& job : queue_) job->cancelled |= job->owner == owner;
    if (beginning_ == nullptr) return;
    for (const JobPtr& job : *beginning_) job->cancelled |= job->owner == owner;
}

void SqliteWriter::require_synchronous(std::optional<int> level) {
    const std::lock_guard lock(mutex_);
    const int wanted = level.value_or(connection_->default_synchronous());
    if (wanted <= synchronous_) return;
    synchronous_ = wanted;
    new_synchronous_ = true;
}

std::size_t SqliteWriter::waiting() {
    const std::lock_guard lock(mutex_);
    return queue_.size() + (beginning_ != nullptr ? beginning_->size() : 0);
}

void SqliteWriter::Job::succeed() {
    answered = true;
    answer.set_value(std::move(results));
}

void SqliteWriter::Job::fail(const std::exception_ptr& why) {
    answered = true;
    answer.set_exception(why);
}

void SqliteWriter::loop() {
    for (Batch batch = wait_for_jobs(); !batch.empty(); batch = wait_for_jobs()) {
        serve(batch);
        leave_gap();
    }
}

SqliteWriter::Batch SqliteWriter::wait_for_jobs() {
    Batch batch;
    const clock::time_point since = clock::now();
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (const clock::time_point now = clock::now(); now - since >= gap) last_gap_ = now;
    const std::size_t count = std::min(queue_.size(), most_jobs);
    const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(count);
    batch.assign(std::make_move_iterator(queue_.begin()), std::make_move_iterator(end));
    queue_.erase(queue_.begin(), end);
    return batch;
}

// Reads first: they see what was committed before, and nothing of what may yet be undone.
void SqliteWriter::serve(Batch& batch) {
    Batch writes;
    for (const JobPtr& job : batch) {
        if (job->writes)
            writes.push_back(job);
        else
            run_read(*job);
    }
    if (!writes.empty()) commit_together(writes, true);
}

void SqliteWriter::run_read(Job& job) {
    connection_->set_limits(job.limits);
    try {
        job.results = job.work(*connection_);
    } catch (...) {
        job.fail(std::current_exception());
        return;
    }
    job.succeed();
}

void SqliteWriter::commit_together(Batch& batch, bool may_grow) {
    try {
        if (!begin(batch, may_grow)) return;
        const bool alone = batch.size() == 1;
        for (const JobPtr& job : batch) {
            if (run_job(*job, alone) == Ran::in_place) continue;
            if (alone)
                job->fail(job->error);
            else
                run_each_alone(batch);
            return;
        }
        commit(batch);
    } catch (...) { // no memory, a savepoint that failed
        connection_->rollback();
        fail_all(batch, std::current_exception());
    }
}

// True with the write lock in hand and at least one job left in the batch. Those who come while another process has the lock join.
bool SqliteWriter::begin(Batch& batch, bool may_grow) {
    apply_synchronous();
    watch(&batch);
    bool locked = false;
    for (;;) {
        drop_cancelled(batch);
        if (batch.empty()) break;
        clock::time_point until = clock::now() + between_looks;
        for (const JobPtr& job : batch) until = std::min(until, job->give_up);
        try {
            locked = connection_->try_begin(until);
        } catch (...) {
            fail_all(batch, std::current_exception());
            break;
        }
        if (!locked) drop_expired(batch);
        if (may_grow) take_more(batch);
        if (locked) break;
    }
    watch(nullptr);
    return locked;
}

void SqliteWriter::watch(Batch* batch) {
    const std::lock_guard lock(mutex_);
    beginning_ = batch;
}

void SqliteWriter::apply_synchronous() {
    int level = 0;
    {
        const std::lock_guard lock(mutex_);
        if (!std::exchange(new_synchronous_, false)) return;
        level = synchronous_;
    }
    connection_->set_synchronous(level);
}

void SqliteWriter::take_more(Batch& batch) {
    const std::lock_guard lock(mutex_);
    // Reads wait for the end: they are there only where no other process can have the lock.
    while (batch.size() < most_jobs && !queue_.empty() && queue_.front()->writes) {
        batch.push_back(std::move(queue_.front()));
        queue_.pop_front();
    }
}

void SqliteWriter::drop_cancelled(Batch& batch) {
    Batch dropped;
    {
        const std::lock_guard lock(mutex_);
        const auto cancelled = [](const JobPtr& job) { return job->cancelled; };
        const auto from = std::stable_partition(
            batch.begin(), batch.end(), [&](const JobPtr& job) { return !cancelled(job); });
        dropped.assign(from, batch.end());
        batch.erase(from, batch.end());
        std::copy_if(queue_.begin(), queue_.end(), std::back_inserter(dropped), cancelled);
        std::erase_if(queue_, cancelled);
    }
    fail_all(dropped, std::make_exception_ptr(Error(ErrorCode::closed, "the database was closed")));
}

// After a try, so that a job that waited long for its turn in our own queue has had its chance.
void SqliteWriter::drop_expired(Batch& batch) {
    const clock::time_point now = clock::now();
    Batch expired;
    {
        const std::lock_guard lock(mutex_);
        const auto from = std::stable_partition(
            batch.begin(), batch.end(), [&](const JobPtr& job) { return job->give_up > now; });
        expired.assign(from, batch.end());
        batch.erase(from, batch.end());
    }
    for (const JobPtr& job : expired)
        job->fail(std::make_exception_ptr(connection_->locked(job->limits.lock)));
}

// Its error is kept until the commit: it may come from a row that another job has written and that is then undone.
SqliteWriter::Ran SqliteWriter::run_job(Job& job, bool alone) {
    connection_->set_limits(job.limits);
    job.error = nullptr;
    job.results.clear();
    if (!alone) connection_->savepoint();
    try {
        job.results = job.work(*connection_);
    } catch (...) {
        job.error = std::current_exception();
    }
    if (!connection_->in_transaction()) return Ran::transaction_gone;
    if (alone) return Ran::in_place;
    if (job.error != nullptr)
        connection_->rollback_to_savepoint();
    else
        connection_->release_savepoint();
    return Ran::in_place;
}

void SqliteWriter::run_each_alone(const Batch& batch) {
    for (const JobPtr& job : batch) {
        if (job->error != nullptr && ran_out_of_time(job->error)) {
            job->fail(job->error); // once is enough to stop everyone for so long
            continue;
        }
        Batch single{job};
        commit_together(single, false);
    }
}

void SqliteWriter::commit(const Batch& batch) {
    const bool failed = std::all_of(
        batch.begin(), batch.end(), [](const JobPtr& job) { return job->error != nullptr; });
    if (failed) { // nothing to keep
        connection_->rollback();
        for (const JobPtr& job : batch) job->fail(job->error);
        return;
    }
    clock::time_point until = clock::time_point::min();
    for (const JobPtr& job : batch) until = std::max(until, clock::now() + job->limits.lock);
    try {
        if (!connection_->try_commit(until)) {
            connection_->rollback();
            throw connection_->locked(batch.front()->limits.lock);
        }
    } catch (const Error& error) {
        // A foreign key checked at the end is the fault of one job, and no reason to fail the others.
        if (kind_of(error) == SQLITE_CONSTRAINT && batch.size() > 1) return run_each_alone(batch);
        return fail_all(batch, std::current_exception());
    }
    for (const JobPtr& job : batch) {
        if (job->error != nullptr)
            job->fail(job->error);
        else
            job->succeed();
    }
}

void SqliteWriter::fail_all(const Batch& batch, const std::exception_ptr& why) {
    for (const JobPtr& job : batch) {
        if (!job->answered) job->fail(why);
    }
}

// Without it, a writer that never runs out of jobs could keep other processes waiting until they give up: SQLite's lock has no queue.
void SqliteWriter::leave_gap() {
    const clock::time_point now = clock::now();
    if (!shared_ || now - last_gap_ < between_gaps) return;
    std::this_thread::sleep_for(gap);
    last_gap_ = clock::now();
}

} // namespace rowq::detail::db
