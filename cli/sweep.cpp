#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "command_run.hpp"
#include "commands.hpp"
#include "sfg/json.hpp"

namespace sfg::cli {

namespace {

constexpr const char* kSweepDescription =
    "All thetas at once: how many features each would keep.\n\n"
    "Examples:\n"
    "  sfg sweep data.csv                        theta 0.9, 0.8, ... 0.1\n"
    "  sfg sweep data.csv --thetas 0.95,0.5,0.25 --json\n"
    "  sfg sweep g.npz                           from a graph made before, without the data\n\n"
    "'largest' is the largest group, 'mean r2' the mean squared correlation of the removed "
    "features\n"
    "with the ones kept instead.";

const std::vector<double> kPaperThetas{0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1};

struct SweepCommand {
  CLI::App* command = nullptr;
  CommonOptions common;
  OutputOptions output;
  InputOptions input;
  MethodArguments method;
  ResumeArguments resume;
  std::vector<double> thetas = kPaperThetas;

  void run(Console& console) const;
};

std::string summary(const std::string& source, Index n_features,
                    const std::vector<SweepLevel>& levels) {
  constexpr double kBarWidth = 40;
  Table table({"theta", "weight", "kept", "largest", "mean r2", "share kept"});
  for (const SweepLevel& level : levels) {
    const double share = static_cast<double>(level.n_kept) / n_features;
    const std::string bar(static_cast<std::size_t>(std::lround(share * kBarWidth)), '#');
    table.add({fmt::format("{}", level.theta), fmt::format("{:.4f}", level.threshold),
               with_commas(level.n_kept), with_commas(level.largest_group),
               level.mean_r2 ? fmt::format("{:.3f}", *level.mean_r2) : "-",
               fmt::format("{:>6} {}", percent(level.n_kept, n_features), bar)});
  }
  return fmt::format("{}: {}\n\n{}", source, counted(n_features, "feature"), table.text("  "));
}

void SweepCommand::run(Console& console) const {
  CommandRun frame(*command, common, output, console);
  method.note_old_spellings(console);
  MethodOptions options = method.options(GroupingKind::components);
  for (const double theta : thetas) check_theta(theta);
  const bool from_graph = std::filesystem::path(input.path).extension() == ".npz";
  if (from_graph && resume.resume) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("{} is a graph that is there already: leave out --resume", input.path));
  }
  frame.stage_output();
  const PursuitCheckpoint checkpoint = frame.journal(resume);
  MethodResult made;
  Dataset dataset;
  if (from_graph) {
    made.graph = load_graph(input.path, frame.reading());
    frame.reading_is_done();
    method.read_lists(options, made.graph.feature_names);
  } else {
    dataset = frame.read(input);
    method.read_lists(options, dataset.feature_names);
    made = make_graph(dataset, options, frame.context(), checkpoint);
    frame.tell_about_journal();
    frame.add_seconds(made.seconds);
  }
  const auto levels = frame.timed("groups", [&] {
    return sweep(made.graph, thetas, from_graph ? nullptr : &dataset, options, frame.context());
  });
  frame.write_output(sweep_to_tsv(levels));
  frame.commit();
  nlohmann::ordered_json fields = sweep_json(made.graph, options, levels);
  if (!from_graph) fields["engine"] = choice_name(made.engine);
  frame.print(summary(shown_name(input.path), made.graph.n_features(), levels),
              frame.document(input.path, fields));
}

}  // namespace

void add_sweep(CLI::App& app, Console& console, Action& action) {
  auto state = std::make_shared<SweepCommand>();
  auto* command = app.add_subcommand("sweep", kSweepDescription);
  state->command = command;
  state->input.add_to(*command, "Data file, or a graph (.npz) that 'sfg graph' wrote");
  command->add_option("--thetas", state->thetas, "Thetas, separated by commas")
      ->delimiter(',')
      ->group("Groups");
  state->method.add_to(*command, MethodPart::components);
  state->output.add_to(*command, "TSV file to write the levels to");
  state->resume.add_to(*command);
  state->common.add_to(*command);
  run_when_called(*command, state, console, action);
}

}  // namespace sfg::cli
