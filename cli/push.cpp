// rowq push: rows from an argument or standard input.
#include "commands.hpp"

#include <rowq/publisher.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iostream>
#include <iterator>
#include <memory>
#include <optional>

namespace rowq::cli {

namespace {

struct PushCommand {
    std::optional<std::string> group;
    std::optional<std::int64_t> priority;
    std::string delay;
    std::vector<std::string> headers;
    std::string payload = "-";
    bool lines = false;
};

std::vector<std::string> payloads(const PushCommand& command) {
    if (command.payload != "-") {
        if (command.lines) throw UsageError("--lines reads standard input: leave the payload out");
        return {command.payload};
    }
    if (!command.lines) return {std::string(std::istreambuf_iterator<char>(std::cin), {})};
    std::vector<std::string> rows;
    for (std::string line; std::getline(std::cin, line);) rows.push_back(line);
    return rows;
}

PushOptions push_options(const PushCommand& command) {
    PushOptions options;
    if (command.priority) options.priority(*command.priority);
    if (!command.delay.empty()) options.delay(duration("--delay", command.delay));
    if (command.headers.empty()) return options;
    nlohmann::json headers = nlohmann::json::object();
    for (const auto& header : command.headers) {
        const auto equals = header.find('=');
        if (equals == std::string::npos || equals == 0)
            throw UsageError(fmt::format("--header: \"{}\" is not of the form NAME=VALUE", header));
        headers[header.substr(0, equals)] = header.substr(equals + 1);
    }
    try {
        return options.headers(headers.dump());
    } catch (const nlohmann::json::exception&) {
        throw UsageError("--header: headers must be UTF-8");
    }
}

void run(const Globals& globals, const PushCommand& command) {
    const auto options = push_options(command);
    const auto description = describe(globals);
    const auto rows = payloads(command);
    Broker broker(existing(globals.db));
    const auto group = group_to_use(description, command.group);
    Publisher<std::string> publisher(broker, Table<void>(description, {}), group);
    for (const auto& id : publisher.push_many(rows, options)) {
        if (globals.json)
            std::visit([](const auto& key) { print_json({{"id", key}}); }, id);
        else if (!globals.quiet)
            print_line(to_string(id));
    }
    flush_output();
}

} // namespace

void add_push(CLI::App& app, const Globals& globals) {
    const auto command = std::make_shared<PushCommand>();
    auto* push = app.add_subcommand("push", "Enqueue a payload, or standard input; prints the ids");
    push->footer(
        "Example:\n  rowq push '{\"to\": \"ada@example.org\"}' --delay 5m\n  ls *.jpg | rowq push --lines --group images");
    push->add_option(
        "PAYLOAD", command->payload, "What the worker gets; - or nothing: standard input");
    push->add_option("--group", command->group, "Default: default");
    push->add_option(
        "--priority", command->priority, "An integer; smaller is claimed first. Default: 0");
    push->add_option("--delay", command->delay, "How long until it is due: 500ms, 30s, 5m, 2h");
    push->add_option(
            "--header", command->headers,
            "NAME=VALUE, may be repeated; workers get them as JSON in ROWQ_HEADERS")
        ->allow_extra_args(false);
    push->add_flag("--lines", command->lines, "One row per line of standard input, all or none");
    push->callback([&globals, command] { run(globals, *command); });
}

} // namespace rowq::cli
