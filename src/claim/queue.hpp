// What a subscription reads: one group of a table, with everything that is sent for it.
#pragma once

#include "claim/prepared.hpp"
#include "db/database.hpp"
#include "table/description.hpp"

#include <rowq/clock.hpp>
#include <rowq/error.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace rowq::detail::claim {

struct QueueStatements {
    Prepared claim;
    Prepared candidates;
    Prepared take;
    Prepared ack;
    Prepared retry;
    Prepared retry_after;
    Prepared give_back;
    std::vector<Prepared> dead_letter;
    Prepared renew;
    Prepared unfinished;
    Prepared unlock;
};

struct Queue {
    db::Database& database;
    const Clock& clock;
    Table table;
    std::string group; // empty: the table is one queue
    std::string dead_letter;
    std::chrono::milliseconds lease;
    QueueStatements statements;

    // What messages call the subscription.
    [[nodiscard]] const std::string& subscription() const noexcept {
        return group.empty() ? table.name() : group;
    }

    [[nodiscard]] Inputs inputs() const {
        Inputs inputs;
        inputs.group = group;
        inputs.now = clock.now();
        inputs.destination = dead_letter;
        return inputs;
    }

    [[nodiscard]] Error located(const Error& error, std::optional<Id> row = std::nullopt) const {
        return error.at(table.name(), subscription(), std::move(row));
    }
};

} // namespace rowq::detail::claim
