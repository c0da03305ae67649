// expect: the lock key is given twice
#include <rowq/table.hpp>

constexpr auto jobs = rowq::table("jobs").id("id").lock_key("a").lock_key("b");
