#pragma once

#include <memory>

#include "options.hpp"

// One function per subcommand: adds it to the program; `action` is set when it is the one called.
namespace sfg::cli {

/// When `command` is the one called, `action` becomes state->run(console).
template <typename State>
void run_when_called(CLI::App& command, std::shared_ptr<State> state, Console& console,
                     Action& action) {
  command.callback(
      [state, &console, &action] { action = [state, &console] { state->run(console); }; });
}

void add_reduce(CLI::App& app, Console& console, Action& action);
void add_graph(CLI::App& app, Console& console, Action& action);
void add_sweep(CLI::App& app, Console& console, Action& action);
void add_explain(CLI::App& app, Console& console, Action& action);
void add_select(CLI::App& app, Console& console, Action& action);
void add_cluster(CLI::App& app, Console& console, Action& action);
void add_score(CLI::App& app, Console& console, Action& action);
void add_apply(CLI::App& app, Console& console, Action& action);
void add_convert(CLI::App& app, Console& console, Action& action);
void add_info(CLI::App& app, Console& console, Action& action);
void add_synth(CLI::App& app, Console& console, Action& action);
void add_compare(CLI::App& app, Console& console, Action& action);
void add_report(CLI::App& app, Console& console, Action& action);
void add_experiment(CLI::App& app, Console& console, Action& action);
void add_bench(CLI::App& app, Console& console, Action& action);

}  // namespace sfg::cli
