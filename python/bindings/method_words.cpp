#include "method_words.hpp"

#include "sfg/error.hpp"

namespace sfg::python {

namespace {

void set_graph(const Words& words, MethodOptions& options) {
  if (words.has("center")) {
    options.centering = words.get<bool>("center") ? Centering::mean : Centering::none;
  }
  const auto edges = words.get<std::string>("edges");
  if (edges == "knn") {
    options.edges = EdgeSource::knn;
  } else if (edges == "ols") {
    options.pursuit.method = PursuitMethod::ols;
  } else if (edges != "omp") {
    throw Error(ErrorCode::invalid_option,
                "edges must be 'omp', 'ols' or 'knn', not '" + edges + "'");
  }
  words.set("n_neighbors", options.nearest.n_neighbors);
  words.set("epsilon", options.pursuit.epsilon);
  words.set("max_atoms", options.pursuit.max_atoms);
  words.set("max_angle", options.graph.max_angle);
  words.set("n_permutations", options.n_permuted);
  if (words.has("engine")) {
    options.pursuit.engine = choice_from_name<Engine>(words.get<std::string>("engine"), "engine");
  }
}

void set_level(const Words& words, MethodOptions& options) {
  words.set("theta", options.theta);
  if (words.has("weight_threshold")) options.threshold = words.get<double>("weight_threshold");
  words.set("min_mean_r2", options.level.min_mean_r2);
  if (words.has("n_features")) {
    options.level.rule = LevelRule::n_features;
    options.level.n_features = words.get<Index>("n_features");
  } else if (words.has("keep_share")) {
    options.level.rule = LevelRule::keep_share;
    options.level.keep_share = words.get<double>("keep_share");
  } else if (words.has("min_overlap")) {
    options.level.rule = LevelRule::overlap;
    options.level.min_overlap = words.get<double>("min_overlap");
  }
  if (!words.get<bool>("rescue")) options.level.rescue_below = 0;
}

void set_groups(const Words& words, MethodOptions& options) {
  if (words.has("representative")) {
    options.representative = choice_from_name<RepresentativeRule>(words.get<std::string>("representative"), "representative");
  }
  words.set("priority", options.priority);
  words.set("keep", options.keep);
  if (words.has("keep_empty")) {
    options.empty_features =
        words.get<bool>("keep_empty") ? EmptyFeatures::keep : EmptyFeatures::drop;
  }
}

void set_reduction(const Words& words, ReduceOptions& options) {
  if (words.has("certify")) options.certify_at = words.get<double>("certify");
  if (words.has("certify_sample")) {
    options.certificate.most_features = words.get<Index>("certify_sample");
  }
  words.set("max_terms", options.max_terms);
  if (!words.get<bool>("combinations")) options.combinations = Combinations::skip;
}

}  // namespace

MethodOptions method_options(const Words& words) {
  MethodOptions options;
  options.grouping = grouping_from_name(words.get<std::string>("grouping"));
  set_graph(words, options);
  set_level(words, options);
  set_groups(words, options);
  set_reduction(words, options.reduce);
  check(options);
  return options;
}

}  // namespace sfg::python
