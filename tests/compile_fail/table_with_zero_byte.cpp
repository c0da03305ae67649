// expect: a name cannot hold a zero byte
#include <rowq/table.hpp>

constexpr auto jobs = rowq::table({"jo\0bs", 5}).id("id");
