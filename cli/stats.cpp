// rowq stats: how much waits, and for how long.
#include "commands.hpp"
#include "ops/look.hpp"

#include <rowq/clock.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <thread>

namespace rowq::cli {

namespace {

using Groups = std::vector<detail::ops::GroupStats>;

std::int64_t waiting(const detail::ops::GroupStats& group) {
    return group.due + group.delayed + group.working.value_or(0);
}

// `before`: the same a second ago, for the rate at which rows leave; null on the first look.
void print_groups(
    const Groups& groups, const std::map<std::string, std::int64_t>* before, bool json,
    Timestamp now) {
    std::vector<std::vector<std::string>> cells;
    for (const auto& group : groups) {
        const std::string working = group.working ? std::to_string(*group.working) : "-";
        const auto age = group.oldest_due ? now - *group.oldest_due : std::chrono::microseconds{0};
        std::string rate = "-";
        if (before != nullptr && before->contains(group.group))
            rate = std::to_string(before->at(group.group) - waiting(group));
        if (json) {
            nlohmann::json object{
                {"group", group.group},
                {"due", group.due},
                {"delayed", group.delayed},
                {"done", group.done}};
            if (group.working) object["working"] = *group.working;
            if (group.oldest_due)
                object["oldest_due_seconds"] = std::chrono::duration<double>(age).count();
            print_json(object);
            continue;
        }
        cells.push_back(
            {group.group.empty() ? "-" : group.group, std::to_string(group.due),
             std::to_string(group.delayed), working, std::to_string(group.done),
             group.oldest_due ? distance(-age) : "-"});
        if (before != nullptr) cells.back().push_back(rate);
    }
    if (json) return;
    std::vector<std::string> head{"GROUP", "DUE", "DELAYED", "WORKING", "DONE", "OLDEST DUE"};
    if (before != nullptr) head.emplace_back("LEFT/S");
    print_table(head, std::move(cells));
}

void run(const Globals& globals, bool watch) {
    const detail::Table table(describe(globals));
    const auto database = open(globals);
    detail::ops::StatsReader reader(*database, table);
    std::map<std::string, std::int64_t> before;
    for (bool first = true;; first = false) {
        const auto now = Clock().now();
        const auto groups = reader.read(now);
        print_groups(groups, watch && !first ? &before : nullptr, globals.json, now);
        flush_output();
        if (!watch) return;
        before.clear();
        for (const auto& group : groups) before[group.group] = waiting(group);
        std::this_thread::sleep_for(std::chrono::seconds(1));
    }
}

} // namespace

void add_stats(CLI::App& app, const Globals& globals) {
    const auto watch = std::make_shared<bool>(false);
    auto* stats = app.add_subcommand(
        "stats", "Count rows by group: due, delayed, in work, done; age of the oldest due row");
    stats->footer("Example:\n  rowq stats --watch");
    stats->add_flag(
        "--watch", *watch, "Again every second, with the rows that left since, until interrupted");
    stats->callback([&globals, watch] { run(globals, *watch); });
}

} // namespace rowq::cli
