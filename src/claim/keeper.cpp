// The keeper's thread: waits for the next round, sends it, tells who lost.
#include "claim/keeper.hpp"

#include "claim/lists.hpp"
#include "db/values.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <utility>

namespace rowq::detail::claim {

using namespace std::chrono_literals;

Keeper::Keeper(const Queue& queue, Reports reports)
    : queue_(queue), reports_(std::move(reports)), book_(queue.lease), thread_([this] { run(); }) {}

Keeper::~Keeper() {
    abandon();
    thread_.join();
}

void Keeper::abandon() noexcept {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
    changed_.notify_all();
}

LeaseBook::Number Keeper::keep(const Id& id, Timestamp token, std::shared_ptr<Signal> signal) {
    std::vector<std::shared_ptr<Signal>> superseded;
    LeaseBook::Number number = 0;
    {
        const std::lock_guard lock(mutex_);
        for (const auto older : book_.supersede(id)) superseded.push_back(kept_.at(older).signal);
        number = book_.add(id, token);
        kept_.emplace(number, Kept{id, std::move(signal)});
        if (book_.size() == 1) changed_.notify_all();
    }
    for (const auto& older : superseded) {
        older->raise_lost();
        if (reports_.lost) reports_.lost(id);
    }
    return number;
}

void Keeper::forget(LeaseBook::Number number) noexcept {
    const std::lock_guard lock(mutex_);
    book_.remove(number);
    kept_.erase(number);
}

std::vector<Timestamp> Keeper::begin_settling(LeaseBook::Number number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return book_.begin_settling(number); });
    return book_.tokens(number);
}

bool Keeper::rest(int attempt) {
    const auto pause =
        std::min<std::chrono::milliseconds>(2'000ms, 100ms * (1 << std::min(attempt - 1, 8)));
    std::unique_lock lock(mutex_);
    return !changed_.wait_for(lock, pause, [&] { return abandoned_; });
}

// Waits on the steady clock for an instant of the wall clock, so it looks again now and then: the wall clock may jump.
void Keeper::run() {
    std::unique_lock lock(mutex_);
    while (!abandoned_) {
        const auto next = book_.next_round();
        if (!next) {
            changed_.wait(lock);
            continue;
        }
        const auto wait = *next - queue_.clock.now();
        if (wait > 0us) {
            changed_.wait_for(lock, std::min<std::chrono::microseconds>(wait, queue_.lease / 8));
            continue;
        }
        round(lock);
        changed_.notify_all();
    }
}

void Keeper::round(std::unique_lock<std::mutex>& lock) {
    const auto now = queue_.clock.now();
    const auto round = book_.begin_round(now);
    if (round.empty()) return;
    lock.unlock();
    Inputs inputs;
    try {
        const auto kind = queue_.database.kind();
        inputs.ids = list_of_ids(kind, round);
        inputs.tokens = list_of_tokens(kind, round);
        auto results = queue_.database.write_late([&] {
            inputs.expiry = queue_.clock.now() + queue_.lease;
            return std::vector{queue_.statements.renew.call(inputs)};
        });
        std::map<Id, Timestamp> still_held;
        for (std::size_t i = 0; i < results.front().rows(); ++i) {
            auto row = read_claimed(queue_.statements.renew.statement(), results.front(), i);
            if (row.has_id && row.token) still_held.emplace(std::move(row.content.id), *row.token);
        }
        apply(round, still_held);
        lock.lock();
    } catch (const Error& error) {
        lock.lock();
        failed(
            lock, round, error,
            error.outcome_unknown() ? std::optional(inputs.expiry) : std::nullopt);
    } catch (const std::exception& error) {
        lock.lock();
        failed(lock, round, Error(ErrorCode::database, error.what()), std::nullopt);
    }
}

void Keeper::failed(
    std::unique_lock<std::mutex>& lock, const std::vector<LeaseBook::Renewal>& round,
    const Error& error, std::optional<Timestamp> maybe) {
    const auto pause = std::min<std::chrono::microseconds>(1s, queue_.lease / 8);
    for (const auto& renewal : round)
        book_.failed(renewal.number, queue_.clock.now() + pause, maybe);
    if (!reports_.error) return;
    lock.unlock();
    reports_.error(queue_.located(
        Error(error.code(), "renewing leases failed: " + error.text(), error.details())));
    lock.lock();
}

void Keeper::apply(
    const std::vector<LeaseBook::Renewal>& round, const std::map<Id, Timestamp>& still_held) {
    std::vector<std::pair<Id, std::shared_ptr<Signal>>> lost;
    std::size_t renewed = 0;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& renewal : round) {
            const auto found = still_held.find(renewal.id);
            if (found == still_held.end()) {
                lose(renewal.number, lost);
            } else {
                book_.renewed(renewal.number, found->second);
                ++renewed;
            }
        }
    }
    if (renewed > 0 && reports_.renewed) reports_.renewed(renewed);
    for (const auto& [id, signal] : lost) {
        signal->raise_lost();
        if (reports_.lost) reports_.lost(id);
    }
}

void Keeper::lose(
    LeaseBook::Number number, std::vector<std::pair<Id, std::shared_ptr<Signal>>>& lost) {
    const auto kept = kept_.find(number);
    if (kept == kept_.end() || kept->second.signal->lost) return;
    book_.lost(number);
    lost.emplace_back(kept->second.id, kept->second.signal);
}

} // namespace rowq::detail::claim
