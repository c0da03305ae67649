// The rowq program: global options, commands, exit codes.
#include "commands.hpp"
#include "table/one_line.hpp"

#include <rowq/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

namespace {

constexpr const char* about =
    "Durable task queues in your own SQL tables.\n"
    "\n"
    "  rowq init                                create a table in sqlite:rowq.db\n"
    "  rowq push 'hello'                        enqueue a payload\n"
    "  rowq work --exec 'cat; echo' --drain     run a command for each row\n"
    "  rowq stats                               see what waits\n"
    "\n"
    "The same with --db postgresql://user@host/db, or ROWQ_DB set to it.";

int failed(int code, const char* text) {
    rowq::cli::print_error(fmt::format("rowq: {}\n", rowq::detail::on_one_line(text)));
    return code;
}

// A misplaced argument may be an address with its password: what follows a scheme, up to the next blank, is left out.
std::string without_addresses(std::string text) {
    constexpr std::string_view mark = "://";
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
        at += mark.size();
        text.replace(at, text.find_first_of(" \t\n", at) - at, "...");
    }
    return text;
}

int run(int argc, char** argv) {
    rowq::cli::Globals globals;
    CLI::App app(about, "rowq");
    app.set_version_flag("--version", "rowq " ROWQ_VERSION);
    app.require_subcommand(1);
    app.fallthrough();
    app.add_option(
           "--db", globals.db, "Database: sqlite:FILE or postgresql://... Default: sqlite:rowq.db")
        ->envname("ROWQ_DB");
    app.add_option("--table", globals.table, "Default: rowq_jobs");
    app.add_option("--config", globals.config, "A TOML file that describes the table's columns");
    app.add_flag("--json", globals.json, "One JSON object a line on standard output");
    app.add_flag("-q,--quiet", globals.quiet, "Only errors");
    app.add_flag("-v,--verbose", globals.verbose, "Everything that happens, on standard error");
    rowq::cli::add_init(app, globals);
    rowq::cli::add_push(app, globals);
    rowq::cli::add_work(app, globals);
    rowq::cli::add_ls(app, globals);
    rowq::cli::add_stats(app, globals);
    try {
        app.parse(argc, argv);
        return 0;
    } catch (const CLI::Success& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& error) {
        const auto unknown = app.remaining();
        if (app.get_subcommands().empty() && !unknown.empty() && !unknown.front().starts_with('-'))
            throw rowq::cli::UsageError(fmt::format(
                "there is no command \"{}\" (see \"rowq --help\")",
                without_addresses(unknown.front())));
        throw rowq::cli::UsageError(
            fmt::format("{} (see \"rowq --help\")", without_addresses(error.what())));
    }
}

// Were one of the standard files closed, a database connection could get its number, and our output with it. What stands in for it here
// cannot be written, so that output still fails.
void occupy_standard_files() {
    while (true) {
        const int file = open("/dev/null", O_RDONLY);
        if (file > STDERR_FILENO) close(file);
        if (file < 0 || file > STDERR_FILENO) return;
    }
}

} // namespace

int main(int argc, char** argv) {
    occupy_standard_files();
    std::signal(SIGPIPE, SIG_IGN); // a reader that went away is an error to report, not a death
    try {
        return run(argc, argv);
    } catch (const rowq::cli::UsageError& error) {
        return failed(2, error.what());
    } catch (const std::exception& error) {
        return failed(1, error.what());
    }
}
