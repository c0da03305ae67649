// What every example needs and no application does: a table to start from, and a look at what became of it.
#pragma once

#include <sqlite3.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

namespace support {

inline constexpr auto url = "sqlite:example.db";

// Ends the example as failed unless what it claims is so.
inline void expect(bool so, const std::string& claim) {
    std::cout << (so ? "  as expected: " : "  NOT SO: ") << claim << std::endl;
    if (!so) std::_Exit(1);
}

// Runs SQL on example.db, past rowq, as any other program would. Returns the first column of the last row; empty for none.
inline std::string sql(const std::string& text) {
    sqlite3* opened = nullptr;
    const int status = sqlite3_open("example.db", &opened);
    const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> database(opened, sqlite3_close);
    if (status != SQLITE_OK) expect(false, "example.db can be opened");
    sqlite3_busy_timeout(opened, 10'000);
    std::string first;
    const auto keep = [](void* to, int, char** values, char**) {
        *static_cast<std::string*>(to) = values[0] != nullptr ? values[0] : "";
        return 0;
    };
    if (sqlite3_exec(opened, text.c_str(), keep, &first, nullptr) != SQLITE_OK)
        expect(false, text + ": " + sqlite3_errmsg(opened));
    return first;
}

} // namespace support
