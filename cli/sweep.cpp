#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "commands.hpp"
#include "output_path.hpp"
#include "resume.hpp"
#include "run_log.hpp"

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

std::string tsv(const std::vector<SweepLevel>& levels) {
  std::string text = "theta\tthreshold\tn_kept\tlargest_group\tmean_r2\n";
  for (const SweepLevel& level : levels) {
    text +=
        fmt::format("{}\t{}\t{}\t{}\t{}\n", level.theta, level.threshold, level.n_kept,
                    level.largest_group, level.mean_r2 ? fmt::format("{}", *level.mean_r2) : "");
  }
  return text;
}

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
  const RunContext run = common.run(console);
  method.note_old_spellings(console);
  MethodOptions options = method.options(GroupingKind::components);
  for (const double theta : thetas) check_theta(theta);
  const bool from_graph = std::filesystem::path(input.path).extension() == ".npz";
  if (from_graph && resume.resume) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("{} is a graph that is there already: leave out --resume", input.path));
  }
  const RunLog log(*command, run);
  OutputFiles files(output.existing());
  std::filesystem::path place;
  if (!output.path.empty()) place = files.stage(output.path);

  GraphJournal journal(resume, output, console);
  MethodResult made;
  Dataset dataset;
  double seconds_to_read = 0;
  if (from_graph) {
    made.graph = load_graph(input.path, common.reading(run));
    seconds_to_read = log.seconds();
    method.read_lists(options, made.graph.feature_names);
  } else {
    dataset = input.read(common.reading(run), console);
    seconds_to_read = log.seconds();
    method.read_lists(options, dataset.feature_names);
    made = make_graph(dataset, options, run, journal.checkpoint());
    journal.tell();
  }
  made.seconds.insert(made.seconds.begin(), {"read", seconds_to_read});
  const double before = log.seconds();
  const auto levels = sweep(made.graph, thetas, from_graph ? nullptr : &dataset, options, run);
  made.seconds.emplace_back("groups", log.seconds() - before);

  if (!output.path.empty()) {
    write_text(place, tsv(levels));
    files.commit();
  }
  journal.finish();
  console.print(summary(shown_name(input.path), made.graph.n_features(), levels));
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const SweepLevel& level : levels) {
    rows.push_back({{"theta", level.theta},
                    {"threshold", level.threshold},
                    {"n_kept", level.n_kept},
                    {"largest_group", level.largest_group},
                    {"mean_r2", level.mean_r2 ? nlohmann::ordered_json(*level.mean_r2)
                                              : nlohmann::ordered_json()}});
  }
  nlohmann::ordered_json document{
      {"schema_version", 1},
      {"sfg_version", version()},
      {"command", "sweep"},
      {"input", input.path},
      {"n_features", made.graph.n_features()},
      {"grouping", choice_name(kind_of(options.grouping))},
      {"representative", choice_name(representative_of(options.grouping, options.keep).rule)},
      {"method", made.graph.description},
      {"levels", std::move(rows)}};
  if (!from_graph) document["engine"] = choice_name(made.engine);
  document["seconds"] = RunLog::seconds_json(made.seconds, log.seconds());
  document["peak_rss_bytes"] = peak_resident_bytes();
  console.print_json(document);
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
