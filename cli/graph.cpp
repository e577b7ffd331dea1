#include "graph_arguments.hpp"

#include <memory>

#include "commands.hpp"

namespace sfg::cli {

namespace {

struct GraphCommand {
  CLI::App* command = nullptr;
  GraphArguments arguments;

  void run(Console& console) const;
};

void GraphCommand::run(Console& console) const {
  CommandRun frame(*command, arguments.common, arguments.output, console);
  const MethodOptions options = arguments.options(console);
  arguments.stage(frame);
  Dataset dataset = frame.read(arguments.input);
  if (arguments.dry_run.asked) {
    constexpr int kNoOtherCopy = 0;
    arguments.dry_run.print(std::move(dataset), options, frame.context(), kNoOtherCopy, console);
    return;
  }
  const std::string source = dataset.source;
  const Index n = n_samples(dataset.matrix);
  const MethodResult result =
      make_graph(std::move(dataset), options, frame.context(), frame.journal(arguments.resume));
  arguments.finish(frame, source, n, result, nlohmann::ordered_json::object());
}

}  // namespace

void add_graph(CLI::App& app, Console& console, Action& action) {
  auto state = std::make_shared<GraphCommand>();
  state->command = state->arguments.add_to(app);
  run_when_called(*state->command, state, console, action);
}

}  // namespace sfg::cli
