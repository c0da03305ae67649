// expect: the lock key leaves a brace open
#include <rowq/table.hpp>

constexpr auto jobs = rowq::table("jobs").id("id").lock_key("k-{a");
