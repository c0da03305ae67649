// The PostgreSQL driver, as open.cpp sees it.
#pragma once

#include "db/database.hpp"

#include <memory>
#include <string_view>

namespace rowq::detail::db {

// Takes an address that starts with postgresql:// or postgres://. Connects to nothing; throws `connect` for an address that libpq cannot
// read.
[[nodiscard]] std::unique_ptr<Database> open_postgres(std::string_view url, const Options& options);

} // namespace rowq::detail::db
