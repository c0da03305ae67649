// What a handler decides about its row.
#pragma once

#include <chrono>
#include <cstdint>

namespace rowq {

/// The decision a handler returns. A small value; copy freely.
class Outcome {
public:
    enum class Kind : std::uint8_t { ack, drop, retry, retry_after, dead_letter };

    constexpr explicit Outcome(Kind kind, std::chrono::microseconds delay = {}) noexcept
        : kind_(kind), delay_(delay) {}

    [[nodiscard]] constexpr Kind kind() const noexcept { return kind_; }

    /// How long the row rests; zero unless the kind is retry_after.
    [[nodiscard]] constexpr std::chrono::microseconds delay() const noexcept { return delay_; }

    friend constexpr bool operator==(const Outcome&, const Outcome&) = default;

private:
    Kind kind_;
    std::chrono::microseconds delay_;
};

/// Done: the row is deleted, or marked where the table has `processed_at`.
[[nodiscard]] constexpr Outcome ack() noexcept { return Outcome{Outcome::Kind::ack}; }

/// Not wanted: the same effect on the row as ack(), reported as a drop.
[[nodiscard]] constexpr Outcome drop() noexcept { return Outcome{Outcome::Kind::drop}; }

/// Not done: the row is due again at once, in its old place. Counts towards max_attempts.
[[nodiscard]] constexpr Outcome retry() noexcept { return Outcome{Outcome::Kind::retry}; }

/// Not done: the row is due again after a delay. Counts towards max_attempts. Without a `retry_after` column the row comes back at once.
/// @param delay from now; a negative one counts as zero, one above 100 years as 100 years.
template <class Rep, class Period>
[[nodiscard]] constexpr Outcome retry_after(std::chrono::duration<Rep, Period> delay) noexcept {
    using seconds = std::chrono::duration<double>;
    constexpr std::chrono::hours longest{24 * 36'525};
    if (!(seconds(delay) > seconds::zero())) return Outcome{Outcome::Kind::retry_after};
    if (seconds(delay) > seconds(longest)) return Outcome{Outcome::Kind::retry_after, longest};
    return Outcome{
        Outcome::Kind::retry_after, std::chrono::duration_cast<std::chrono::microseconds>(delay)};
}

/// Never going to be done: the row moves to the subscription's dead letter now. Without one declared, the settlement fails with
/// `declaration` and the row is treated as after retry().
[[nodiscard]] constexpr Outcome dead_letter() noexcept {
    return Outcome{Outcome::Kind::dead_letter};
}

} // namespace rowq
