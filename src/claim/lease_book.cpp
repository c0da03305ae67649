// State changes of leases.
#include "claim/lease_book.hpp"

#include <utility>

namespace rowq::detail::claim {

LeaseBook::Number LeaseBook::add(Id id, Timestamp token) {
    leases_.emplace(++last_, Lease{std::move(id), token, std::nullopt, token - length_ / 2});
    return last_;
}

std::vector<LeaseBook::Number> LeaseBook::supersede(const Id& id) {
    std::vector<Number> superseded;
    for (auto& [number, lease] : leases_) {
        if (lease.id != id || lease.state == State::lost) continue;
        lease.state = State::lost;
        superseded.push_back(number);
    }
    return superseded;
}

void LeaseBook::remove(Number number) { leases_.erase(number); }

std::optional<Timestamp> LeaseBook::next_round() const {
    std::optional<Timestamp> next;
    for (const auto& [number, lease] : leases_) {
        if (lease.state == State::held && (!next || lease.renew_at < *next)) next = lease.renew_at;
    }
    return next;
}

std::vector<LeaseBook::Renewal> LeaseBook::begin_round(Timestamp now) {
    std::vector<Renewal> round;
    for (auto& [number, lease] : leases_) {
        if (lease.state != State::held || lease.renew_at > now + length_ / 4) continue;
        lease.state = State::renewing;
        round.push_back({number, lease.id, lease.token});
        if (lease.maybe) round.push_back({number, lease.id, *lease.maybe});
    }
    return round;
}

void LeaseBook::renewed(Number number, Timestamp token) {
    const auto found = leases_.find(number);
    if (found == leases_.end() || found->second.state == State::lost) return;
    found->second = {found->second.id, token, std::nullopt, token - length_ / 2};
}

void LeaseBook::lost(Number number) {
    if (const auto found = leases_.find(number); found != leases_.end())
        found->second.state = State::lost;
}

void LeaseBook::failed(Number number, Timestamp retry_at, std::optional<Timestamp> maybe) {
    const auto found = leases_.find(number);
    if (found == leases_.end() || found->second.state == State::lost) return;
    found->second.state = State::held;
    found->second.renew_at = retry_at;
    if (maybe) found->second.maybe = maybe;
}

bool LeaseBook::begin_settling(Number number) {
    const auto found = leases_.find(number);
    if (found == leases_.end()) return true;
    if (found->second.state == State::renewing) return false;
    found->second.state = State::settling;
    return true;
}

std::vector<Timestamp> LeaseBook::tokens(Number number) const {
    const auto found = leases_.find(number);
    if (found == leases_.end()) return {};
    std::vector<Timestamp> tokens{found->second.token};
    if (found->second.maybe) tokens.push_back(*found->second.maybe);
    return tokens;
}

} // namespace rowq::detail::claim
