// A PostgreSQL database of the test's own.
#pragma once

#include "support/databases.hpp"

namespace rowq::test {

[[nodiscard]] std::unique_ptr<TestDatabase> make_postgres_database();

} // namespace rowq::test
