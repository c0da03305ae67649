// From an address to a session that is set up.
#pragma once

#include "db/postgres_address.hpp"
#include "db/postgres_handle.hpp"

#include <chrono>

namespace rowq::detail::db {

// Tries the address's hosts in order. Each gets its share of the time-out, or what connect_timeout of the address says. The session is in
// UTC, at READ COMMITTED, in pipeline mode and never blocks. Throws `connect`. Only looking up a host's name has no bound but the
// resolver's own.
[[nodiscard]] PgHandle connect_postgres(
    const PostgresAddress& address, std::chrono::milliseconds timeout, const Cutoff& cutoff);

} // namespace rowq::detail::db
