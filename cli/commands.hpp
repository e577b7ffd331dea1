#pragma once

#include <memory>
#include <string>

#include "options.hpp"
#include "resume.hpp"

// One function per subcommand: adds it to the program; `action` is set when it is the one called.
namespace sfg::cli {

/// When `command` is the one called, `action` becomes state->run(console).
template <typename State>
void run_when_called(CLI::App& command, std::shared_ptr<State> state, Console& console,
                     Action& action) {
  command.callback(
      [state, &console, &action] { action = [state, &console] { state->run(console); }; });
}

/// Adds a command: arguments of its own, and those about how to run that all of them have.
template <typename State>
void add_command(CLI::App& app, const std::string& name, const std::string& description,
                 Console& console, Action& action) {
  auto state = std::make_shared<State>();
  CLI::App* command = app.add_subcommand(name, description);
  if constexpr (requires { state->command; }) state->command = command;
  state->add_arguments(*command);
  state->common.add_to(*command);
  run_when_called(*command, state, console, action);
}

/// The arguments of a command that reads a table and makes its graph.
struct TableArguments {
  CLI::App* command = nullptr;
  CommonOptions common;
  OutputOptions output;
  InputOptions input;
  MethodArguments method;
  ResumeArguments resume;
};

void add_check(CLI::App& app, Console& console, Action& action);
void add_reduce(CLI::App& app, Console& console, Action& action);
void add_graph(CLI::App& app, Console& console, Action& action);
void add_sweep(CLI::App& app, Console& console, Action& action);
void add_explain(CLI::App& app, Console& console, Action& action);
void add_predict(CLI::App& app, Console& console, Action& action);
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
