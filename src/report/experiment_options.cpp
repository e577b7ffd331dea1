// Options of an experiment: names, checks, the paper's conventions.
#include <fmt/format.h>

#include <array>
#include <set>

#include "sfg/error.hpp"
#include "sfg/experiment.hpp"

namespace sfg {

namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::invalid_option, message);
}

template <typename Value>
void refuse_repeated(const std::vector<Value>& values, std::string_view what) {
  std::set<Value> seen;
  for (const Value& value : values) {
    if (!seen.insert(value).second)
      refuse(fmt::format("{} {} is given twice", what, field_text(value)));
  }
}

}  // namespace

ExperimentOptions paper_experiment() {
  ExperimentOptions options;
  options.components = std::get<ComponentOptions>(paper_method().grouping);
  options.select = paper_selection(options.sizes);
  options.responses = ResponseCount::as_given;
  options.spectral = paper_spectral_options(1);
  return options;
}

SpectralOptions clustering_of(const ExperimentOptions& options) {
  if (!options.text) return options.spectral;
  SpectralOptions textbook;
  textbook.affinity.kind = AffinityKind::cosine_knn;
  textbook.kmeans.n_init = options.spectral.kmeans.n_init;
  return textbook;
}

void check(const ExperimentOptions& options) {
  check_fields(options);
  if (options.thetas.empty()) refuse("at least one theta is needed");
  if (options.groupings.empty()) refuse("at least one grouping is needed: components or compact");
  refuse_repeated(options.thetas, "theta");
  refuse_repeated(options.groupings, "grouping");
  refuse_repeated(options.sizes, "the number of features");
  check(GroupingOptions(options.components));
  check(GroupingOptions(options.compact));
  SelectOptions select = options.select;
  if (!options.sizes.empty()) select.sizes = options.sizes;
  check(select);
  SpectralOptions spectral = clustering_of(options);
  spectral.n_clusters = 1;
  check(spectral);
}

}  // namespace sfg
