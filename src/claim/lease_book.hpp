// The leases in work and what may be done with each: pure, driven by threads, tested without any.
#pragma once

#include <rowq/value.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace rowq::detail::claim {

// A lease is held, renewing (a statement that may change its token is under way) or settling (its owner has it). Renewing and
// settling exclude each other. Not thread safe: the caller locks.
class LeaseBook {
public:
    using Number = std::uint64_t; // of a lease in this book, never reused

    // A lease to renew, by a token it may have. A lease whose last renewal had an unknown outcome is asked for by both tokens.
    struct Renewal {
        Number number = 0;
        Id id;
        Timestamp token;
    };

    explicit LeaseBook(std::chrono::microseconds length) : length_(length) {}

    Number add(Id id, Timestamp token);

    // The row was claimed again, so these older leases of it are lost; returns their numbers.
    [[nodiscard]] std::vector<Number> supersede(const Id& id);

    void remove(Number number);

    // When the next round is due: half a lease before the first expiry. Empty: nothing is held.
    [[nodiscard]] std::optional<Timestamp> next_round() const;

    // held -> renewing, for every lease past a quarter of its life, so that leases claimed near each other share their rounds.
    [[nodiscard]] std::vector<Renewal> begin_round(Timestamp now);

    // renewing -> held with its new token.
    void renewed(Number number, Timestamp token);
    // renewing -> gone from the book's rounds: another token is in the row, or no row.
    void lost(Number number);
    // renewing -> held with the old token, tried again after a pause. `maybe`: the token it has if the statement took effect after all.
    void failed(Number number, Timestamp retry_at, std::optional<Timestamp> maybe);

    // held -> settling; false while renewing: wait for the round and ask again. True for lost leases too: the settlement finds out.
    [[nodiscard]] bool begin_settling(Number number);

    // The tokens under which the lease may stand in its row, the likelier first.
    [[nodiscard]] std::vector<Timestamp> tokens(Number number) const;

    [[nodiscard]] std::size_t size() const noexcept { return leases_.size(); }

private:
    enum class State { held, renewing, settling, lost };
    struct Lease {
        Id id;
        Timestamp token;
        std::optional<Timestamp> maybe;
        Timestamp renew_at; // not before
        State state = State::held;
    };

    std::chrono::microseconds length_;
    Number last_ = 0;
    std::unordered_map<Number, Lease> leases_;
};

} // namespace rowq::detail::claim
