// The default policies.
#include "broker/policy.hpp"

#include <algorithm>

namespace rowq::detail::broker {

std::chrono::milliseconds backoff(
    int attempt, std::chrono::milliseconds first, std::chrono::milliseconds longest) noexcept {
    auto delay = first;
    for (int i = 1; i < attempt && delay < longest; ++i) delay *= 2;
    return std::min(delay, longest);
}

Outcome after_failure(
    const Table& table, const SubscriptionOptions& options, int attempt, double share) noexcept {
    if (!table.has(Role::retry_after)) return retry();
    const std::chrono::duration<double, std::milli> delay(
        backoff(attempt, options.first_backoff, options.longest_backoff));
    return retry_after(delay * (1 - share / 2));
}

Outcome after_undecodable(
    const Table& table, const SubscriptionOptions& options, int attempt, double share) noexcept {
    if (options.on_undecodable) return *options.on_undecodable;
    if (!options.dead_letter.empty()) return dead_letter();
    if (table.has(Role::retry_after)) return after_failure(table, options, attempt, share);
    return drop();
}

Outcome capped(Outcome outcome, const SubscriptionOptions& options, int attempt) noexcept {
    const bool again =
        outcome.kind() == Outcome::Kind::retry || outcome.kind() == Outcome::Kind::retry_after;
    return again && options.max_attempts && attempt >= *options.max_attempts ? dead_letter()
                                                                             : outcome;
}

} // namespace rowq::detail::broker
