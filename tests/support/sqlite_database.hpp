// An SQLite database in a folder of the test's own.
#pragma once

#include "support/databases.hpp"

namespace rowq::test {

[[nodiscard]] std::unique_ptr<TestDatabase> make_sqlite_database();

} // namespace rowq::test
