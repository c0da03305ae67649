// expect: the lock key has braces without a column
#include <rowq/table.hpp>

constexpr auto jobs = rowq::table("jobs").id("id").lock_key("k-{}");
