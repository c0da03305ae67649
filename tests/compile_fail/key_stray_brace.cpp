// expect: the lock key closes a brace that is not open
#include <rowq/table.hpp>

constexpr auto jobs = rowq::table("jobs").id("id").lock_key("a}");
