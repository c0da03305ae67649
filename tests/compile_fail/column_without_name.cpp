// expect: a column needs a name
#include <rowq/table.hpp>

constexpr auto jobs = rowq::table("jobs").id("");
