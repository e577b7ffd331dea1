#include <fmt/format.h>

#include <memory>

#include "command_run.hpp"
#include "commands.hpp"
#include "sfg/json.hpp"

namespace sfg::cli {

namespace {

constexpr const char* kCompareDescription =
    "This reduction against others, at equal numbers of kept features.\n\n"
    "Examples:\n"
    "  sfg compare faces.mat                     50, 25, 10, 5 and 2 % of the features\n"
    "  sfg compare a.mat b.mat c.mat -o table.tsv\n"
    "  sfg compare genes.csv --labels class --shares 0.2,0.1 --seeds 20\n\n"
    "Keeps as many features by compact groups, by cover, by the paper's groups (components), by\n"
    "compact groups on the 10 largest |r| (knn-ward), at random, by dropping what correlates with "
    "a kept\n"
    "one (pearson, in order of columns or of variance) and by variance; measures how well removed\n"
    "features are predicted on samples held out (R2cv: mean, 10 % quantile), r2 with the nearest\n"
    "kept one, the share of the samples' 10 nearest that stay (10-NN) and, with labels, NMI and\n"
    "ACC of spectral clustering. Ends with paired differences and their standard errors.";

struct CompareCommand {
  CLI::App* command = nullptr;
  CommonOptions common;
  OutputOptions output;
  InputOptions reading;
  std::vector<std::string> inputs;
  ListedOptions comparison;

  void run(Console& console) const;
};

std::string cell(const CompareRow& row, std::optional<double> value) {
  return row.reached && value ? fmt::format("{:.3f}", *value) : "-";
}

std::string with_spread(const CompareRow& row, std::optional<double> value,
                        std::optional<double> spread) {
  if (!row.reached || !value) return "-";
  return fmt::format("{:.3f} +- {:.3f}", *value, spread.value_or(0));
}

std::string table_of(const CompareResult& result) {
  std::string text =
      fmt::format("{}: {} x {}", shown_name(result.source), counted(result.n_samples, "sample"),
                  counted(result.n_features, "feature"));
  if (result.nmi_all) {
    text +=
        fmt::format("; with all of them NMI {:.3f}, ACC {:.3f}", *result.nmi_all, *result.acc_all);
  }
  text += "\n";
  Table table({"kept", "by", "R2cv", "R2cv q10", "r2", "10-NN", "NMI", "ACC"});
  for (const CompareRow& row : result.rows) {
    table.add({with_commas(row.n_kept), choice_name(row.competitor), cell(row, row.r2cv_mean),
               cell(row, row.r2cv_q10), cell(row, row.mean_r2), cell(row, row.neighbour_overlap),
               with_spread(row, row.nmi, row.nmi_sd), with_spread(row, row.acc, row.acc_sd)});
  }
  return text + table.text("  ") + "\n";
}

std::string summary_of(const std::vector<PairedDifference>& differences, bool one_input) {
  std::string text = one_input
                         ? "Differences at equal numbers, mean over shares +- standard error\n"
                         : "Differences at equal numbers, mean over inputs +- standard error\n";
  Table table({"difference", "in", "mean", "", "higher", "lower", "of"});
  for (const PairedDifference& one : differences) {
    table.add({fmt::format("{} - {}", choice_name(one.first), choice_name(one.second)), one.measure,
               fmt::format("{:+.3f}", one.mean), fmt::format("+- {:.3f}", one.error),
               std::to_string(one.n_higher), std::to_string(one.n_lower),
               std::to_string(one.n_pairs)});
  }
  return text + table.text("  ") + "\n";
}

void CompareCommand::run(Console& console) const {
  CommandRun frame(*command, common, output, console);
  comparison.note_old_spellings(console);
  const auto options = comparison.read<CompareOptions>();
  check(options);
  frame.stage_output();
  std::vector<CompareResult> results;
  for (const std::string& path : inputs) {
    InputOptions input = reading;
    input.path = path;
    results.push_back(compare(input.read(frame.reading(), console), options, frame.context()));
    console.print(table_of(results.back()));
  }
  const auto differences = paired_differences(results);
  const nlohmann::ordered_json fields = comparison_json(results, differences);
  console.print(summary_of(differences, results.size() == 1));
  frame.write_output(rows_to_tsv(fields["rows"]));
  frame.commit();
  console.print_json(frame.document(fields));
}

}  // namespace

void add_compare(CLI::App& app, Console& console, Action& action) {
  auto state = std::make_shared<CompareCommand>();
  auto* command = app.add_subcommand("compare", kCompareDescription);
  state->command = command;
  command->add_option("input", state->inputs, "Data files")->required()->option_text("INPUT...");
  state->reading.add_reading_options_to(*command);
  state->comparison.add_all<CompareOptions>(*command, "Comparison");
  state->output.add_to(*command, "TSV file to write the rows to");
  state->common.add_to(*command);
  run_when_called(*command, state, console, action);
}

}  // namespace sfg::cli
