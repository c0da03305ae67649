// The claim loop of a subscription, and its stop.
#include "broker/service.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace rowq::detail::broker {

Service::Service(Setup setup, Surroundings surroundings)
    : setup_(std::move(setup)), around_(std::move(surroundings)) {}

Service::~Service() {
    begin_stop();
    workers_.clear();
}

void Service::open(const sql::Dialect& dialect, std::chrono::milliseconds default_lease) {
    const auto& options = *setup_.options;
    const claim::Request request{
        setup_.table, setup_.group, setup_.row_mode, options,
        options.lease.value_or(default_lease)};
    auto opened = [&] {
        try {
            return claim::open_queue(around_.database, around_.clock, dialect, request);
        } catch (const Error& error) {
            throw error.at(setup_.table.name(), subscription());
        }
    }();
    queue_.emplace(std::move(opened.queue));
    claims_ = claim::make_claims(
        *queue_, around_.watcher,
        {.renewed =
             [this](std::size_t count) { tell({.kind = Event::Kind::renewed, .count = count}); },
         .lost = [this](const Id& id) { tell({.kind = Event::Kind::lost, .row = &id}); },
         .error = [this](const Error& error) { tell_error(error); }});
    pacer_.emplace(options.poll_interval, claims_->side_by_side(limit()));
    tell({.kind = Event::Kind::opened});
    for (const auto& warning : opened.warnings)
        tell({.kind = Event::Kind::warning, .text = warning});
}

void Service::start() {
    for (std::size_t i = 0; i < setup_.options->workers; ++i)
        workers_.emplace_back([this] { work(); });
}

const std::string& Service::subscription() const noexcept {
    return setup_.group.empty() ? setup_.table.name() : setup_.group;
}

void Service::wake() {
    const std::lock_guard lock(mutex_);
    drained_ = false;
    if (pacer_) pacer_->wake();
    changed_.notify_all();
}

bool Service::reads(std::string_view table, std::string_view group) const noexcept {
    return setup_.table.name() == table && (group.empty() || setup_.group == group);
}

bool Service::drained() const {
    const std::lock_guard lock(mutex_);
    return drained_;
}

std::size_t Service::connections() const noexcept {
    return setup_.table.form() == Form::lease ? 2 : limit();
}

void Service::work() {
    while (const auto job = next()) run(job);
}

// Workers claim for themselves: the first free one looks for work, for all that are free where claims cannot run side by side.
std::shared_ptr<Job> Service::next() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        if (!ready_.empty()) {
            auto job = std::move(ready_.front());
            ready_.pop_front();
            job->started = true;
            in_work_.insert(job.get());
            if (!timed_) changed_.notify_one();
            return job;
        }
        if (may_claim())
            claim(lock);
        else
            wait(lock);
    }
    return nullptr;
}

std::size_t Service::limit() const noexcept {
    return setup_.options->max_in_work.value_or(setup_.options->workers);
}

std::size_t Service::claimed_rows() const noexcept {
    return in_work_.size() + ready_.size() + in_flight_;
}

bool Service::may_claim() const {
    return claimed_rows() < limit() &&
           pacer_->may_claim(ClaimPacer::Time::clock::now(), in_flight_);
}

// One worker minds the poll interval; the others sleep until there is work.
void Service::wait(std::unique_lock<std::mutex>& lock) {
    if (timed_ || in_flight_ > 0 || claimed_rows() >= limit()) return changed_.wait(lock);
    timed_ = true;
    changed_.wait_until(lock, pacer_->next());
    timed_ = false;
}

void Service::claim(std::unique_lock<std::mutex>& lock) {
    const std::size_t room = limit() - claimed_rows();
    ++in_flight_;
    const Beginning beginning{pacer_->begin(), finished_};
    lock.unlock();
    std::optional<claim::Claimed> claimed;
    try {
        claimed = claims_->claim(claims_->side_by_side(2) == 1 ? room : 1, stop_.get_token());
    } catch (const Error& error) {
        if (!stop_.stop_requested()) tell_error(queue_->located(error));
    } catch (const std::exception& error) {
        tell_error(queue_->located(
            Error(ErrorCode::database, std::string("a claim failed: ") + error.what())));
    }
    lock.lock();
    if (claimed && stopping_) { // too late: in flight until its rows are back
        for (auto& held : claimed->rows)
            ready_.push_back(std::make_shared<Job>(*this, std::move(held)));
        lock.unlock();
        give_back_ready();
        lock.lock();
        claimed.reset();
    }
    --in_flight_;
    if (claimed)
        accept(std::move(*claimed), beginning, lock);
    else
        pacer_->failed(ClaimPacer::Time::clock::now(), share());
    changed_.notify_all();
}

