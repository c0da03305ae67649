// A transaction selects the row and stays open while the handler runs; the settling statement commits it.
#include "claim/row_lock.hpp"

#include "claim/session.hpp"
#include "claim/settling.hpp"
#include "db/retrying.hpp"

#include <array>
#include <utility>

namespace rowq::detail::claim {

namespace {

class RowLockClaims final : public Claims {
public:
    RowLockClaims(const Queue& queue, Watcher& watcher, Reports reports)
        : queue_(queue), watcher_(watcher), reports_(std::move(reports)) {}

    std::size_t side_by_side(std::size_t workers) const noexcept override { return workers; }
    Claimed claim(std::size_t n, std::stop_token stop) override;
    void settle(Held& held, const Settlement& settlement) override;
    void give_back(Held& held, bool unstarted) override;

private:
    const Queue& queue_;
    Watcher& watcher_;
    Reports reports_;
};

// One row: each delivery in work has a transaction of its own.
Claimed RowLockClaims::claim(std::size_t, std::stop_token) {
    Claimed claimed;
    auto connection = queue_.database.pool()->try_acquire_spare();
    if (!connection) {
        claimed.blocked = true;
        return claimed;
    }
    const auto& statement = queue_.statements.claim;
    auto results = db::retrying([&] {
        if ((*connection)->in_transaction()) (*connection)->rollback();
        const std::array calls{statement.call(queue_.inputs())};
        return (*connection)->run(calls, {.begin = true});
    });
    if (results.front().rows() == 0) return claimed;
    auto row = read_claimed(statement.statement(), results.front(), 0);
    row.content.group = queue_.group;
    claimed.full = true;
    claimed.rows.push_back(std::make_unique<HeldBySession>(
        std::move(row.content), std::move(*connection), watcher_, reports_.lost));
    return claimed;
}

void RowLockClaims::settle(Held& held, const Settlement& settlement) {
    auto connection = static_cast<HeldBySession&>(held).take(queue_);
    const auto calls = settlement_calls(queue_, held.content, settlement);
    if (calls.empty()) return connection->rollback();
    try {
        if (changed_nothing(connection->run(calls, {.commit = true})))
            throw row_gone(queue_, settlement.kind, held.content.id);
    } catch (const Error& error) {
        if (error.row()) throw;
        throw session_settlement_error(queue_, error, settlement.kind, held.content.id);
    }
}

void RowLockClaims::give_back(Held& held, bool) {
    static_cast<HeldBySession&>(held).take(queue_)->rollback();
}

} // namespace

std::unique_ptr<Claims> row_lock_claims(const Queue& queue, Watcher& watcher, Reports reports) {
    return std::make_unique<RowLockClaims>(queue, watcher, std::move(reports));
}

} // namespace rowq::detail::claim
