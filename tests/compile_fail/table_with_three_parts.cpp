// expect: a table's name has at most two parts: schema.table
#include <rowq/table.hpp>

constexpr auto jobs = rowq::table("db.app.jobs").id("id");
