#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "command_run.hpp"
#include "commands.hpp"
#include "figure_output.hpp"
#include "sfg/json.hpp"

namespace sfg::cli {

namespace {

constexpr const char* kSweepDescription =
    "Every level at once: how many features each would keep.\n\n"
    "Examples:\n"
    "  sfg sweep data.csv                        theta 0.9, 0.8, ... 0.1\n"
    "  sfg sweep data.csv --thetas 0.95,0.5,0.25 --json\n"
    "  sfg sweep g.npz                           from a graph made before, without the data\n"
    "  sfg sweep data.csv --grouping compact     as the automatic level judges them; also cover\n"
    "  sfg sweep data.csv --plot levels.svg      the levels as curves, also .png\n\n"
    "By theta: 'largest' is the largest group, 'mean r2' the mean squared correlation of the "
    "removed\n"
    "features with the ones kept instead. Compact and cover: 'overlap' is the share of the "
    "samples' "
    "10\n"
    "nearest that stay, 'loss' what the kept features leave unexplained of the removed ones over "
    "what\n"
    "all features leave, 'R2' how well they predict them (leave one out). 'sfg reduce' takes the "
    "level\n"
    "marked 'chosen': the coarsest good one.";

struct SweepCommand : TableArguments {
  ListedOptions levels;
  FigureOutput plot;

  void add_arguments(CLI::App& command);
  void run(Console& console) const;
  void run_thetas(const MethodOptions& asked, CommandRun& frame) const;
  void run_levels(const MethodOptions& asked, CommandRun& frame) const;
  void check_input(const MethodOptions& options) const;
  [[nodiscard]] bool is_graph() const {
    return std::filesystem::path(input.path).extension() == ".npz";
  }
};

constexpr double kBarWidth = 40;

std::string share_kept(Index n_kept, Index n_features) {
  const double share = static_cast<double>(n_kept) / n_features;
  const std::string bar(static_cast<std::size_t>(std::lround(share * kBarWidth)), '#');
  return fmt::format("{:>6} {}", percent(n_kept, n_features), bar);
}

std::string summary(const std::string& source, Index n_features,
                    const std::vector<SweepLevel>& levels) {
  Table table({"theta", "weight", "kept", "largest", "mean r2", "share kept"});
  for (const SweepLevel& level : levels) {
    table.add({fmt::format("{}", level.theta), fmt::format("{:.4f}", level.threshold),
               with_commas(level.n_kept), with_commas(level.largest_group),
               level.mean_r2 ? fmt::format("{:.3f}", *level.mean_r2) : "-",
               share_kept(level.n_kept, n_features)});
  }
  return fmt::format("{}: {}\n\n{}", source, counted(n_features, "feature"), table.text("  "));
}

/// What is the same at every level, and why a level that is not good is chosen; may be empty.
std::string notes_on(const MethodResult& result) {
  std::string text;
  if (result.shared.n_unshared > 0) {
    text += fmt::format("{} nothing with the others: {} at every level.\n",
                        result.shared.n_unshared == 1
                            ? "1 feature shares"
                            : with_commas(result.shared.n_unshared) + " features share",
                        result.shared.dropped ? "dropped" : "kept");
  }
  if (!result.reduction.equations.empty()) {
    text += fmt::format(
        "{} of others: dropped at every level.\n",
        counted(static_cast<std::int64_t>(result.reduction.equations.size()), "exact sum"));
  }
  if (!result.tried.empty() && std::ranges::none_of(result.tried, &TriedLevel::is_good)) {
    text += "No level is good, or the data do not allow to judge: near-copies go, no more.\n";
  }
  return text.empty() ? text : text + "\n";
}

std::string summary(const std::string& source, const MethodResult& result) {
  const auto n_features = static_cast<Index>(result.kind.size());
  Table table({"kept", "overlap", "loss", "R2", "good", "", "share kept"});
  const auto shown = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.3f}", *value) : "-";
  };
  for (const TriedLevel& level : result.tried) {
    table.add({with_commas(level.n_kept), fmt::format("{:.3f}", level.overlap),
               shown(level.loss_ratio), level.r2loo_mean ? format_r2(*level.r2loo_mean) : "-",
               level.is_good ? "yes" : "no", level.n_steps == result.n_steps ? "chosen" : "",
               share_kept(level.n_kept, n_features)});
  }
  return fmt::format("{}: {}\n\n{}{}", source, counted(n_features, "feature"), notes_on(result),
                     table.text("  "));
}

