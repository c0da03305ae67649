// Rows and keys held by rowq itself. A candidate is held first and looked at again then: whoever settled it meanwhile had let go of it
// only after committing.
#include "claim/holding.hpp"

#include "claim/settling.hpp"
#include "db/holds.hpp"

#include <array>
#include <optional>
#include <string>
#include <utility>

namespace rowq::detail::claim {

namespace {

constexpr std::int64_t first_look = 32;
constexpr std::int64_t widest_look = 1'000'000;

// SQLite does not tell names apart by the case of ASCII letters.
std::string lower(std::string_view name) {
    std::string text(name);
    for (char& c : text) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return text;
}

class HeldByHold final : public Held {
public:
    HeldByHold(Content c, db::Hold h) : Held(std::move(c)), hold(std::move(h)) {}
    db::Hold hold;
};

class HoldingClaims final : public Claims {
public:
    explicit HoldingClaims(const Queue& queue)
        : queue_(queue), table_(lower(queue.table.relation())) {}

    std::size_t side_by_side(std::size_t workers) const noexcept override { return workers; }
    Claimed claim(std::size_t n, std::stop_token stop) override;
    void settle(Held& held, const Settlement& settlement) override;
    void give_back(Held& held, bool unstarted) override;

private:
    [[nodiscard]] std::unique_ptr<Held> try_candidate(ClaimedRow& candidate);
    [[nodiscard]] std::optional<ClaimedRow> take(const ClaimedRow& candidate);

    const Queue& queue_;
    std::string table_; // however a subscription spells it
};

Claimed HoldingClaims::claim(std::size_t n, std::stop_token stop) {
    Claimed claimed;
    const auto& statement = queue_.statements.candidates;
    std::size_t looked_at = 0;
    for (std::int64_t limit = first_look; !stop.stop_requested() && limit <= widest_look;
         limit *= 4) {
        auto inputs = queue_.inputs();
        inputs.limit = limit;
        const std::array calls{statement.call(inputs)};
        auto results = queue_.database.read(calls);
        auto& candidates = results.front();
        for (; looked_at < candidates.rows(); ++looked_at) {
            auto candidate = read_claimed(statement.statement(), candidates, looked_at);
            if (!candidate.has_id) {
                claimed.unreadable.emplace_back("a row without a usable id");
                continue;
            }
            auto held = try_candidate(candidate);
            claimed.blocked |= !held;
            if (held) claimed.rows.push_back(std::move(held));
            claimed.full = claimed.rows.size() == n;
            if (claimed.full) return claimed;
        }
        if (static_cast<std::int64_t>(candidates.rows()) < limit) break;
    }
    return claimed;
}

std::unique_ptr<Held> HoldingClaims::try_candidate(ClaimedRow& candidate) {
    const bool by_key = queue_.table.form() == Form::advisory;
    const std::uint64_t number =
        by_key ? hold_number("key", candidate.key)
               : hold_number("row", table_ + '\n' + rowq::to_string(candidate.content.id));
    auto hold = queue_.database.holds()->try_hold(number);
    if (!hold) return nullptr;
    auto row = take(candidate);
    if (!row) return nullptr;
    row->content.group = queue_.group;
    return std::make_unique<HeldByHold>(std::move(row->content), std::move(*hold));
}

std::optional<ClaimedRow> HoldingClaims::take(const ClaimedRow& candidate) {
    const auto& statement = queue_.statements.take;
    auto inputs = queue_.inputs();
    inputs.id = candidate.content.id;
    inputs.key = candidate.key;
    const std::array calls{statement.call(inputs)};
    auto results = queue_.table.form() == Form::advisory ? queue_.database.write(calls)
                                                         : queue_.database.read(calls);
    if (results.front().rows() == 0) return std::nullopt;
    return read_claimed(statement.statement(), results.front(), 0);
}

void HoldingClaims::settle(Held& held, const Settlement& settlement) {
    const db::Hold hold =
        std::move(static_cast<HeldByHold&>(held).hold); // let go of after the commit
    const auto calls = settlement_calls(queue_, held.content, settlement);
    if (calls.empty()) return;
    try {
        if (changed_nothing(queue_.database.write(calls)))
            throw row_gone(queue_, settlement.kind, held.content.id);
    } catch (const Error& error) {
        if (error.row()) throw;
        throw settlement_error(queue_, error, settlement.kind, held.content.id);
    }
}

void HoldingClaims::give_back(Held& held, bool unstarted) {
    const db::Hold hold = std::move(static_cast<HeldByHold&>(held).hold);
    if (!unstarted || queue_.statements.give_back.empty()) return;
    auto inputs = queue_.inputs();
    inputs.id = held.content.id;
    const std::array calls{queue_.statements.give_back.call(inputs)};
    static_cast<void>(queue_.database.write(calls));
}

} // namespace

std::unique_ptr<Claims> holding_claims(const Queue& queue) {
    return std::make_unique<HoldingClaims>(queue);
}

std::uint64_t hold_number(std::string_view kind, std::string_view text) noexcept {
    std::uint64_t hash = 0xcbf29ce484222325U;
    const auto mix = [&](std::string_view bytes) {
        for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    };
    mix(kind);
    mix(":");
    mix(text);
    hash = (hash ^ (hash >> 33U)) * 0xff51afd7ed558ccdU;
    hash = (hash ^ (hash >> 33U)) * 0xc4ceb9fe1a85ec53U;
    return (hash ^ (hash >> 33U)) & 0x7fffffffffffffffU;
}

} // namespace rowq::detail::claim
