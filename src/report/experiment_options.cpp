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
    if (!seen.insert(value).second) refuse(fmt::format("{} {} is given twice", what, value));
  }
}

void check_groupings(const std::vector<GroupingKind>& groupings) {
  if (groupings.empty()) refuse("at least one grouping is needed: components or compact");
  std::set<GroupingKind> seen;
  for (const GroupingKind grouping : groupings) {
    if (grouping == GroupingKind::cover) {
      refuse("an experiment has the groupings components and compact, not cover");
    }
    if (!seen.insert(grouping).second) {
      refuse(fmt::format("grouping {} is given twice", choice_name(grouping)));
    }
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

void use_text_weighting(ExperimentOptions& options) {
  options.weighting = SampleWeighting::tfidf;
  options.spectral = {};
  options.spectral.affinity.kind = AffinityKind::cosine_knn;
}

void check(const ExperimentOptions& options) {
  if (options.thetas.empty()) refuse("at least one theta is needed");
  for (const double theta : options.thetas) check_theta(theta);
  refuse_repeated(options.thetas, "theta");
  check_groupings(options.groupings);
  for (const Index size : options.sizes) {
    if (size < 1) refuse(fmt::format("a number of features must be at least 1, not {}", size));
  }
  refuse_repeated(options.sizes, "the number of features");
  if (options.n_seeds < 1)
    refuse(fmt::format("there must be at least 1 seed, not {}", options.n_seeds));
  check(GroupingOptions(options.components));
  check(GroupingOptions(options.compact));
  SelectOptions select = options.select;
  if (!options.sizes.empty()) select.sizes = options.sizes;
  check(select);
  SpectralOptions spectral = options.spectral;
  spectral.n_clusters = 1;
  check(spectral);
}

}  // namespace sfg
