// Writes rows from several threads, each row into two tables in one transaction.
//
//   sqlite_rows URL NAME THREADS ROWS     rows a thread; 0: until killed. Prints "NAME-thread-row" for each row that is committed, and
//                                         "error: .." for each that failed.
#include "db/database.hpp"
#include "db/sqlite.hpp"

#include <rowq/error.hpp>

#include <array>
#include <cstdio>
#include <span>
#include <string>
#include <thread>
#include <vector>

using namespace rowq::detail::db;

int main(int argc, char** argv) {
    const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
    const auto database = open_sqlite(arguments[1], Options{});
    const std::string name = arguments[2];
    const int threads = std::stoi(arguments[3]);
    const int rows = std::stoi(arguments[4]);
    const Query left{"INSERT INTO left_rows(name) VALUES(?)"};
    const Query right{"INSERT INTO right_rows(name) VALUES(?)"};
    std::vector<std::jthread> workers;
    for (int thread = 0; thread < threads; ++thread) {
        workers.emplace_back([&, thread] {
            for (int row = 0; rows == 0 || row < rows; ++row) {
                const std::string id =
                    name + "-" + std::to_string(thread) + "-" + std::to_string(row);
                std::string line = id + "\n";
                try {
                    database->write(std::array{Call{&left, {id}}, Call{&right, {id}}});
                } catch (const rowq::Error& error) {
                    line = "error: " + std::string(error.what()) + "\n";
                }
                std::fwrite(line.data(), 1, line.size(), stdout);
                std::fflush(stdout);
            }
        });
    }
}
