// expect: has no member named
#include <rowq/table.hpp>

constexpr auto jobs = rowq::table("jobs").group("queue").id("id");
