// What an address of a PostgreSQL database says: libpq's options, split into the attempts that connecting makes.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rowq::detail::db {

using PgOptions = std::map<std::string, std::string>;

class PostgresAddress {
public:
    // Throws `connect` naming what is wrong. `statement_timeout` bounds how long sent data may stay unacknowledged.
    PostgresAddress(std::string_view url, std::chrono::milliseconds statement_timeout);

    // The address without its password.
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

    // Options to try one after the other, each for one host: several hosts given at once would leave libpq no time for the second where
    // the first does not answer.
    [[nodiscard]] const std::vector<PgOptions>& attempts() const noexcept { return attempts_; }

    // For each attempt, where the address says so.
    [[nodiscard]] std::optional<std::chrono::seconds> connect_timeout() const;

    // libpq's words, with passwords hidden.
    [[nodiscard]] std::string scrubbed(std::string text) const;

private:
    std::string name_;
    std::vector<std::string> passwords_;
    std::vector<PgOptions> attempts_;
};

} // namespace rowq::detail::db
