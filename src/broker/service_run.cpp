// A job through its handler to its settlement.
#include "broker/policy.hpp"
#include "broker/service.hpp"
#include "table/one_line.hpp"

#include <exception>
#include <memory>
#include <utility>

namespace rowq::detail::broker {

namespace {

// A handler may say anything at any length; observers get what fits a log line.
std::string said(const std::exception& error) {
    constexpr std::size_t longest = 2'000;
    return on_one_line(shortened(error.what(), longest));
}

} // namespace

// Its last settlement was refused, and the next may be, too: as after a handler that threw, the rows behind it go first.
void Service::set_aside(Job& job) {
    std::unique_lock lock(mutex_);
    const auto outcome =
        settleable(after_failure(setup_.table, *setup_.options, job.attempt(), share()), job);
    lock.unlock();
    tell(
        {.kind = Event::Kind::failed,
         .outcome = outcome,
         .text = "its last settlement was refused: put back without being run"},
        &job);
    settle_reporting(job, outcome);
}

bool Service::was_refused(const Job& job) {
    const std::lock_guard lock(mutex_);
    return refused_.erase(job.id()) > 0;
}

void Service::run(const std::shared_ptr<Job>& job) {
    const auto& cap = setup_.options->max_attempts;
    if (cap && job->attempt() > *cap) {
        tell(
            {.kind = Event::Kind::failed,
             .outcome = dead_letter(),
             .text = "claimed more often than max_attempts allows: moved without being run again"},
            job.get());
        return settle_reporting(*job, dead_letter());
    }
    if (was_refused(*job)) return set_aside(*job);
    tell({.kind = Event::Kind::started}, job.get());
    Delivery delivery(std::make_unique<WorkedDelivery>(job));
    job->begin_call();
    const auto outcome = call_handler(delivery, *job);
    job->end_call();
    if (outcome) return settle_reporting(*job, *outcome);
    if (job->dropped_by_throw()) give_up(*job); // in a throw that did not leave the handler
}

// Empty: the handler owns the delivery.
std::optional<Outcome> Service::call_handler(Delivery& delivery, const Job& job) {
    try {
        return setup_.handler(delivery);
    } catch (const Undecodable& error) {
        std::unique_lock lock(mutex_);
        const auto outcome = settleable(
            after_undecodable(setup_.table, *setup_.options, job.attempt(), share()), job);
        lock.unlock();
        tell({.kind = Event::Kind::undecodable, .outcome = outcome, .text = said(error)}, &job);
        return outcome;
    } catch (const std::exception& error) {
        return after_throw(error, delivery, job);
    } catch (...) {
        return after_throw(
            std::runtime_error("the handler threw something that is no std::exception"), delivery,
            job);
    }
}

// Empty: the handler has settled the delivery or passed it on.
std::optional<Outcome> Service::after_throw(
    const std::exception& error, const Delivery& delivery, const Job& job) {
    std::optional<Outcome> outcome;
    if (delivery) {
        outcome = settleable(failure_outcome(error, delivery, job), job);
    } else if (job.dropped_by_throw()) {
        const Delivery dropped(std::make_unique<DroppedDelivery>(job, setup_.group));
        outcome = settleable(failure_outcome(error, dropped, job), job);
    }
    tell({.kind = Event::Kind::failed, .outcome = outcome, .text = said(error)}, &job);
    return outcome;
}

Outcome Service::failure_outcome(
    const std::exception& error, const Delivery& delivery, const Job& job) {
    const auto by_default = [&] {
        const std::lock_guard lock(mutex_);
        return after_failure(setup_.table, *setup_.options, job.attempt(), share());
    };
    if (!setup_.options->on_failure) return by_default();
    try {
        return setup_.options->on_failure(error, delivery);
    } catch (const std::exception& second) {
        tell({.kind = Event::Kind::warning, .text = said(second)}, &job);
    } catch (...) {
        tell({.kind = Event::Kind::warning, .text = "the failure policy threw"}, &job);
    }
    return by_default();
}

Outcome Service::settleable(Outcome outcome, const Job& job) {
    return capped(outcome, *setup_.options, job.attempt());
}

void Service::settle_reporting(Job& job, Outcome outcome) {
    try {
        settle(job, outcome);
    } catch (const Error&) {
        return; // told by settle(); the row comes back by itself
    }
}

void Service::settle(Job& job, Outcome outcome) {
    const auto held = job.take();
    if (!held) {
        const auto code =
            setup_.table.form() == Form::lease ? ErrorCode::lease_lost : ErrorCode::lock_lost;
        const auto error = queue_->located(
            Error(code, "the row was released when the broker stopped; nothing was changed"),
            job.id());
        tell_error(error);
        throw Error(error);
    }
    outcome = settleable(outcome, job);
    if (outcome.kind() == Outcome::Kind::dead_letter && setup_.options->dead_letter.empty()) {
        const auto error = queue_->located(
            Error(
                ErrorCode::declaration,
                "a dead letter was asked for, but the subscription declares none; the row is retried"),
            job.id());
        tell_error(error);
        settle_held(*held, {Outcome::Kind::retry});
        throw Error(error);
    }
    if (outcome.kind() == Outcome::Kind::retry_after && !setup_.table.has(Role::retry_after) &&
        !told_no_delay_.exchange(true))
        tell(
            {.kind = Event::Kind::warning,
             .text = "the table has no retry_after column, so delayed retries come back at once"});
    settle_held(*held, {outcome.kind(), around_.clock.now() + outcome.delay()});
    if (outcome.kind() == Outcome::Kind::ack || outcome.kind() == Outcome::Kind::drop) accepted();
    tell({.kind = Event::Kind::settled, .outcome = outcome}, &job);
}

void Service::settle_held(claim::Held& held, claim::Settlement settlement) {
    try {
        claims_->settle(held, settlement);
    } catch (const Error& error) {
        tell_error(error);
        if (error.code() == ErrorCode::lease_lost || error.code() == ErrorCode::lock_lost) throw;
        refused(held.content.id, error);
        throw;
    }
    using Kind = Outcome::Kind;
    if (settlement.kind == Kind::retry ||
        (settlement.kind == Kind::retry_after && !setup_.table.has(Role::retry_after)))
        wake(); // the row is due again
}

// Where the row is due again at once, it would be refused again at once: without a pause, thousands of times a second.
void Service::refused(const Id& id, const Error& error) {
    const bool by_the_row = !error.connection_lost() && !error.retryable();
    const std::lock_guard lock(mutex_);
    pacer_->refused(ClaimPacer::Time::clock::now(), share());
    if (setup_.table.form() == Form::lease || !by_the_row) return; // its lease keeps it away
    if (refused_.size() >= most_refused) refused_.clear();
    refused_.insert(id);
}

void Service::accepted() {
    const std::lock_guard lock(mutex_);
    pacer_->accepted();
}

void Service::give_up(Job& job) noexcept {
    try {
        if (const auto held = job.take()) {
            claims_->give_back(*held, false);
            tell({.kind = Event::Kind::given_back}, &job);
            wake();
        }
    } catch (const Error& error) {
        tell_error(queue_->located(error, job.id()));
    } catch (...) {
        return; // out of memory: the hold ends with the row's connection or lease
    }
}

void Service::finished(Job& job) noexcept {
    const std::lock_guard lock(mutex_);
    in_work_.erase(&job);
    ++finished_;
    if (std::exchange(blocked_, false) || (drains() && in_work_.empty())) pacer_->wake();
    changed_.notify_all();
}

} // namespace rowq::detail::broker
