// A session lock on the row's key follows the delivery; no transaction stays open.
#include "claim/advisory.hpp"

#include "claim/session.hpp"
#include "claim/settling.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace rowq::detail::claim {

namespace {

// Candidates looked at by one statement: enough to pass over keys in work, grown where they are many.
constexpr std::int64_t first_look = 64;
constexpr std::int64_t widest_look = 1'000'000;

class AdvisoryClaims final : public Claims {
public:
    AdvisoryClaims(const Queue& queue, Watcher& watcher, Reports reports)
        : queue_(queue), watcher_(watcher), reports_(std::move(reports)) {}

    std::size_t side_by_side(std::size_t workers) const noexcept override { return workers; }
    Claimed claim(std::size_t n, std::stop_token stop) override;
    void settle(Held& held, const Settlement& settlement) override;
    void give_back(Held& held, bool unstarted) override;

private:
    [[nodiscard]] std::optional<ClaimedRow> take_first_free(
        db::Connection& connection, const std::stop_token& stop, bool& passed_over);
    [[nodiscard]] ClaimedRow look(db::Connection& connection, std::int64_t limit);
    void unlock(db::Connection& connection, std::int64_t lock);
    void finish(HeldBySession& held, std::vector<db::Call> calls, Outcome::Kind kind);

    const Queue& queue_;
    Watcher& watcher_;
    Reports reports_;
};

ClaimedRow AdvisoryClaims::look(db::Connection& connection, std::int64_t limit) {
    const auto& statement = queue_.statements.claim;
    auto inputs = queue_.inputs();
    inputs.limit = limit;
    const std::array calls{statement.call(inputs)};
    auto results = connection.run(calls);
    return read_claimed(statement.statement(), results.front(), 0);
}

void AdvisoryClaims::unlock(db::Connection& connection, std::int64_t lock) {
    Inputs inputs;
    inputs.lock = lock;
    const std::array calls{queue_.statements.unlock.call(inputs)};
    static_cast<void>(connection.run(calls));
}

std::optional<ClaimedRow> AdvisoryClaims::take_first_free(
    db::Connection& connection, const std::stop_token& stop, bool& passed_over) {
    std::int64_t limit = first_look;
    while (!stop.stop_requested()) {
        auto row = look(connection, limit);
        if (row.lock && row.has_id) return row;
        if (row.lock) { // settled by another session between our look and our lock
            unlock(connection, *row.lock);
            continue;
        }
        if (row.seen < limit || limit >= widest_look) {
            passed_over = row.seen > 0;
            return std::nullopt;
        }
        limit = std::min(limit * 8, widest_look);
    }
    return std::nullopt;
}

Claimed AdvisoryClaims::claim(std::size_t, std::stop_token stop) {
    Claimed claimed;
    auto connection = queue_.database.pool()->try_acquire_spare();
    if (!connection) {
        claimed.blocked = true;
        return claimed;
    }
    std::optional<ClaimedRow> row;
    try {
        row = take_first_free(**connection, stop, claimed.blocked);
    } catch (...) {
        connection->discard(); // a lock taken by a failed statement outlives it
        throw;
    }
    if (!row) return claimed;
    row->content.group = queue_.group;
    auto held = std::make_unique<HeldBySession>(
        std::move(row->content), std::move(*connection), watcher_, reports_.lost);
    held->lock = *row->lock;
    claimed.full = true;
    claimed.rows.push_back(std::move(held));
    return claimed;
}

// Settling and unlocking travel together. Should the server unlock before it commits, the next holder of the key still waits for our row
// and then reads it as we left it.
void AdvisoryClaims::finish(HeldBySession& held, std::vector<db::Call> calls, Outcome::Kind kind) {
    auto connection = held.take(queue_);
    Inputs inputs;
    inputs.lock = held.lock;
    const bool changes = !calls.empty();
    calls.push_back(queue_.statements.unlock.call(inputs));
    try {
        if (changed_nothing(connection->run(calls)) && changes)
            throw row_gone(queue_, kind, held.content.id);
    } catch (const Error& error) {
        if (error.row()) throw;
        connection.discard();
        throw session_settlement_error(queue_, error, kind, held.content.id);
    }
}

void AdvisoryClaims::settle(Held& held, const Settlement& settlement) {
    finish(
        static_cast<HeldBySession&>(held), settlement_calls(queue_, held.content, settlement),
        settlement.kind);
}

void AdvisoryClaims::give_back(Held& held, bool unstarted) {
    std::vector<db::Call> calls;
    if (unstarted && !queue_.statements.give_back.empty()) {
        auto inputs = queue_.inputs();
        inputs.id = held.content.id;
        calls.push_back(queue_.statements.give_back.call(inputs));
    }
    finish(static_cast<HeldBySession&>(held), std::move(calls), Outcome::Kind::retry);
}

} // namespace

std::unique_ptr<Claims> advisory_claims(const Queue& queue, Watcher& watcher, Reports reports) {
    return std::make_unique<AdvisoryClaims>(queue, watcher, std::move(reports));
}

} // namespace rowq::detail::claim
