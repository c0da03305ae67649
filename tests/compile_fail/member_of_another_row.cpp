// expect: no matching function for call to
#include <rowq/table.hpp>

struct Transfer {
    long long id = 0;
};
struct Other {
    long long cents = 0;
};

constexpr auto transfers =
    rowq::table<Transfer>("transfers").id("id", &Transfer::id).column("cents", &Other::cents);
