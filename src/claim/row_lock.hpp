// The row lock form on a server with row locks.
#pragma once

#include "claim/claims.hpp"

namespace rowq::detail::claim {

[[nodiscard]] std::unique_ptr<Claims> row_lock_claims(
    const Queue& queue, Watcher& watcher, Reports reports);

} // namespace rowq::detail::claim
