#include <fmt/format.h>

#include <memory>

#include "command_run.hpp"
#include "commands.hpp"
#include "sfg/json.hpp"

namespace sfg::cli {

namespace {

constexpr const char* kScoreDescription =
    "How well two labelings of the same samples agree: NMI and ACC.\n\n"
    "Examples:\n"
    "  sfg score classes.txt clusters.txt      one label per line, in the same order\n"
    "  sfg score faces.mat clusters.txt        the labels of a data file\n"
    "  sfg score data.csv clusters.txt --labels class --json\n\n"
    "NMI = mutual information / larger entropy. ACC = share of samples that agree under the best\n"
    "one-to-one mapping of the labels of A to those of B. What labels are called does not matter.";

struct ScoreCommand {
  CommonOptions common;
  InputOptions reading;  ///< how data files are read
  std::string a;
  std::string b;

  void add_arguments(CLI::App& command);
  void run(Console& console) const;
  [[nodiscard]] std::vector<std::string> labels_of(const std::string& path, const RunContext& run,
                                                   Console& console) const;
};

/// Data files are told by their ending; everything else has one label per line.
std::vector<std::string> ScoreCommand::labels_of(const std::string& path, const RunContext& run,
                                                 Console& console) const {
  const bool is_data = format_from_path(path) != Format::automatic;
  if (!is_data) return read_labels(path, common.reading(run));
  const Dataset dataset = read_dataset(path, reading.read_options(), common.reading(run));
  tell_notes(dataset, console);
  if (!dataset.labels) {
    throw Error(ErrorCode::inconsistent_input,
                fmt::format("{}: no labels are in there: name them by --labels, or give a text "
                            "file with one label per line",
                            shown_name(path)));
  }
  return dataset.labels->values;
}

void ScoreCommand::run(Console& console) const {
  const RunContext run = common.run(console);
  if (a == "-" && b == "-") {
    throw Error(ErrorCode::invalid_option, "only one of the two can be standard input");
  }
  auto labels_a = labels_of(a, run, console);
  auto labels_b = labels_of(b, run, console);
  // Blank lines at the end are no samples unless the other side has them.
  drop_blank_end(labels_a, labels_b.size());
  drop_blank_end(labels_b, labels_a.size());
  if (labels_a.size() != labels_b.size()) {
    throw Error(
        ErrorCode::inconsistent_input,
        fmt::format("{} has {}, {} has {}: both must label the same samples, in the same "
                    "order",
                    shown_name(a), counted(static_cast<std::int64_t>(labels_a.size()), "label"),
                    shown_name(b), with_commas(static_cast<std::int64_t>(labels_b.size()))));
  }
  const LabelScores scores =
      score_labels(std::span<const std::string>(labels_a), std::span<const std::string>(labels_b));
  if (scores.n_unlabelled > 0) {
    console.note(fmt::format("{} without a label on one side or both: left out of the scores",
                             counted(scores.n_unlabelled, "sample")));
  }
  console.print(fmt::format("{}, {} and {} labels\n\n  NMI  {:.4f}\n  ACC  {:.4f}\n",
                            counted(scores.n_samples, "sample"), scores.n_classes_a,
                            scores.n_classes_b, scores.nmi, scores.acc));
  nlohmann::ordered_json document = document_head("score");
  document["a"] = a;
  document["b"] = b;
  document.update(score_json(scores));
  console.print_json(document);
}

void ScoreCommand::add_arguments(CLI::App& command) {
  command.add_option("a", a, "Labels: one per line, or a data file")->required()->option_text("A");
  command.add_option("b", b, "Labels to compare with")->required()->option_text("B");
  reading.add_reading_options_to(command);
}

}  // namespace

void add_score(Program& program) {
  add_command<ScoreCommand>(program, "score", kScoreDescription);
}

}  // namespace sfg::cli
