// expect: a part of the table's name is empty
#include <rowq/table.hpp>

constexpr auto jobs = rowq::table("app.").id("id");
