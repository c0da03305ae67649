// An observer that remembers everything it was told.
#pragma once

#include <rowq/observer.hpp>

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace rowq::test {

// An event that outlives its call.
struct Told {
    Event::Kind kind = Event::Kind::opened;
    std::string subscription;
    std::string table;
    std::string row; // as people write the id; empty: none
    int attempt = 0;
    std::size_t count = 0;
    std::optional<Outcome> outcome;
    std::string text;
    std::optional<Error> error;
};

class Recorder final : public Observer {
public:
    using Kind = Event::Kind;

    void on(const Event& event) noexcept override;

    [[nodiscard]] std::vector<Told> all() const;
    [[nodiscard]] std::vector<Told> all(Kind kind) const;
    [[nodiscard]] std::size_t count(Kind kind) const { return all(kind).size(); }

    // Settlements by this outcome.
    [[nodiscard]] std::size_t settled(Outcome::Kind outcome) const;

    // Errors with this code.
    [[nodiscard]] std::vector<Told> errors(ErrorCode code) const;

    // Everything that went wrong, one a line, for a test's message.
    [[nodiscard]] std::string troubles() const;

private:
    mutable std::mutex mutex_;
    std::vector<Told> told_;
};

} // namespace rowq::test
