// expect: a table has one form, either locked_until or lock_key
#include <rowq/table.hpp>

constexpr auto jobs = rowq::table("jobs").id("id").lock_key("k").locked_until("lease");
