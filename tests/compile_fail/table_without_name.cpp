// expect: a table needs a name
#include <rowq/table.hpp>

constexpr auto jobs = rowq::table("").id("id");
