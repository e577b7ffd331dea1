#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <tuple>

#include "command_run.hpp"
#include "commands.hpp"
#include "sfg/json.hpp"

namespace sfg::cli {

namespace {

constexpr const char* kCompareDescription =
    "Which features to keep: this reduction against other ways, at equal numbers.\n\n"
    "Examples:\n"
    "  sfg compare faces.mat                     50, 25, 10, 5 and 2 % of the features\n"
    "  sfg compare genes.csv --labels class --n-features 200,50\n"
    "  sfg compare genes.csv --labels class --methods default   what reduce keeps, beside all\n"
    "  sfg compare a.mat b.mat c.mat -o table.tsv\n\n"
    "Other ways: greedy cover, the paper's groups (components), compact groups on the 10 largest\n"
    "|r| (knn-ward), random, dropping what correlates with a kept one (pearson), variance, greedy\n"
    "column subset selection, pivoted QR, facility location, k-medoids, Ward's linkage, the\n"
    "selectors mcfs, laplacian, fsasl, mrsf, sparsity and grm, and with labels mrmr, fcbf and "
    "fast,\n"
    "which choose by these; beside them all features and the default answer of reduce. With labels "
    "it measures the accuracy of 1-NN, 5-NN and a linear classifier (ridge,\n"
    "cross-validated) and NMI and ACC of spectral clustering and k-means; always how well removed\n"
    "features are predicted on samples held out (R2cv: mean, 10 % quantile), their r2 with the\n"
    "nearest kept one, the r2 of two kept ones (among: redundancy that is left), and the share of\n"
    "the samples' 10 nearest that stay (10-NN). Ends with who is best in what; several inputs also "
    "give paired differences with their standard errors.";

struct CompareCommand {
  CLI::App* command = nullptr;
  CommonOptions common;
  OutputOptions output;
  InputOptions reading;
  std::vector<std::string> inputs;
  ListedOptions comparison;

