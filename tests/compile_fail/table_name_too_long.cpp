// expect: the table's name is too long for any database
#include <rowq/table.hpp>

#include <array>

constexpr auto name = [] {
    std::array<char, 258> text{};
    text.fill('n');
    return text;
}();
constexpr auto jobs = rowq::table({name.data(), name.size()}).id("id");
