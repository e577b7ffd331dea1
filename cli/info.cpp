#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>
#include <set>

#include "commands.hpp"
#include "core/text.hpp"

namespace sfg::cli {

namespace {

using nlohmann::ordered_json;

constexpr const char* kDescription =
    "What is in a file?\n\n"
    "Examples:\n"
    "  sfg info data.csv\n"
    "  sfg info X.mat --json";

struct InfoCommand {
  CommonOptions common;
  InputOptions input;

  void run(Console& console) const;
};

/// Figures of one look at all values.
struct Contents {
  Offset missing = 0;
  Offset infinite = 0;
  Index empty = 0;
  Index constant = 0;
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -std::numeric_limits<double>::infinity();
};

void look_at(double value, double& low, double& high, Contents& contents) {
  if (std::isnan(value)) {
    ++contents.missing;
  } else if (std::isinf(value)) {
    ++contents.infinite;
  } else {
    low = std::min(low, value);
    high = std::max(high, value);
  }
}

Contents survey(const Matrix& matrix) {
  Contents contents;
  for (Index feature = 0; feature < n_features(matrix); ++feature) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    const Offset bad_before = contents.missing + contents.infinite;
    if (const auto* dense = std::get_if<DenseMatrix>(&matrix)) {
      for (const double value : dense->column(feature)) look_at(value, low, high, contents);
    } else {
      const auto& sparse = std::get<SparseMatrix>(matrix);
      const auto values = sparse.column_values(feature);
      for (const double value : values) look_at(value, low, high, contents);
      if (static_cast<Index>(values.size()) < sparse.n_samples) look_at(0, low, high, contents);
    }
    const bool all_good = bad_before == contents.missing + contents.infinite;
    if (all_good && low == high) ++(low == 0 ? contents.empty : contents.constant);
    contents.lowest = std::min(contents.lowest, low);
    contents.highest = std::max(contents.highest, high);
  }
  return contents;
}

std::string preview(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 4;
  std::string text;
  for (std::size_t k = 0; k < std::min(kShown, names.size()); ++k) {
    text += (k == 0 ? "" : ", ") + escaped(names[k]);
  }
  return names.size() > kShown ? text + ", ..." : text;
}

std::string summary(const Dataset& dataset, const Contents& contents, std::size_t n_classes) {
  const bool sparse = std::holds_alternative<SparseMatrix>(dataset.matrix);
  std::string text = fmt::format("{}: {}, {}\n\n", shown_name(dataset.source),
                                 choice_name(dataset.format), sparse ? "sparse" : "dense");
  auto out = std::back_inserter(text);
  fmt::format_to(out, "  samples   {}\n", with_commas(n_samples(dataset.matrix)));
  fmt::format_to(out, "  features  {}  ({}: {})\n", with_commas(n_features(dataset.matrix)),
                 dataset.name_source == NameSource::file ? "named" : "no names in the file",
                 preview(dataset.feature_names));
  fmt::format_to(out, "  nonzero   {}\n", percent(density(dataset.matrix), 1));
  if (contents.lowest <= contents.highest) {
    fmt::format_to(out, "  values    {} ... {}\n", contents.lowest, contents.highest);
  }
  fmt::format_to(out, "  missing   {}, infinite {}\n", with_commas(contents.missing),
                 with_commas(contents.infinite));
  fmt::format_to(out, "  constant  {}, all zero {}\n", with_commas(contents.constant),
                 with_commas(contents.empty));
  if (!dataset.sample_names.empty()) {
    fmt::format_to(out, "  sample names  {}\n", preview(dataset.sample_names));
  }
  if (dataset.labels) {
    fmt::format_to(out, "  labels    '{}', {} classes\n", escaped(dataset.labels->name),
                   with_commas(static_cast<std::int64_t>(n_classes)));
  }
  return text;
}

void InfoCommand::run(Console& console) const {
  const RunContext run = common.run(console);
  const Dataset dataset = read_dataset(input.path, input.read_options(), common.reading(run));
  const Contents contents = survey(dataset.matrix);
  std::set<std::string> classes;
  if (dataset.labels) classes.insert(dataset.labels->values.begin(), dataset.labels->values.end());
  console.print(summary(dataset, contents, classes.size()));
  const bool any_value = contents.lowest <= contents.highest;
  console.print_json(
      {{"schema_version", 1},
       {"sfg_version", version()},
       {"command", "info"},
       {"input", dataset.source},
       {"format", choice_name(dataset.format)},
       {"sparse", std::holds_alternative<SparseMatrix>(dataset.matrix)},
       {"n_samples", n_samples(dataset.matrix)},
       {"n_features", n_features(dataset.matrix)},
       {"density", density(dataset.matrix)},
       {"minimum", any_value ? ordered_json(contents.lowest) : ordered_json()},
       {"maximum", any_value ? ordered_json(contents.highest) : ordered_json()},
       {"missing", contents.missing},
       {"infinite", contents.infinite},
       {"constant", contents.constant},
       {"empty", contents.empty},
       {"named", dataset.name_source == NameSource::file},
       {"sample_names", !dataset.sample_names.empty()},
       {"labels", dataset.labels ? ordered_json(dataset.labels->name) : ordered_json()},
       {"n_classes", dataset.labels ? ordered_json(classes.size()) : ordered_json()}});
}

}  // namespace

void add_info(CLI::App& app, Console& console, Action& action) {
  auto state = std::make_shared<InfoCommand>();
  auto* command = app.add_subcommand("info", kDescription);
  state->input.add_to(*command, "File to look at; - is stdin");
  state->common.add_to(*command);
  run_when_called(*command, state, console, action);
}

}  // namespace sfg::cli
