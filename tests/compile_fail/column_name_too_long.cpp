// expect: the column's name is too long for any database
#include <rowq/table.hpp>

#include <array>

constexpr auto name = [] {
    std::array<char, 129> text{};
    text.fill('n');
    return text;
}();
constexpr auto jobs = rowq::table("jobs").id({name.data(), name.size()});
