// expect: a description holds at most 48 columns
#include <rowq/table.hpp>

constexpr auto jobs = [] {
    rowq::detail::Description description;
    rowq::detail::set_table(description, "jobs");
    for (std::size_t i = 0; i < 49; ++i) {
        const char name = static_cast<char>('0' + i);
        rowq::detail::add_column(description, rowq::detail::Role::data, {&name, 1}, false);
    }
    return description;
}();
