// A statement ready to be sent: parameters filled in by meaning, result columns read by meaning.
#pragma once

#include "db/call.hpp"
#include "sql/statement.hpp"

#include <rowq/detail/delivery_state.hpp>
#include <rowq/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace rowq::detail::claim {

// What a statement may ask for; a call sets what its statement uses.
struct Inputs {
    Value group = {};
    Timestamp now = {};
    std::int64_t limit = 1;
    Id id = {};
    Timestamp token = {};
    Timestamp expiry = {};
    Timestamp due_at = {};
    std::string destination = {};
    std::string ids = {};
    std::string tokens = {};
    std::string key = {};
    std::int64_t lock = 0;
};

class Prepared {
public:
    Prepared() = default;
    explicit Prepared(sql::Statement statement);

    [[nodiscard]] bool empty() const noexcept { return statement_.empty(); }
    [[nodiscard]] const sql::Statement& statement() const noexcept { return statement_; }
    [[nodiscard]] const db::Query& query() const noexcept { return query_; }
    [[nodiscard]] db::Call call(const Inputs& inputs) const;

private:
    sql::Statement statement_;
    db::Query query_;
};

// A result row of a claim.
struct ClaimedRow {
    Content content;
    bool has_id = false; // false: NULL, or a kind of value that is no id
    std::optional<Timestamp> token;
    std::optional<std::int64_t> lock;
    std::int64_t seen = 0;
    std::string key;
    Value priority;
    Value retry_after;
};

[[nodiscard]] ClaimedRow read_claimed(
    const sql::Statement& statement, db::Result& result, std::size_t row);

} // namespace rowq::detail::claim
