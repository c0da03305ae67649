// The commands: each adds itself to the command line and runs when chosen.
#pragma once

#include "common.hpp"

#include <CLI/CLI.hpp>

namespace rowq::cli {

void add_init(CLI::App& app, const Globals& globals);
void add_push(CLI::App& app, const Globals& globals);
void add_work(CLI::App& app, const Globals& globals);
void add_ls(CLI::App& app, const Globals& globals);
void add_stats(CLI::App& app, const Globals& globals);

} // namespace rowq::cli
