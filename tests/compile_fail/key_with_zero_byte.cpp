// expect: a lock key cannot hold a zero byte
#include <rowq/table.hpp>

constexpr auto jobs = rowq::table("jobs").id("id").lock_key({"a\0b", 3});
