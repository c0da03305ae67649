// Takes holds on a database and keeps them until its input ends or it is killed.
//
//   hold_keeper URL NUMBER..     prints "held" or "refused" for each number, as for each number it then reads from its input
#include "db/database.hpp"
#include "db/sqlite.hpp"

#include <rowq/error.hpp>

#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace rowq::detail::db;

std::vector<Hold> kept;

void try_one(Holds& holds, const std::string& number) {
    try {
        std::optional<Hold> hold = holds.try_hold(std::stoull(number));
        std::cout << (hold ? "held" : "refused") << std::endl;
        if (hold) kept.push_back(std::move(*hold));
    } catch (const rowq::Error& error) {
        std::cout << "error: " << error.what() << std::endl;
    }
}

} // namespace

int main(int argc, char** argv) {
    const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
    const auto database = open_sqlite(arguments[1], Options{});
    for (const char* number : arguments.subspan(2)) try_one(*database->holds(), number);
    for (std::string line; std::getline(std::cin, line);) try_one(*database->holds(), line);
    kept.clear();
}
