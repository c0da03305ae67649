// Claims by lease, and settlements that name the token.
#include "claim/lease.hpp"

#include "claim/keeper.hpp"
#include "claim/settling.hpp"
#include "db/retrying.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace rowq::detail::claim {

namespace {

class HeldByLease final : public Held {
public:
    HeldByLease(Content c, Keeper& k) : Held(std::move(c)), keeper(k) {}
    ~HeldByLease() override { keeper.forget(number); }

    Keeper& keeper;
    LeaseBook::Number number = 0;
};

class LeaseClaims final : public Claims {
public:
    LeaseClaims(const Queue& queue, Reports reports)
        : queue_(queue), keeper_(queue, std::move(reports)) {}

    // Two claims at once would only wait for each other's rows.
    std::size_t side_by_side(std::size_t) const noexcept override { return 1; }
    Claimed claim(std::size_t n, std::stop_token stop) override;
    void settle(Held& held, const Settlement& settlement) override;
    void give_back(Held& held, bool unstarted) override;
    void abandon() noexcept override { keeper_.abandon(); }

private:
    [[nodiscard]] db::Result take(std::size_t n);
    [[nodiscard]] bool settle_once(
        const Content& content, const Settlement& settlement, const std::vector<Timestamp>& tokens);
    [[nodiscard]] Error lease_lost(Outcome::Kind kind, const Id& id) const;

    const Queue& queue_;
    Keeper keeper_;
};

// The claim's one instant is read when the statement can run: waiting for that must not eat the lease.
db::Result LeaseClaims::take(std::size_t n) {
    const auto call_now = [&] {
        auto inputs = queue_.inputs();
        inputs.limit = static_cast<std::int64_t>(n);
        inputs.expiry = inputs.now + queue_.lease;
        return std::vector{queue_.statements.claim.call(inputs)};
    };
    return db::retrying([&] { return std::move(queue_.database.write_late(call_now).front()); });
}

// SQLite returns updated rows in no order.
void sort_rows(std::vector<ClaimedRow>& rows) {
    std::stable_sort(rows.begin(), rows.end(), [](const ClaimedRow& a, const ClaimedRow& b) {
        return std::tie(a.priority, a.retry_after, a.content.id) <
               std::tie(b.priority, b.retry_after, b.content.id);
    });
}

Claimed LeaseClaims::claim(std::size_t n, std::stop_token) {
    auto result = take(n);
    std::vector<ClaimedRow> rows;
    for (std::size_t i = 0; i < result.rows(); ++i)
        rows.push_back(read_claimed(queue_.statements.claim.statement(), result, i));
    if (queue_.database.kind() == db::Kind::sqlite) sort_rows(rows);

    Claimed claimed;
    claimed.full = rows.size() >= n;
    const auto now = queue_.clock.now();
    for (auto& row : rows) {
        if (!row.has_id) {
            claimed.unreadable.emplace_back("a row without a usable id");
            continue;
        }
        if (!row.token || *row.token <= now)
            continue; // the answer took longer than the lease: another may have the row
        row.content.group = queue_.group;
        auto held = std::make_unique<HeldByLease>(std::move(row.content), keeper_);
        held->number = keeper_.keep(held->content.id, *row.token, held->signal);
        claimed.rows.push_back(std::move(held));
    }
    return claimed;
}

Error LeaseClaims::lease_lost(Outcome::Kind kind, const Id& id) const {
    const std::string text =
        std::string(event_name(kind)) +
        " refused: the lease ended and the row was taken over, or the row is gone; nothing was changed";
    return queue_.located(Error(ErrorCode::lease_lost, text), id);
}

// True if one of the tokens was in the row.
bool LeaseClaims::settle_once(
    const Content& content, const Settlement& settlement, const std::vector<Timestamp>& tokens) {
    return std::any_of(tokens.begin(), tokens.end(), [&](Timestamp token) {
        const auto calls = settlement_calls(queue_, content, settlement, token);
        return !changed_nothing(db::retrying([&] { return queue_.database.write(calls); }));
    });
}

// While the lease lasts, a database that is away is waited for. After a commit whose answer was lost, a token that is no longer in the row
// before its time is our own doing: nobody else may take the row before then.
void LeaseClaims::settle(Held& held, const Settlement& settlement) {
    const auto number = static_cast<HeldByLease&>(held).number;
    const Id& id = held.content.id;
    const auto tokens = keeper_.begin_settling(number);
    const auto end = *std::max_element(tokens.begin(), tokens.end());
    bool unknown = false;
    for (int attempt = 1;; ++attempt) {
        try {
            if (settle_once(held.content, settlement, tokens)) return;
            if (unknown && queue_.clock.now() < end) return;
            throw lease_lost(settlement.kind, id);
        } catch (const Error& error) {
            if (error.code() == ErrorCode::lease_lost) throw;
            unknown = unknown || error.outcome_unknown();
            const bool away =
                error.connection_lost() || error.retryable() || error.code() == ErrorCode::connect;
            if (!away || queue_.clock.now() >= end || !keeper_.rest(attempt))
                throw settlement_error(queue_, error, settlement.kind, id);
        }
    }
}

void LeaseClaims::give_back(Held& held, bool unstarted) {
    const auto& statement = unstarted ? queue_.statements.give_back : queue_.statements.retry;
    for (const auto token : keeper_.begin_settling(static_cast<HeldByLease&>(held).number)) {
        auto inputs = queue_.inputs();
        inputs.id = held.content.id;
        inputs.token = token;
        const std::array calls{statement.call(inputs)};
        static_cast<void>(queue_.database.write(calls));
    }
}

} // namespace

std::unique_ptr<Claims> lease_claims(const Queue& queue, Reports reports) {
    return std::make_unique<LeaseClaims>(queue, std::move(reports));
}

} // namespace rowq::detail::claim
