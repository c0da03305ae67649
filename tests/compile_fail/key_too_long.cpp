// expect: a lock key's text holds at most 512 bytes
#include <rowq/table.hpp>

#include <array>

constexpr auto key = [] {
    std::array<char, 513> text{};
    text.fill('k');
    return text;
}();
constexpr auto jobs = rowq::table("jobs").id("id").lock_key({key.data(), key.size()});
