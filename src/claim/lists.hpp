// Many ids and tokens as one parameter: an array on PostgreSQL, a JSON array on SQLite.
#pragma once

#include "claim/lease_book.hpp"
#include "db/database.hpp"

#include <span>
#include <string>

namespace rowq::detail::claim {

[[nodiscard]] std::string list_of_ids(db::Kind kind, std::span<const LeaseBook::Renewal> renewals);
[[nodiscard]] std::string list_of_tokens(
    db::Kind kind, std::span<const LeaseBook::Renewal> renewals);

} // namespace rowq::detail::claim
