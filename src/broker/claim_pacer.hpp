// When a subscription looks for work: pure, driven by its workers, tested without waiting.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace rowq::detail::broker {

// Three moods. Hot: the last claim was full, so the next follows at once, side by side up to the limit. Cold: a claim came back short; one
// claim when the poll interval is over, or a wake-up. Failing: like cold, after an exponential back-off that a wake-up does not cut short.
// Beside them a pause after refused settlements, which grows until one is accepted: rows come in all right, but none can leave.
// Not thread safe: the caller locks. Randomness is passed in as a share in [0, 1).
class ClaimPacer {
public:
    using Time = std::chrono::steady_clock::time_point;
    using Ticket = std::uint64_t;

    // Bounds of the back-off after failed claims and refused settlements.
    static constexpr std::chrono::milliseconds first_backoff{100};
    static constexpr std::chrono::milliseconds longest_backoff{5'000};

    ClaimPacer(std::chrono::milliseconds interval, std::size_t side_by_side) noexcept
        : interval_(interval), side_by_side_(side_by_side) {}

    [[nodiscard]] bool may_claim(Time now, std::size_t in_flight) const noexcept;

    // When may_claim() turns true by time alone, if nothing is in flight.
    [[nodiscard]] Time next() const noexcept {
        return mood_ == Mood::hot ? paused_until_ : std::max(next_, paused_until_);
    }

    // A claim begins; its end is told with the ticket, so that a wake-up during the claim is remembered.
    [[nodiscard]] Ticket begin() const noexcept { return wake_ups_; }
    void full() noexcept;
    void fell_short(Time now, Ticket ticket, double share) noexcept;
    void failed(Time now, double share) noexcept;

    void refused(Time now, double share) noexcept; // a settlement
    void accepted() noexcept { refusals_ = 0; }

    void wake() noexcept;

private:
    enum class Mood : std::uint8_t { hot, cold, failing };

    std::chrono::milliseconds interval_;
    std::size_t side_by_side_;
    Mood mood_ = Mood::hot;
    Time next_{};
    Ticket wake_ups_ = 0;
    int failures_ = 0;
    Time paused_until_ = Time::min();
    int refusals_ = 0;
};

} // namespace rowq::detail::broker
