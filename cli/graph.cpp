#include "graph_arguments.hpp"

#include "commands.hpp"

namespace sfg::cli {

namespace {

struct GraphCommand {
  CLI::App* command = nullptr;
  GraphArguments arguments;

  void add_arguments(CLI::App& of) { arguments.add_to(of); }
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

void add_graph(Program& program) {
  add_command<GraphCommand>(program, "graph", kGraphDescription);
}

}  // namespace sfg::cli
