// expect: the role is given twice
#include <rowq/table.hpp>

constexpr auto jobs = rowq::table("jobs").id("id").group("a").group("b");
