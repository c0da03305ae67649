// expect: a lock key needs a text
#include <rowq/table.hpp>

constexpr auto jobs = rowq::table("jobs").id("id").lock_key("");
