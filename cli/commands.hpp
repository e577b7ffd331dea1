#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "options.hpp"
#include "resume.hpp"

// One function per subcommand: adds it to the program; `action` is set when it is the one called.
namespace sfg::cli {

/// The program while its commands are added.
struct Program {
  CLI::App& app;
  Console& console;
  Action& action;
  /// What the user wrote. A command that is not among these words cannot be the one that is called:
  /// it gets its line in the list of commands, and no arguments. Those of all commands would take
  /// longer than a small table.
  std::vector<std::string> words;

  [[nodiscard]] bool may_call(const std::string& command) const {
    return std::ranges::find(words, command) != words.end();
  }
};

/// Adds a command: arguments of its own, and those about how to run that all of them have. When it
/// is the one called, `action` becomes State::run.
template <typename State>
void add_command(Program& program, const std::string& name, const std::string& description) {
  CLI::App* command = program.app.add_subcommand(name, description);
  if (!program.may_call(name)) return;
  auto state = std::make_shared<State>();
  if constexpr (requires { state->command; }) state->command = command;
  state->add_arguments(*command);
  if constexpr (requires { state->common; }) state->common.add_to(*command);
  command->callback([state, &program] {
    program.action = [state, &console = program.console] { state->run(console); };
  });
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

void add_check(Program& program);
void add_reduce(Program& program);
void add_graph(Program& program);
void add_sweep(Program& program);
void add_explain(Program& program);
void add_predict(Program& program);
void add_select(Program& program);
void add_cluster(Program& program);
void add_score(Program& program);
void add_apply(Program& program);
void add_convert(Program& program);
void add_info(Program& program);
void add_synth(Program& program);
void add_compare(Program& program);
void add_stability(Program& program);
void add_report(Program& program);
void add_experiment(Program& program);
void add_bench(Program& program);

}  // namespace sfg::cli
