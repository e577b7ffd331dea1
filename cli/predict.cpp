#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "command_run.hpp"
#include "commands.hpp"
#include "figure_output.hpp"
#include "sfg/json.hpp"

namespace sfg::cli {

namespace {

constexpr const char* kPredictDescription =
    "Which of my features does the rest of the table know?\n\n"
    "For every feature: R2 from all the others together, on samples left out one by one (ridge\n"
    "regression). Near 1: the others say it too. Near 0 or below: they know nothing of it.\n\n"
    "Examples:\n"
    "  sfg predict data.csv                  summary, the best and the least known features\n"
    "  sfg predict data.csv -o known.tsv     a table of all features\n"
    "  sfg predict data.csv --plot known.svg their R2 beside chance as a picture, also .png";

/// Features that each end of the list shows.
constexpr std::size_t kEnds = 5;
constexpr double kChanceQuantile = 0.95;

struct PredictCommand {
  CLI::App* command = nullptr;
  CommonOptions common;
  OutputOptions output;
  InputOptions input;
  MethodArguments method;
  FigureOutput plot;

  void add_arguments(CLI::App& command);
  void run(Console& console) const;
};

std::string one_end(const std::vector<Index>& order, const std::vector<std::string>& names,
                    const std::vector<double>& r2) {
  std::string text;
  for (std::size_t k = 0; k < std::min(kEnds, order.size()); ++k) {
    text += fmt::format("{}{} ({})", k == 0 ? "" : ", ", escaped(names[order[k]]),
                        format_r2(r2[order[k]]));
  }
  return text;
}

std::string summary(const Dataset& dataset, const UnitFeatures& centred,
                    const Predictability& known, const std::vector<double>& by_chance) {
  std::vector<Index> order = regular_features(centred);
  std::vector<double> values;
  for (const Index feature : order) values.push_back(known.r2[feature]);
  std::ranges::stable_sort(order, std::greater{}, [&](Index f) { return known.r2[f]; });
  std::string text = fmt::format("{}: {} x {}\n\n", shown_name(dataset.source),
                                 counted(n_samples(dataset.matrix), "sample"),
                                 counted(n_features(dataset.matrix), "feature"));
  auto out = std::back_inserter(text);
  fmt::format_to(out,
                 "  R2 of a feature from all others: median {}; {} above 0.8, {} at most "
                 "{}\n",
                 format_r2(quantile(values, 0.5)),
                 with_commas(static_cast<Index>(
                     std::ranges::count_if(values, [](double r2) { return r2 > 0.8; }))),
                 with_commas(static_cast<Index>(std::ranges::count_if(
                     values, [](double r2) { return r2 <= kSharedBeyondChance; }))),
                 kSharedBeyondChance);
  if (!by_chance.empty()) {
    fmt::format_to(out, "  by chance (samples in random order): 95 % below {}\n",
                   format_r2(quantile(by_chance, kChanceQuantile)));
  }
  fmt::format_to(out, "  best known:   {}\n", one_end(order, dataset.feature_names, known.r2));
  std::ranges::reverse(order);
  fmt::format_to(out, "  least known:  {}\n", one_end(order, dataset.feature_names, known.r2));
  if (known.n_samples < n_samples(dataset.matrix)) {
    fmt::format_to(out, "  looked at {} of the samples, chosen at random (--seed)\n",
                   with_commas(known.n_samples));
  }
  return text;
}

void PredictCommand::run(Console& console) const {
  CommandRun frame(*command, common, output, console);
  frame.stage_output({".tsv", ".txt", ".tab"});
  plot.stage(frame);
  const Dataset dataset = frame.read(input);
  const UnitFeatures centred = comparable_features(dataset, method.options(), frame.context());
  const Predictability known = predictability(centred, frame.context());
  const std::vector<double> by_chance = predictability_by_chance(centred, known, frame.context());
  std::string text = summary(dataset, centred, known, by_chance);
  if (plot.is_asked()) {
    const std::string name = figure_name(dataset.source);
    plot.write(predictability_figure(name, centred, known, by_chance), frame);
  }
  if (frame.has_output()) {
    frame.write_output(predictability_to_tsv(known, dataset.feature_names));
    text += fmt::format("Wrote {}\n", output.path);
  }
  frame.commit();
  const nlohmann::ordered_json fields{{"n_samples", n_samples(dataset.matrix)},
                                      {"n_features", n_features(dataset.matrix)},
                                      {"samples_looked_at", known.n_samples},
                                      {"ridge", known.ridge},
                                      {"features", dataset.feature_names},
                                      {"r2", known.r2},
                                      {"r2_by_chance", by_chance}};
  frame.print(text, frame.document(dataset.source, fields));
}

void PredictCommand::add_arguments(CLI::App& command) {
  input.add_to(command, "CSV, TSV (also .gz), NPY, MAT, MTX, svmlight or h5ad; - is stdin");
  input.add_method_input_to(command);
  method.add_to(command, MethodPart::scale);
  method.add_batches_to(command);
  output.add_to(command, "Table to write: feature, r2");
  plot.add_to(command, "R2 of the features beside what chance reaches");
}

}  // namespace

void add_predict(Program& program) {
  add_command<PredictCommand>(program, "predict", kPredictDescription);
}

}  // namespace sfg::cli
