// What check_drift() found, for people.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "sfg/drift.hpp"

namespace sfg {

namespace {

std::string names_of(const Model& model, const std::vector<Index>& features) {
  std::string text;
  for (std::size_t k = 0; k < features.size(); ++k) {
    const char* between = k == 0 ? "" : k + 1 == features.size() ? " or " : ", ";
    text += between + escaped(model.feature_names[features[k]]);
  }
  return text;
}

}  // namespace

std::string relation_text(const Model& model, Index feature) {
  const auto names = on_scale(model.feature_names, model.transform);
  const auto& removed =
      *std::ranges::lower_bound(model.reduction.removed, feature, {}, &RemovedFeature::feature);
  const auto& relation =
      *std::ranges::lower_bound(model.baseline.relations, feature, {}, &Relation::feature);
  return relation.kind == RelationKind::exact
             ? fmt::format("{} = {}", names[feature], exact_text(removed.combination, names))
             : fmt::format("{} ~ {}", names[feature], combination_text(removed.combination, names));
}

std::string row_name(const DriftReport& report, Index row) {
  return report.row_names.empty() ? fmt::format("{}", row + 1) : report.row_names[row];
}

std::string describe(const Model& model, const DriftReport& report, const BrokenRelation& broken) {
  std::string rows;
  for (const Index row : broken.first_rows) {
    rows += (rows.empty() ? "" : ", ") + escaped(row_name(report, row));
  }
  if (broken.n_broken > static_cast<Index>(broken.first_rows.size())) rows += ", ...";
  return fmt::format(
      "{} holds no longer in {} of {} rows ({}); off by up to {:.6g} in row {}, "
      "usual is less than {:.3g}",
      escaped(relation_text(model, broken.feature)), broken.n_broken, broken.n_rows, rows,
      std::fabs(broken.largest), escaped(row_name(report, broken.worst_row)), broken.limit);
}

std::string describe(const Model& model, const ShiftedFeature& shifted) {
  return fmt::format(
      "{} is elsewhere: {} of {} rows lie outside of what the model saw, the mean "
      "has moved by {:.2f} standard deviations",
      escaped(model.feature_names[shifted.feature]), shifted.n_outside, shifted.n_rows,
      shifted.shift);
}

std::string describe(const Model& model, const DriftReport& report, const Suspect& suspect) {
  const auto n_all = report.broken.size();
  const bool in_all = static_cast<std::size_t>(suspect.n_broken) == n_all;
  const std::string relations =
      n_all == 1             ? "the broken relation"
      : in_all && n_all == 2 ? "both broken relations"
      : in_all               ? fmt::format("all {} broken relations", n_all)
               : fmt::format("{} of the {} broken relations", suspect.n_broken, n_all);
  return fmt::format("{} {} in {}: look there first", names_of(model, suspect.features),
                     suspect.features.size() == 1 ? "is" : "are", relations);
}

std::string drift_summary(const DriftReport& report) {
  if (report.n_checked == 0) {
    return fmt::format("No relation was checked: {}", report.unchecked);
  }
  const std::string checked = fmt::format("{} of {} relations could be checked in {} rows",
                                          report.n_checked, report.n_relations, report.n_rows);
  const auto n_broken = static_cast<Index>(report.broken.size());
  if (n_broken == 0) return checked + ": they hold";
  return fmt::format("{}: {} {} broken", checked, n_broken, n_broken == 1 ? "is" : "are");
}

}  // namespace sfg
