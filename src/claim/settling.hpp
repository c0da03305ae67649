// What the forms' settlements have in common.
#pragma once

#include "claim/claims.hpp"

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

namespace rowq::detail::claim {

[[nodiscard]] std::string_view event_name(Outcome::Kind kind) noexcept;

// The calls of one settlement, in their order; none for a retry by letting go. token: lease form only.
[[nodiscard]] std::vector<db::Call> settlement_calls(
    const Queue& queue, const Content& content, const Settlement& settlement,
    std::optional<Timestamp> token = std::nullopt);

// The same error, told with the settlement's event and row.
[[nodiscard]] Error settlement_error(
    const Queue& queue, const Error& error, Outcome::Kind kind, const Id& id);

// Someone deleted the row behind our back.
[[nodiscard]] Error row_gone(const Queue& queue, Outcome::Kind kind, const Id& id);

[[nodiscard]] bool changed_nothing(const std::vector<db::Result>& results) noexcept;

} // namespace rowq::detail::claim
