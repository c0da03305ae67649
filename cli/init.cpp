// rowq init: the recommended table, created or printed.
#include "commands.hpp"
#include "ops/look.hpp"

#include <rowq/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <string_view>

namespace rowq::cli {

namespace {

struct InitCommand {
    std::string form = "lease";
    std::string key;
    bool print = false;
};

detail::sql::InitOptions init_options(const Globals& globals, const InitCommand& command) {
    detail::sql::InitOptions options;
    options.table = globals.table;
    if (command.form == "row-lock") options.form = detail::Form::row_lock;
    if (command.form == "advisory") options.form = detail::Form::advisory;
    if (!command.key.empty() && options.form != detail::Form::advisory)
        throw UsageError("--key: only the advisory form has a key; add --form advisory");
    options.lock_key = command.key.empty() ? "{id}" : command.key;
    return options;
}

// IF NOT EXISTS also passes over a table that is there already and looks different.
void check_created(detail::db::Database& database, const detail::sql::InitOptions& options) {
    const detail::Table table(detail::sql::init_description(options));
    const auto names = detail::ops::columns(database, table);
    const auto has = [&](std::string_view name) {
        return std::ranges::find(names, name) != names.end();
    };
    std::string difference;
    for (const auto& column : table.columns()) {
        if (!has(column.name)) difference = fmt::format("it has no column {}", column.name);
    }
    if (options.form != detail::Form::lease && has("locked_until"))
        difference = "it is in the lease form, since it has a column locked_until";
    for (const auto& part : table.lock_key()) {
        if (part.is_column && !has(part.text))
            throw Error(
                ErrorCode::schema,
                fmt::format(
                    "--key: {} has no column {}; the table is there, give workers another key",
                    options.table, part.text));
    }
    if (!difference.empty())
        throw Error(
            ErrorCode::schema,
            fmt::format(
                "{} was there already and is not what init creates: {}; name another with --table, or describe "
                "it with --config",
                options.table, difference));
}

void run(const Globals& globals, const InitCommand& command) {
    if (!globals.config.empty())
        throw UsageError("init creates the recommended table and takes no --config");
    const auto options = init_options(globals, command);
    const auto database = detail::db::open_database(globals.db, {});
    if (command.print) {
        for (const auto& statement : detail::ops::dialect_of(database->kind())->init_ddl(options))
            globals.json ? print_json({{"ddl", statement}}) : print_line(statement + ";");
    } else {
        detail::ops::init(*database, options);
        check_created(*database, options);
        if (globals.json)
            print_json({{"table", options.table}, {"database", database->name()}});
        else if (!globals.quiet)
            print_line(fmt::format("{} is ready in {}", options.table, database->name()));
    }
    flush_output();
}

} // namespace

void add_init(CLI::App& app, const Globals& globals) {
    const auto command = std::make_shared<InitCommand>();
    auto* init = app.add_subcommand(
        "init", "Create the recommended table and its claim index; safe to repeat");
    init->footer(
        "Example:\n  rowq init --db postgresql://localhost/app\n  rowq init --form row-lock --print");
    init->add_option(
            "--form", command->form,
            "How rows are held while in work: lease (default), row-lock or advisory")
        ->check(CLI::IsMember({"lease", "row-lock", "advisory"}));
    init->add_option(
        "--key", command->key,
        "Advisory form: what rows exclude each other by, e.g. \"account-{queue}\"; the same for rowq work");
    init->add_flag(
        "--print", command->print, "Print the DDL instead of running it; connects to nothing");
    init->callback([&globals, command] { run(globals, *command); });
}

} // namespace rowq::cli
