// expect: a name cannot hold a zero byte
#include <rowq/table.hpp>

constexpr auto jobs = rowq::table("jobs").id({"i\0d", 3});
