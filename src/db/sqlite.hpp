// The SQLite driver, as open.cpp sees it.
#pragma once

#include "db/database.hpp"

#include <memory>
#include <string_view>

namespace rowq::detail::db {

// Takes an address that starts with "sqlite:". Touches no file; throws `connect` for an address that cannot be one.
[[nodiscard]] std::unique_ptr<Database> open_sqlite(std::string_view url, const Options& options);

} // namespace rowq::detail::db
