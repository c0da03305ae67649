// Jobs and the deliveries that show them to handlers.
#include "broker/job.hpp"

#include "broker/service.hpp"

#include <exception>
#include <utility>

namespace rowq::detail::broker {

Job::Job(Service& owner, std::unique_ptr<claim::Held> held)
    : service(owner),
      content(std::move(held->content)),
      id_(content.id),
      attempt_(content.attempt),
      held_(std::move(held)),
      signal_(held_->signal) {
    held_->content.id = id_;
}

Job::~Job() {
    if (started) service.finished(*this);
}

std::unique_ptr<claim::Held> Job::take() {
    const std::lock_guard lock(mutex_);
    return std::move(held_);
}

bool Job::drop_by_throw() noexcept {
    if (caller_.load() != std::this_thread::get_id() || std::uncaught_exceptions() == 0)
        return false;
    dropped_by_throw_ = true;
    return true;
}

WorkedDelivery::WorkedDelivery(std::shared_ptr<Job> job)
    : DeliveryState(std::move(job->content)), job_(std::move(job)) {}

void WorkedDelivery::settle(Outcome outcome) { job_->service.settle(*job_, outcome); }
void WorkedDelivery::give_up() noexcept {
    if (!job_->drop_by_throw()) job_->service.give_up(*job_);
}
std::stop_token WorkedDelivery::stop_token() const noexcept {
    return job_->signal().stop.get_token();
}
bool WorkedDelivery::lost() const noexcept { return job_->signal().lost; }

DroppedDelivery::DroppedDelivery(const Job& job, std::string group)
    : DeliveryState(Content{}), job_(job) {
    content.id = job.id();
    content.attempt = job.attempt();
    content.group = std::move(group);
}

std::stop_token DroppedDelivery::stop_token() const noexcept {
    return job_.signal().stop.get_token();
}
bool DroppedDelivery::lost() const noexcept { return job_.signal().lost; }

} // namespace rowq::detail::broker