void SweepCommand::check_input(const MethodOptions& options) const {
  const auto refuse = [](const std::string& message) {
    throw Error(ErrorCode::invalid_option, message);
  };
  const GroupingKind grouping = kind_of(options.grouping);
  if (grouping == GroupingKind::pairwise) {
    refuse("pairwise has one level, that of --max-r2: try several with 'sfg reduce --max-r2'");
  }
  if (is_graph() && resume.resume) {
    refuse(fmt::format("{} is a graph that is there already: leave out --resume", input.path));
  }
  if (grouping == GroupingKind::components) return;
  const std::string name = choice_name(grouping);
  if (levels.has("thetas")) {
    refuse(fmt::format("--thetas is of the paper's groups: leave it out with --grouping {}", name));
  }
  if (is_graph()) {
    refuse(fmt::format("--grouping {} needs the data, not their graph {}", name, input.path));
  }
  check_sweep(options);
  resume.check_fit(options);
}

void SweepCommand::run(Console& console) const {
  CommandRun frame(*command, common, output, console);
  method.note_old_spellings(console);
  const MethodOptions options = method.options(GroupingKind::components);
  check_input(options);
  if (kind_of(options.grouping) == GroupingKind::components) {
    run_thetas(options, frame);
  } else {
    run_levels(options, frame);
  }
}

void SweepCommand::run_thetas(const MethodOptions& asked, CommandRun& frame) const {
  MethodOptions options = asked;
  const auto thetas = levels.read<SweepOptions>().thetas;
  check_fields(SweepOptions{thetas});
  const bool from_graph = is_graph();
  frame.stage_output({".tsv", ".txt", ".tab"});
  plot.stage(frame);
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
  if (plot.is_asked()) {
    plot.write(thetas_figure(figure_name(input.path), made.graph.n_features(), found), frame);
  }
  frame.commit();
  nlohmann::ordered_json fields = sweep_json(made.graph, options, found);
  if (!from_graph) fields["engine"] = choice_name(made.engine);
  frame.print(summary(shown_name(input.path), made.graph.n_features(), found),
              frame.document(input.path, fields));
}

void SweepCommand::run_levels(const MethodOptions& asked, CommandRun& frame) const {
  MethodOptions options = asked;
  frame.stage_output({".tsv", ".txt", ".tab"});
  plot.stage(frame);
  const PursuitCheckpoint checkpoint = frame.journal(resume);
  const Dataset dataset = frame.read(input);
  method.read_lists(options, dataset.feature_names, frame.reading());
  const MethodResult found = sweep_levels(dataset, options, frame.context(), checkpoint);
  frame.tell_about_journal();
  frame.add_seconds(found.seconds);
  frame.write_output(levels_to_tsv(found));
  if (plot.is_asked()) plot.write(levels_figure(figure_name(dataset.source), found), frame);
  frame.commit();
  nlohmann::ordered_json fields = level_sweep_json(options, found);
  if (pursuit_of(options.grouping) != nullptr) fields["engine"] = choice_name(found.engine);
  frame.print(summary(shown_name(input.path), found), frame.document(input.path, fields));
}

void SweepCommand::add_arguments(CLI::App& command) {
  input.add_to(command, "Data file, or a graph (.npz) that 'sfg graph' wrote");
  input.add_method_input_to(command);
  levels.add_all<SweepOptions>(command, "Groups");
  method.add_to(command, MethodPart::levels);
  method.add_batches_to(command);
  output.add_to(command, "TSV file to write the levels to");
  plot.add_to(command, "the levels as curves");
  resume.add_to(command);
}

}  // namespace

void add_sweep(Program& program) {
  add_command<SweepCommand>(program, "sweep", kSweepDescription);
}

}  // namespace sfg::cli
