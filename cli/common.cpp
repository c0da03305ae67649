// Durations, output, and finding the table.
#include "common.hpp"

#include "ops/look.hpp"
#include "sql/dialect.hpp"
#include "table/one_line.hpp"

#include <rowq/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace rowq::cli {

using namespace std::chrono_literals;

std::chrono::milliseconds duration(std::string_view option, const std::string& text) {
    char* end = nullptr;
    const double count = std::strtod(text.c_str(), &end);
    const bool hexadecimal = text.find_first_of("xX") != std::string::npos;
    const std::string_view unit(end);
    const double factor = unit == "ms"  ? 1
                          : unit == "s" ? 1e3
                          : unit == "m" ? 60e3
                          : unit == "h" ? 3'600e3
                                        : 0;
    const bool starts_as_number =
        !text.empty() && (text[0] == '.' || (text[0] >= '0' && text[0] <= '9'));
    if (!starts_as_number || hexadecimal || factor == 0 || !std::isfinite(count) ||
        count * factor > 3.2e12)
        throw UsageError(
            fmt::format("{}: \"{}\" is not a duration; write 500ms, 30s, 5m or 2h", option, text));
    return std::chrono::milliseconds(std::llround(count * factor));
}

std::string distance(std::chrono::microseconds from_now) {
    const auto span = std::chrono::abs(from_now);
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(span).count();
    const std::string text = seconds >= 172'800 ? fmt::format("{}d", seconds / 86'400)
                             : seconds >= 7'200 ? fmt::format("{}h", seconds / 3'600)
                             : seconds >= 120   ? fmt::format("{}m", seconds / 60)
                                                : fmt::format("{}s", seconds);
    return from_now > 0us ? "in " + text : text + " ago";
}

std::string existing(const std::string& url) {
    const auto query = url.find('?');
    const bool is_file = url.starts_with("sqlite:") && url.substr(0, query) != "sqlite::memory:";
    const bool says =
        query != std::string::npos && (url.find("?mode=", query) != std::string::npos ||
                                       url.find("&mode=", query) != std::string::npos);
    if (!is_file || says) return url;
    return url + (query == std::string::npos ? "?mode=rw" : "&mode=rw");
}

std::unique_ptr<detail::db::Database> open(const Globals& globals) {
    return detail::db::open_database(existing(globals.db), {});
}

detail::Description describe(const Globals& globals, const std::string& key) {
    if (!globals.config.empty() && !key.empty())
        throw UsageError("--key: the table's lock_key stands in the file that --config names");
    if (!globals.config.empty()) return describe_from(globals.config, globals.table);
    detail::sql::InitOptions options;
    options.table = globals.table;
    options.form = detail::Form::row_lock;
    const auto database = open(globals);
    const auto columns = [&] {
        try {
            return detail::ops::columns(
                *database, detail::Table(detail::sql::init_description(options)));
        } catch (const Error& error) {
            if (error.text().find("there is no such file") == std::string_view::npos) throw;
            throw Error(
                error.code(),
                fmt::format("{}; --db names another file, \"rowq init\" creates one", error.text()),
                error.details());
        }
    }();
    if (columns.empty())
        throw Error(
            ErrorCode::schema,
            fmt::format(
                "there is no table {} in {}: create it with \"rowq init\", or name another with --table",
                globals.table, database->name()));
    const bool has_lease =
        std::find(columns.begin(), columns.end(), "locked_until") != columns.end();
    if (!key.empty() && has_lease)
        throw UsageError(fmt::format(
            "--key: {} is in the lease form, whose rows a key does not hold; leave --key out, or create the "
            "table with rowq init --form advisory",
            globals.table));
    if (!key.empty()) {
        options.form = detail::Form::advisory;
        options.lock_key = key;
    } else if (has_lease) {
        options.form = detail::Form::lease;
    }
    return detail::sql::init_description(options);
}

std::string group_to_use(
    const detail::Description& description, const std::optional<std::string>& given) {
    if (detail::Table(description).has(detail::Role::group)) return given.value_or("default");
    if (given) throw UsageError("--group: the table has no group column: leave it out");
    return {};
}

void print_line(std::string_view line) {
    if (std::fwrite(line.data(), 1, line.size(), stdout) != line.size() ||
        std::fputc('\n', stdout) == EOF)
        throw std::runtime_error("standard output cannot be written: is it closed or full?");
}

void print_json(const nlohmann::json& object) {
    print_line(object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void flush_output() {
    if (std::fflush(stdout) != 0)
        throw std::runtime_error("standard output cannot be written: is it closed or full?");
}

void print_error(const std::string& text) noexcept {
    static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
}

void print_table(
    const std::vector<std::string>& head, std::vector<std::vector<std::string>> cells) {
    for (auto& row : cells) { // names and ids may hold what would draw another table
        for (auto& cell : row) cell = detail::on_one_line(std::move(cell));
    }
    std::vector<std::size_t> widths;
    for (const auto& cell : head) widths.push_back(cell.size());
    for (const auto& row : cells) {
        for (std::size_t i = 0; i < row.size(); ++i)
            widths.at(i) = std::max(widths.at(i), row[i].size());
    }
    const auto print_row = [&](const std::vector<std::string>& row) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i)
            line += i + 1 == row.size() ? row[i] : fmt::format("{:<{}}  ", row[i], widths[i]);
        print_line(line);
    };
    print_row(head);
    for (const auto& row : cells) print_row(row);
}

} // namespace rowq::cli
