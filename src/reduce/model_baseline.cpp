#include "reduce/model_baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/whole_number.hpp"

namespace sfg::detail {

namespace {

using nlohmann::json;
using Check = std::function<void(bool good, const std::string& fault)>;

Index count(const json& value, const Check& check) {
  const auto number = whole_number(value);
  check(number >= 0 && number <= std::numeric_limits<Index>::max(),
        fmt::format("{} is no number of samples", number));
  return static_cast<Index>(number);
}

double size(const json& value, const Check& check) {
  const auto number = value.get<double>();
  check(std::isfinite(number) && number >= 0,
        fmt::format("{} is no size of a residual or deviation", number));
  return number;
}

Relation relation(const json& value, const Check& check, const Model& model) {
  Relation one;
  const auto feature = whole_number(value.at("feature"));
  const auto& removed = model.reduction.removed;
  const auto found = std::ranges::lower_bound(removed, feature, {}, [](const RemovedFeature& r) {
    return static_cast<std::int64_t>(r.feature);
  });
  check(found != removed.end() && found->feature == feature && !found->combination.terms.empty(),
        fmt::format("there is a relation of feature number {}, which has no combination", feature));
  one.feature = static_cast<Index>(feature);
  const auto kind = value.at("kind").get<std::string>();
  const bool is_exact = kind == choice_name(RelationKind::exact);
  check(is_exact || kind == choice_name(RelationKind::predicted),
        "there is a relation of no kind that is known");
  one.kind = is_exact ? RelationKind::exact : RelationKind::predicted;
  one.scale = size(value.at("scale"), check);
  one.limit = size(value.at("limit"), check);
  one.far = size(value.at("far"), check);
  one.rounding = size(value.at("rounding"), check);
  one.r2 = value.at("r2").get<double>();
  check(one.far >= one.limit, "what is far is nearer than the limit of a relation");
  return one;
}

FeatureRange range(const json& value, const Check& check) {
  const FeatureRange one{value.at(0).get<double>(), size(value.at(1), check),
                         value.at(2).get<double>(), value.at(3).get<double>()};
  const bool is_finite =
      std::isfinite(one.mean) && std::isfinite(one.min) && std::isfinite(one.max);
  check(is_finite && one.min <= one.max, "the range of a kept feature is none");
  return one;
}

}  // namespace

json baseline_to_json(const Baseline& baseline) {
  json relations = json::array();
  for (const Relation& one : baseline.relations) {
    relations.push_back({{"feature", one.feature},
                         {"kind", choice_name(one.kind)},
                         {"scale", one.scale},
                         {"limit", one.limit},
                         {"far", one.far},
                         {"rounding", one.rounding},
                         {"r2", one.r2}});
  }
  json kept = json::array();
  for (const FeatureRange& one : baseline.kept) {
    kept.push_back({one.mean, one.sd, one.min, one.max});
  }
  return {{"n_samples", baseline.n_samples},
          {"n_tested", baseline.n_tested},
          {"n_beyond", baseline.n_beyond},
          {"relations", std::move(relations)},
          {"kept", std::move(kept)}};
}

void read_baseline(const json& value, const Check& check, Model& model) {
  Baseline& baseline = model.baseline;
  baseline.n_samples = count(value.at("n_samples"), check);
  baseline.n_tested = count(value.at("n_tested"), check);
  baseline.n_beyond = count(value.at("n_beyond"), check);
  check(baseline.n_samples > 0, "the relations were made from no samples");
  bool is_predicted = false;
  for (const json& one : value.at("relations")) {
    baseline.relations.push_back(relation(one, check, model));
    is_predicted = is_predicted || baseline.relations.back().kind == RelationKind::predicted;
  }
  check(baseline.n_beyond <= baseline.n_tested && (!is_predicted || baseline.n_beyond > 0),
        "the limits of the relations stand for no samples");
  const auto not_after = [](const Relation& a, const Relation& b) {
    return a.feature >= b.feature;
  };
  check(std::ranges::adjacent_find(baseline.relations, not_after) == baseline.relations.end(),
        "the relations are not in order");
  for (const json& one : value.at("kept")) baseline.kept.push_back(range(one, check));
  check(baseline.kept.size() == model.reduction.kept.size(),
        "there is not one range per kept feature");
}

}  // namespace sfg::detail
