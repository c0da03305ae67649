// The lease form: the claim writes an expiry into the row, and the expiry is the delivery's token.
#pragma once

#include "claim/claims.hpp"

namespace rowq::detail::claim {

[[nodiscard]] std::unique_ptr<Claims> lease_claims(const Queue& queue, Reports reports);

} // namespace rowq::detail::claim
