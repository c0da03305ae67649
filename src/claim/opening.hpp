// The checks that stand between a subscription and its first claim.
#pragma once

#include "claim/queue.hpp"
#include "sql/dialect.hpp"

#include <rowq/subscription.hpp>

#include <string>
#include <vector>

namespace rowq::detail::claim {

struct Request {
    const Table& table;
    const std::string& group;
    bool row_mode = false;
    const SubscriptionOptions& options;
    std::chrono::milliseconds lease; // of the subscription, else the broker's
};

struct Opened {
    Queue queue;
    std::vector<std::string> warnings; // what works but should be mended
};

// What can be said without a database. Throws `declaration`.
void check_declaration(const Request& request);

// All the rest, in the order in which a user would mend it: version, table, columns, types, statements, clock; then warnings.
// Throws Error declaration, server_too_old, schema, database, connect.
[[nodiscard]] Opened open_queue(
    db::Database& database, const Clock& clock, const sql::Dialect& dialect,
    const Request& request);

} // namespace rowq::detail::claim
