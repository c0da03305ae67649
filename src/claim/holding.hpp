// The row lock and advisory lock forms on a database without locks of its own.
#pragma once

#include "claim/claims.hpp"

#include <cstdint>
#include <string_view>

namespace rowq::detail::claim {

[[nodiscard]] std::unique_ptr<Claims> holding_claims(const Queue& queue);

// The number that is held for a row or a key: the same in every process and every release. FNV-1a, then the finaliser of MurmurHash3, so that short texts spread over all 63
// bits. Two texts with one number are worked on one after the other: harmless.
[[nodiscard]] std::uint64_t hold_number(std::string_view kind, std::string_view text) noexcept;

} // namespace rowq::detail::claim
