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

struct SweepCommand : TableArguments {
  ListedOptions levels;

  void add_arguments(CLI::App& command);
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
  const auto thetas = levels.read<SweepOptions>().thetas;
  check_fields(SweepOptions{thetas});
  const bool from_graph = std::filesystem::path(input.path).extension() == ".npz";
  if (from_graph && resume.resume) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("{} is a graph that is there already: leave out --resume", input.path));
  }
  frame.stage_output({".tsv", ".txt", ".tab"});
  const PursuitCheckpoint checkpoint = frame.journal(resume);
  MethodResult made;
  Dataset dataset;
  if (from_graph) {
    made.graph = load_graph(input.path, frame.reading());
    frame.reading_is_done();
    method.read_lists(options, made.graph.feature_names, frame.reading());
  } else {
    dataset = frame.read(input);
    method.read_lists(options, dataset.feature_names, frame.reading());
    made = make_graph(dataset, options, frame.context(), checkpoint);
    frame.tell_about_journal();
    frame.add_seconds(made.seconds);
  }
  const auto found = frame.timed("groups", [&] {
    return sweep(made.graph, thetas, from_graph ? nullptr : &dataset, options, frame.context());
  });
  frame.write_output(sweep_to_tsv(found));
  frame.commit();
  nlohmann::ordered_json fields = sweep_json(made.graph, options, found);
  if (!from_graph) fields["engine"] = choice_name(made.engine);
  frame.print(summary(shown_name(input.path), made.graph.n_features(), found),
              frame.document(input.path, fields));
}

void SweepCommand::add_arguments(CLI::App& command) {
  input.add_to(command, "Data file, or a graph (.npz) that 'sfg graph' wrote");
  levels.add_all<SweepOptions>(command, "Groups");
  method.add_to(command, MethodPart::components);
  output.add_to(command, "TSV file to write the levels to");
  resume.add_to(command);
}

}  // namespace

void add_sweep(CLI::App& app, Console& console, Action& action) {
  add_command<SweepCommand>(app, "sweep", kSweepDescription, console, action);
}

}  // namespace sfg::cli
