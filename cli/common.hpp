// What every command shares: the global options, the database and the table they name, and how results are written.
#pragma once

#include "db/database.hpp"
#include "table/description.hpp"

#include <rowq/detail/description.hpp>

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rowq::cli {

struct Globals {
    std::string db = "sqlite:rowq.db";
    std::string table = "rowq_jobs";
    std::string config;
    bool json = false;
    bool quiet = false;
    bool verbose = false;
};

// A command line that cannot be meant: exit code 2.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// "500ms", "30s", "5m", "2h", fractions allowed. Throws UsageError naming the option.
[[nodiscard]] std::chrono::milliseconds duration(std::string_view option, const std::string& text);

// "3s ago", "in 2m".
[[nodiscard]] std::string distance(std::chrono::microseconds from_now);

// The address as commands other than init use it: a SQLite file that is not there is an error, not a new file.
[[nodiscard]] std::string existing(const std::string& url);

[[nodiscard]] std::unique_ptr<detail::db::Database> open(const Globals& globals);

// The table's description: from --config, else that of the recommended table, in the form that the table's columns and the key tell.
// Throws Error `schema` for a table that is not there, saying how to create it.
[[nodiscard]] detail::Description describe(const Globals& globals, const std::string& key = {});

// The group a command works on: the one given, else "default"; empty where the table has none. Throws UsageError for one that a table
// without groups cannot have.
[[nodiscard]] std::string group_to_use(
    const detail::Description& description, const std::optional<std::string>& given);

// The [[table]] named `table` of a configuration file. Throws std::runtime_error with file, line and column.
[[nodiscard]] detail::Description describe_from(const std::string& file, const std::string& table);

// Standard output, checked: throws std::runtime_error when it cannot be written (closed, full).
void print_line(std::string_view line);
void print_json(const nlohmann::json& object);
void flush_output();

// Standard error, which may be closed or full: that changes nothing.
void print_error(const std::string& text) noexcept;

// Columns padded to their widest cell, two blanks between.
void print_table(const std::vector<std::string>& head, std::vector<std::vector<std::string>> cells);

} // namespace rowq::cli
