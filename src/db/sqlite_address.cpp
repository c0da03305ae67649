// What an address of an SQLite database says.
#include "db/sqlite_address.hpp"

#include <rowq/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <vector>

namespace rowq::detail::db {

namespace {

[[noreturn]] void refuse(std::string_view url, std::string_view why) {
    throw Error(ErrorCode::connect, fmt::format("the address \"{}\" {}", url, why));
}

int hex_digit(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

std::string percent_decoded(std::string_view url, std::string_view text) {
    std::string plain;
    plain.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            plain.push_back(text[i]);
            continue;
        }
        const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
        const int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
        if (low < 0) refuse(url, "has a % without two hexadecimal digits; write a % itself as %25");
        plain.push_back(static_cast<char>(high * 16 + low));
        i += 2;
    }
    if (plain.find('\0') != std::string::npos) refuse(url, "has a zero byte in its path");
    return plain;
}

void set_synchronous(SqliteAddress& address, std::string_view value) {
    constexpr std::array<std::string_view, 4> levels{"off", "normal", "full", "extra"};
    const auto* const found = std::find(levels.begin(), levels.end(), value);
    if (found == levels.end())
        refuse(
            address.text,
            fmt::format("has synchronous={}; known are off, normal, full, extra", value));
    address.synchronous = static_cast<int>(found - levels.begin());
}

void set_busy_timeout(SqliteAddress& address, std::string_view value) {
    constexpr int longest = 24 * 60 * 60 * 1000;
    int milliseconds = -1;
    const char* const end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, milliseconds);
    if (error != std::errc{} || stop != end || milliseconds < 0 || milliseconds > longest)
        refuse(
            address.text,
            fmt::format("has busy_timeout={}; it takes milliseconds, from 0 to one day", value));
    address.busy_timeout = std::chrono::milliseconds{milliseconds};
}

void set_mode(SqliteAddress& address, std::string_view value) {
    if (address.in_memory())
        refuse(address.text, "has a mode; a database in memory is always new and writable");
    if (value == "ro")
        address.mode = SqliteMode::read_only;
    else if (value == "rw")
        address.mode = SqliteMode::read_write;
    else if (value == "rwc")
        address.mode = SqliteMode::create;
    else
        refuse(
            address.text,
            fmt::format(
                "has mode={}; known are ro (read only), rw (the file must exist), rwc (it is "
                "created)",
                value));
}

void set_options(SqliteAddress& address, std::string_view query) {
    std::vector<std::string_view> seen;
    while (!query.empty()) {
        const std::string_view option = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(option.size() + 1, query.size()));
        const std::size_t equals = std::min(option.find('='), option.size());
        const std::string_view name = option.substr(0, equals);
        const std::string_view value = option.substr(std::min(equals + 1, option.size()));
        if (std::find(seen.begin(), seen.end(), name) != seen.end())
            refuse(address.text, fmt::format("gives {} twice", name));
        seen.push_back(name);
        if (name == "synchronous")
            set_synchronous(address, value);
        else if (name == "busy_timeout")
            set_busy_timeout(address, value);
        else if (name == "mode")
            set_mode(address, value);
        else
            refuse(
                address.text,
                fmt::format(
                    "has an unknown option \"{}\"; known are synchronous, busy_timeout, mode",
                    name));
    }
}

} // namespace

SqliteAddress parse_sqlite_address(std::string_view url) {
    constexpr std::string_view scheme = "sqlite:";
    SqliteAddress address;
    address.text = url;
    if (!url.starts_with(scheme)) refuse(url, "does not start with sqlite:");
    std::string_view rest = url.substr(scheme.size());
    if (rest.starts_with("//")) rest.remove_prefix(2);
    const std::size_t question = std::min(rest.find('?'), rest.size());
    const std::string path = percent_decoded(url, rest.substr(0, question));
    if (path.empty()) refuse(url, "names no file; write sqlite:app.db or sqlite::memory:");
    if (path != ":memory:") {
        std::error_code error;
        address.path = std::filesystem::absolute(path, error).string();
        if (error) refuse(url, fmt::format("cannot be resolved: {}", error.message()));
    }
    set_options(address, rest.substr(std::min(question + 1, rest.size())));
    return address;
}

} // namespace rowq::detail::db
