// The advisory lock form on a server with session locks.
#pragma once

#include "claim/claims.hpp"

namespace rowq::detail::claim {

[[nodiscard]] std::unique_ptr<Claims> advisory_claims(
    const Queue& queue, Watcher& watcher, Reports reports);

} // namespace rowq::detail::claim