  void add_arguments(CLI::App& command);
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

/// Numbers falling, the best first; what is not reached last.
std::vector<CompareRow> ranked(std::vector<CompareRow> rows) {
  const auto key = [](const CompareRow& row) {
    const bool is_reference =
        row.competitor == Competitor::all || row.competitor == Competitor::default_answer;
    return std::tuple(!is_reference, is_reference ? 0 : -row.n_kept, !row.reached, row.rank);
  };
  std::ranges::stable_sort(rows, {}, key);
  return rows;
}

std::vector<std::string> cells_of(const CompareRow& row, bool has_classes) {
  std::vector<std::string> cells{row.n_kept > 0 ? with_commas(row.n_kept) : "-",
                                 choice_name(row.competitor),
                                 row.rank > 0 ? std::to_string(row.rank) : ""};
  if (has_classes) {
    for (const auto& value :
         {row.accuracy, row.accuracy_1nn, row.accuracy_5nn, row.accuracy_linear, row.nmi_mean}) {
      cells.push_back(cell(row, value));
    }
    cells.push_back(with_spread(row, row.nmi, row.nmi_std));
    cells.push_back(with_spread(row, row.acc, row.acc_std));
    cells.push_back(cell(row, row.nmi_kmeans));
  }
  for (const double value :
       {row.neighbour_overlap, row.mean_best_r2, row.redundancy, row.r2cv_mean, row.r2cv_q10}) {
    cells.push_back(cell(row, value));
  }
  return cells;
}

/// "left out: ward, k-medoids at 5,000 features: ..." once for each reason.
std::string left_out(const CompareResult& result) {
  std::vector<std::pair<std::string, std::string>> reasons;
  for (const CompareRow& row : result.rows) {
    if (row.reason.empty()) continue;
    const std::string name = row.n_kept > 0 ? fmt::format("{} at {}", choice_name(row.competitor),
                                                          with_commas(row.n_kept))
                                            : choice_name(row.competitor);
    const auto known =
        std::ranges::find(reasons, row.reason, [](const auto& one) { return one.first; });
    if (known == reasons.end()) {
      reasons.emplace_back(row.reason, name);
    } else {
      known->second += ", " + name;
    }
  }
  std::string text;
  for (const auto& [reason, names] : reasons) {
    text += fmt::format("  left out: {} ({})\n", names, reason);
  }
  return text;
}

/// The methods over all sizes of all inputs, best first; empty for one input at one size, where the
/// table above is that already.
std::string ranking_of(const std::vector<CompareResult>& results) {
  std::set<std::pair<std::string, Index>> places;
  for (const CompareResult& result : results) {
    for (const CompareRow& row : result.rows) {
      if (row.rank > 0) places.emplace(result.source, row.n_kept);
    }
  }
  if (places.size() < 2) return {};
  const auto shown = [](std::optional<double> value) {
    return value ? fmt::format("{:.3f}", *value) : std::string("-");
  };
  Table table({"rank", "by", "score", "accuracy", "NMI", "10-NN", "R2cv"});
  std::size_t rank = 0;
  for (const CompareMean& one : ranking(results)) {
    table.add({std::to_string(++rank), choice_name(one.competitor), shown(one.score),
               shown(one.accuracy), shown(one.nmi_mean), shown(one.neighbour_overlap),
               shown(one.r2cv_mean)});
  }
  return fmt::format("\nMeans over all {} of them\n{}",
                     results.size() > 1 ? "sizes of all inputs, best first: methods that reach all"
                                        : "sizes, best first: methods that reach all",
                     table.text("  "));
}

std::string table_of(const CompareResult& result) {
  const bool has_classes = result.n_classes > 0;
  std::string text =
      fmt::format("{}: {} x {}", shown_name(result.source), counted(result.n_samples, "sample"),
                  counted(result.n_features, "feature"));
  if (has_classes) {
    text += fmt::format("; {} samples of {} classes are classified",
                        with_commas(result.n_classified), result.n_classes);
  }
  std::vector<std::string> headings{"kept", "by", "rank"};
  if (has_classes) {
    for (const char* name :
         {"accuracy", "1-NN", "5-NN", "linear", "NMI", "spectral", "ACC", "k-means"})
      headings.emplace_back(name);
  }
  for (const char* name : {"10-NN", "best r2", "among", "R2cv", "R2cv q10"})
    headings.emplace_back(name);
  Table table(std::move(headings));
  for (const CompareRow& row : ranked(result.rows)) table.add(cells_of(row, has_classes));
  return text + "\n" + table.text("  ") + left_out(result) + ranking_of({result}) + "\n" +
         verdict({result}) + "\n\n";
}

/// For several inputs: one has its table, and too few numbers for standard errors.
std::string summary_of(const std::vector<PairedDifference>& differences) {
  std::string text = "Differences at equal numbers, mean over inputs +- standard error\n";
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
  frame.stage_output({".tsv", ".txt", ".tab"});
  std::vector<CompareResult> results;
  for (const std::string& path : inputs) {
    InputOptions input = reading;
    input.path = path;
    results.push_back(compare(input.read(frame.reading(), console), options, frame.context()));
    if (!results.back().labels_note.empty()) console.note(results.back().labels_note);
    console.print(table_of(results.back()));
  }
  const auto differences = paired_differences(results);
  const nlohmann::ordered_json fields = comparison_json(results, differences);
  if (results.size() > 1) {
    console.print(summary_of(differences) + ranking_of(results) + "\n" + verdict(results) + "\n");
  }
  frame.write_output(rows_to_tsv(fields["rows"]));
  frame.commit();
  console.print_json(frame.document(fields));
}

void CompareCommand::add_arguments(CLI::App& command) {
  command.add_option("input", inputs, "Data files")->required()->option_text("INPUT...");
  reading.add_reading_options_to(command);
  comparison.add_all<CompareOptions>(command, "Comparison");
  output.add_to(command, "TSV file to write the rows to");
}

}  // namespace

void add_compare(Program& program) {
  add_command<CompareCommand>(program, "compare", kCompareDescription);
}

}  // namespace sfg::cli
