// rowq ls: rows in claim order.
#include "commands.hpp"
#include "db/values.hpp"
#include "ops/look.hpp"
#include "table/one_line.hpp"

#include <rowq/clock.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace rowq::cli {

namespace {

constexpr std::size_t longest_preview = 60; // bytes

struct LsCommand {
    std::string state;
    std::int64_t limit = 20;
    bool payload = false;
};

void print_rows(
    const std::vector<detail::ops::ListedRow>& rows, const LsCommand& command, bool json,
    Timestamp now) {
    std::vector<std::vector<std::string>> cells;
    for (const auto& row : rows) {
        if (json) {
            nlohmann::json object{{"id", nullptr}, {"group", row.group}, {"state", row.state}};
            if (row.id) std::visit([&](const auto& id) { object["id"] = id; }, *row.id);
            if (row.attempt) object["attempt"] = *row.attempt;
            if (row.due) object["due"] = detail::db::format_timestamp(*row.due) + "Z";
            if (command.payload && row.payload) object["payload"] = *row.payload;
            print_json(object);
            continue;
        }
        cells.push_back(
            {row.id ? to_string(*row.id) : "?", row.group, row.state,
             row.attempt ? std::to_string(*row.attempt) : "-",
             row.due ? distance(*row.due - now) : "-"});
        if (command.payload)
            cells.back().push_back(detail::shortened(row.payload.value_or(""), longest_preview));
    }
    if (json) return;
    std::vector<std::string> head{"ID", "GROUP", "STATE", "ATTEMPT", "DUE"};
    if (command.payload) head.emplace_back("PAYLOAD");
    print_table(head, std::move(cells));
}

void run(const Globals& globals, const LsCommand& command) {
    const detail::Table table(describe(globals));
    const auto database = open(globals);
    const auto now = Clock().now();
    print_rows(
        detail::ops::list(*database, table, command.state, command.limit, now), command,
        globals.json, now);
    flush_output();
}

} // namespace

void add_ls(CLI::App& app, const Globals& globals) {
    const auto command = std::make_shared<LsCommand>();
    auto* ls =
        app.add_subcommand("ls", "List rows with state, attempt and due time, in claim order");
    ls->footer("Example:\n  rowq ls --state delayed --limit 50");
    ls->add_option("--state", command->state, "Only rows that are due, delayed, working or done")
        ->check(CLI::IsMember({"due", "delayed", "working", "done"}));
    ls->add_option("--limit", command->limit, "Rows at most. Default: 20")
        ->check(CLI::Range(1, 1'000'000'000));
    ls->add_flag("--payload", command->payload, "Show the beginning of each payload");
    ls->callback([&globals, command] { run(globals, *command); });
}

} // namespace rowq::cli
