// Mood changes of a claim loop.
#include "broker/claim_pacer.hpp"

#include <algorithm>

namespace rowq::detail::broker {

namespace {

// A span less a random part of it: brokers that start together drift apart.
ClaimPacer::Time after(
    ClaimPacer::Time now, std::chrono::milliseconds span, double part, double share) {
    const std::chrono::duration<double, std::milli> whole(span);
    return now + std::chrono::duration_cast<ClaimPacer::Time::duration>(whole * (1 - part * share));
}

std::chrono::milliseconds backoff(int failures) {
    return std::min(
        ClaimPacer::longest_backoff, ClaimPacer::first_backoff * (1 << std::min(failures, 10)));
}

} // namespace

bool ClaimPacer::may_claim(Time now, std::size_t in_flight) const noexcept {
    if (now < paused_until_) return false;
    if (mood_ == Mood::hot) return in_flight < side_by_side_;
    return in_flight == 0 && now >= next_;
}

void ClaimPacer::full() noexcept {
    failures_ = 0;
    mood_ = Mood::hot;
}

void ClaimPacer::fell_short(Time now, Ticket ticket, double share) noexcept {
    failures_ = 0;
    if (ticket != wake_ups_) {
        mood_ = Mood::hot;
        return;
    }
    mood_ = Mood::cold;
    next_ = after(now, interval_, 0.25, share);
}

void ClaimPacer::failed(Time now, double share) noexcept {
    if (mood_ == Mood::failing && now < next_) return; // one outage, met by several claims at once
    mood_ = Mood::failing;
    next_ = after(now, backoff(failures_++), 0.5, share);
}

void ClaimPacer::refused(Time now, double share) noexcept {
    if (now < paused_until_) return; // by several workers at once
    paused_until_ = after(now, backoff(refusals_++), 0.5, share);
}

void ClaimPacer::wake() noexcept {
    ++wake_ups_;
    if (mood_ == Mood::cold) mood_ = Mood::hot;
}

} // namespace rowq::detail::broker
