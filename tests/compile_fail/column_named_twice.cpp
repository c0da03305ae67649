// expect: the column is named twice
#include <rowq/table.hpp>

constexpr auto jobs = rowq::table("jobs").id("id").group("id");
