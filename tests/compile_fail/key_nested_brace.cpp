// expect: the lock key opens a brace inside braces
#include <rowq/table.hpp>

constexpr auto jobs = rowq::table("jobs").id("id").lock_key("{a{b}}");
