// What follows an outcome, a failure, or a row that does not decode.
#pragma once

#include "table/description.hpp"

#include <rowq/outcome.hpp>
#include <rowq/subscription.hpp>

#include <chrono>

namespace rowq::detail::broker {

// first, doubled each attempt, never above longest: finite and never falling for any attempt. Attempts below 1 count as 1.
[[nodiscard]] std::chrono::milliseconds backoff(
    int attempt, std::chrono::milliseconds first, std::chrono::milliseconds longest) noexcept;

// The default for a handler that threw. share in [0, 1) takes away up to half of the delay.
[[nodiscard]] Outcome after_failure(
    const Table& table, const SubscriptionOptions& options, int attempt, double share) noexcept;

// The decode policy in force.
[[nodiscard]] Outcome after_undecodable(
    const Table& table, const SubscriptionOptions& options, int attempt, double share) noexcept;

// The outcome as it is settled: a row that has used up its attempts moves instead of being retried.
[[nodiscard]] Outcome capped(
    Outcome outcome, const SubscriptionOptions& options, int attempt) noexcept;

} // namespace rowq::detail::broker
