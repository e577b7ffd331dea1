#pragma once

#include "options.hpp"

// One function per subcommand: adds it to the program; `action` is set when it is the one called.
namespace sfg::cli {

void add_reduce(CLI::App& app, Console& console, Action& action);
void add_graph(CLI::App& app, Console& console, Action& action);
void add_sweep(CLI::App& app, Console& console, Action& action);
void add_explain(CLI::App& app, Console& console, Action& action);
void add_apply(CLI::App& app, Console& console, Action& action);
void add_convert(CLI::App& app, Console& console, Action& action);
void add_info(CLI::App& app, Console& console, Action& action);
void add_synth(CLI::App& app, Console& console, Action& action);
void add_bench(CLI::App& app, Console& console, Action& action);

}  // namespace sfg::cli
