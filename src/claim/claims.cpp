// The one place that knows which forms there are.
#include "claim/claims.hpp"

#include "claim/advisory.hpp"
#include "claim/holding.hpp"
#include "claim/lease.hpp"
#include "claim/row_lock.hpp"

#include <rowq/error.hpp>

#include <utility>

namespace rowq::detail::claim {

std::unique_ptr<Claims> make_claims(const Queue& queue, Watcher& watcher, Reports reports) {
    if (queue.table.form() == Form::lease) return lease_claims(queue, std::move(reports));
    if (queue.database.holds() != nullptr) return holding_claims(queue);
    if (queue.table.form() == Form::advisory)
        return advisory_claims(queue, watcher, std::move(reports));
    return row_lock_claims(queue, watcher, std::move(reports));
}

} // namespace rowq::detail::claim