void Service::accept(
    claim::Claimed claimed, Beginning beginning, std::unique_lock<std::mutex>& lock) {
    blocked_ |= claimed.blocked;
    if (claimed.blocked && finished_ != beginning.finished) pacer_->wake();
    if (claimed.full)
        pacer_->full();
    else
        pacer_->fell_short(ClaimPacer::Time::clock::now(), beginning.ticket, share());
    const std::size_t count = claimed.rows.size();
    for (auto& held : claimed.rows) ready_.push_back(std::make_shared<Job>(*this, std::move(held)));
    const bool report_unreadable =
        !claimed.unreadable.empty() && !std::exchange(told_unreadable_, true);
    const bool idle = count == 0 && ready_.empty() && in_work_.empty() && in_flight_ == 0;
    if (count > 0) drained_ = false;
    lock.unlock();
    if (count > 0)
        tell({.kind = Event::Kind::claimed, .count = count});
    else if (idle)
        tell({.kind = Event::Kind::waiting});
    if (report_unreadable)
        tell(
            {.kind = Event::Kind::undecodable,
             .text = "the id is NULL, or neither an integer nor text: such rows are skipped"});
    lock.lock();
    if (idle && drains()) check_drained(lock);
}

void Service::check_drained(std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    bool empty = false;
    try {
        const std::array calls{queue_->statements.unfinished.call(queue_->inputs())};
        empty = around_.database.read(calls).front().rows() == 0;
    } catch (const Error& error) {
        tell_error(queue_->located(error));
    }
    lock.lock();
    if (!empty || std::exchange(drained_, true)) return;
    lock.unlock();
    around_.on_drained();
    lock.lock();
}

void Service::begin_stop() {
    {
        const std::lock_guard lock(mutex_);
        if (std::exchange(stopping_, true)) return;
        changed_.notify_all();
    }
    stop_.request_stop();
    give_back_ready();
    std::vector<std::stop_source> sources;
    {
        const std::lock_guard lock(mutex_);
        for (Job* job : in_work_) sources.push_back(job->signal().stop);
    }
    for (auto& source : sources) source.request_stop();
}

// Rows that no handler has seen.
void Service::give_back_ready() {
    std::deque<std::shared_ptr<Job>> ready;
    {
        const std::lock_guard lock(mutex_);
        ready.swap(ready_);
    }
    for (const auto& job : ready) {
        if (const auto held = job->take(); held && !give_back(*held, true)) return;
        tell({.kind = Event::Kind::given_back}, job.get());
    }
}

// False if the database is away: the rows that are left come back by themselves.
bool Service::give_back(claim::Held& held, bool unstarted) {
    try {
        claims_->give_back(held, unstarted);
    } catch (const Error& error) {
        tell_error(queue_->located(error, held.content.id));
        return !error.connection_lost() && error.code() != ErrorCode::connect &&
               error.code() != ErrorCode::closed;
    }
    return true;
}

bool Service::wait_until_idle(std::chrono::steady_clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    return changed_.wait_until(lock, deadline, [&] { return in_work_.empty() && in_flight_ == 0; });
}

std::size_t Service::release_rest() {
    if (!claims_) return 0;
    claims_->abandon();
    std::vector<std::unique_ptr<claim::Held>> rest;
    {
        const std::lock_guard lock(mutex_);
        for (Job* job : in_work_) {
            if (auto held = job->take()) rest.push_back(std::move(held));
        }
    }
    for (const auto& held : rest) held->signal->raise_lost();
    for (const auto& held : rest) {
        if (!give_back(*held, false)) break;
    }
    return rest.size();
}

double Service::share() { return std::uniform_real_distribution<double>(0, 1)(random_); }

void Service::tell(Event event, const Job* job) const {
    event.table = setup_.table.name();
    event.subscription = subscription();
    if (job != nullptr) {
        event.row = &job->id();
        event.attempt = job->attempt();
    }
    around_.observer.on(event);
}

void Service::tell_error(const Error& error) const {
    tell(
        {.kind = Event::Kind::error,
         .row = error.row() ? &*error.row() : nullptr,
         .text = error.what(),
         .error = &error});
}

} // namespace rowq::detail::broker
