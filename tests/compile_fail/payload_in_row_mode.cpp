// expect: constraints not satisfied
#include <rowq/table.hpp>

struct Transfer {
    long long id = 0;
};

constexpr auto transfers =
    rowq::table<Transfer>("transfers").id("id", &Transfer::id).payload("payload");
