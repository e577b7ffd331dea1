// New data against what is normal for the model.
#include "sfg/drift.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "core/threads.hpp"
#include "reduce/relation_values.hpp"
#include "reduce/suspects.hpp"
#include "sfg/error.hpp"

namespace sfg {

namespace {

using detail::Digits;
using detail::Residuals;

/// Means that differ by less than this many standard deviations are no news, however many rows.
constexpr double kSmallestShift = 0.5;

/// The smallest count of m rows that has at most this chance, where a new row passes the limit with
/// a probability that is Beta(a, b): P(c) = C(m, c) B(a + c, b + m - c) / B(a, b). m + 1: none has.
class RareCount {
 public:
  RareCount(Index a, Index b, double chance) : a_(a), b_(b), chance_(chance) {}

  [[nodiscard]] Index among(Index m) {
    const auto [place, is_new] = known_.try_emplace(m, m + 1);
    if (is_new) place->second = find(m);
    return place->second;
  }

 private:
  [[nodiscard]] Index find(Index m) const {
    std::vector<double> logs(static_cast<std::size_t>(m) + 1);
    for (Index i = 0; i < m; ++i) logs[0] += std::log((b_ + i) / (a_ + b_ + i));
    for (Index c = 0; c < m; ++c) {
      logs[c + 1] = logs[c] + std::log((m - c) / (c + 1.0)) +
                    std::log((a_ + c) / (b_ + static_cast<double>(m) - c - 1));
    }
    double tail = 0;
    Index count = m + 1;
    while (count > 0 && tail + std::exp(logs[count - 1]) <= chance_) {
      tail += std::exp(logs[count - 1]);
      --count;
    }
    return count;
  }

  double a_;
  double b_;
  double chance_;
  std::map<Index, Index> known_;
};

/// By feature of the model the column of the data, or -1.
std::vector<Index> match_columns(const Model& model, const Dataset& dataset) {
  const auto n = static_cast<Index>(model.feature_names.size());
  std::vector<Index> columns(model.feature_names.size(), -1);
  if (model.name_source == NameSource::file && dataset.name_source == NameSource::file) {
    std::unordered_map<std::string_view, Index> places;
    for (std::size_t i = 0; i < dataset.feature_names.size(); ++i) {
      places.emplace(dataset.feature_names[i], static_cast<Index>(i));
    }
    for (std::size_t f = 0; f < columns.size(); ++f) {
      const auto found = places.find(model.feature_names[f]);
      if (found != places.end()) columns[f] = found->second;
    }
    return columns;
  }
  if (n_features(dataset.matrix) != n) return columns;
  for (Index f = 0; f < n; ++f) columns[f] = f;
  return columns;
}

const RemovedFeature& removed_of(const Model& model, Index feature) {
  return *std::ranges::lower_bound(model.reduction.removed, feature, {}, &RemovedFeature::feature);
}

/// One relation of which all columns are there.
struct Checked {
  const Relation* relation = nullptr;
  std::vector<Index> features = {};  ///< of the model: target, terms
  std::vector<Index> columns = {};   ///< of the data
  BrokenRelation found = {};
  bool is_far = false;
};

std::vector<Checked> relations_to_check(const Model& model, const std::vector<Index>& columns) {
  std::vector<Checked> result;
  for (const Relation& relation : model.baseline.relations) {
    Checked one{.relation = &relation, .features = {relation.feature}};
    for (const Term& term : removed_of(model, relation.feature).combination.terms) {
      one.features.push_back(term.feature);
    }
    for (const Index feature : one.features) one.columns.push_back(columns[feature]);
    if (std::ranges::find(one.columns, -1) == one.columns.end()) result.push_back(std::move(one));
  }
  return result;
}

std::vector<Digits> digits_of_columns(const Dataset& dataset, const std::vector<Checked>& checked,
                                      const RunContext& run) {
  std::vector<Digits> digits(static_cast<std::size_t>(n_features(dataset.matrix)));
  std::vector<Index> needed;
  for (const Checked& one : checked) {
    if (one.relation->kind == RelationKind::exact) {
      needed.insert(needed.end(), one.columns.begin(), one.columns.end());
    }
  }
  std::ranges::sort(needed);
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  detail::parallel_for(run, {}, static_cast<std::int64_t>(needed.size()), [&](std::int64_t k) {
    digits[needed[k]] = Digits(detail::values_of(dataset.matrix, needed[k]));
  });
  return digits;
}

void look_at(const Model& model, const Dataset& dataset, const std::vector<Digits>& digits,
             Checked& one) {
  const Relation& relation = *one.relation;
  std::vector<Digits> own;
  if (relation.kind == RelationKind::exact) {
    for (const Index column : one.columns) own.push_back(digits[column]);
  }
  const Residuals rest = detail::residuals_of(removed_of(model, relation.feature).combination,
                                              dataset.matrix, one.columns, own, model.transform);
  BrokenRelation& found = one.found;
  found = {.feature = relation.feature, .kind = relation.kind, .limit = relation.limit};
  for (std::size_t i = 0; i < rest.value.size(); ++i) {
    const double size = std::fabs(rest.value[i]);
    if (std::isnan(size)) continue;
    ++found.n_rows;
    double limit = relation.limit;
    // Data written with fewer digits than those of the model can be no nearer than these.
    if (!own.empty() && rest.rounding[i] > relation.rounding) {
      limit = std::max(limit, 2 * rest.rounding[i]);
    }
    limit += detail::kDoubleRounding * rest.size[i];
    if (!(size > limit)) continue;
    one.is_far = one.is_far || size > relation.far;
    ++found.n_broken;
    if (found.first_rows.size() < kRowsNamed) found.first_rows.push_back(static_cast<Index>(i));
    if (found.worst_row < 0 || size > std::fabs(found.largest)) {
      found.worst_row = static_cast<Index>(i);
      found.largest = rest.value[i];
    }
  }
}

void check_relations(const Model& model, const Dataset& dataset, const std::vector<Index>& columns,
                     const RunContext& run, DriftReport& report) {
  std::vector<Checked> checked = relations_to_check(model, columns);
  const auto digits = digits_of_columns(dataset, checked, run);
  detail::parallel_for(run, {}, static_cast<std::int64_t>(checked.size()),
                       [&](std::int64_t k) { look_at(model, dataset, digits, checked[k]); });
  const auto has_no_rows = [](const Checked& one) { return one.found.n_rows == 0; };
  std::erase_if(checked, has_no_rows);
  report.n_checked = static_cast<Index>(checked.size());
  const Baseline& known = model.baseline;
  const double chance = kFalseAlarm / std::max<double>(1, report.n_checked);
  RareCount exact(1, known.n_samples, chance);
  RareCount predicted(known.n_beyond, known.n_tested - known.n_beyond + 1, chance);
  std::vector<detail::WatchedFeatures> broken;
  std::vector<detail::WatchedFeatures> whole;
  for (Checked& one : checked) {
    RareCount& rare = one.relation->kind == RelationKind::exact ? exact : predicted;
    const bool is_broken = one.is_far || one.found.n_broken >= rare.among(one.found.n_rows);
    (is_broken ? broken : whole).push_back(std::move(one.features));
    if (is_broken) report.broken.push_back(std::move(one.found));
  }
  report.suspects = detail::find_suspects(broken, whole, model.feature_names.size());
}

/// Rows outside of what was seen, and a mean that is elsewhere.
void check_ranges(const Model& model, const Dataset& dataset, const std::vector<Index>& columns,
                  DriftReport& report) {
  const auto& kept = model.reduction.kept;
  const auto n_there = std::ranges::count_if(kept, [&](Index f) { return columns[f] >= 0; });
  const double chance = kFalseAlarm / (2 * std::max<double>(1, static_cast<double>(n_there)));
  RareCount rare(2, std::max<Index>(1, model.baseline.n_samples - 1), chance);
  // P(|N| > z) < 2 exp(-z^2 / 2) for a standard normal N.
  const double rare_z = std::sqrt(2 * std::log(2 / chance));
  for (std::size_t k = 0; k < kept.size(); ++k) {
    if (columns[kept[k]] < 0) continue;
    const FeatureRange& range = model.baseline.kept[k];
    ShiftedFeature found{.feature = kept[k]};
    double sum = 0;
    double squares = 0;
    for (const double value : detail::values_of(dataset.matrix, columns[kept[k]])) {
      if (!std::isfinite(value)) continue;
      ++found.n_rows;
      if (value < range.min || value > range.max) ++found.n_outside;
      sum += value - range.mean;
      squares += (value - range.mean) * (value - range.mean);
    }
    if (found.n_rows == 0) continue;
    const double m = found.n_rows;
    const double sd = std::max(range.sd, std::sqrt(std::max(0.0, squares / m - sum * sum / m / m)));
    found.mean = range.mean + sum / m;
    found.shift = sd > 0 ? sum / m / sd : 0;
    const double error = std::sqrt(1 / m + 1.0 / model.baseline.n_samples);
    const bool has_moved =
        std::fabs(found.shift) >= kSmallestShift && std::fabs(found.shift) > rare_z * error;
    if (has_moved || found.n_outside >= rare.among(found.n_rows)) report.shifted.push_back(found);
  }
}

}  // namespace

DriftReport check_drift(const Model& model, const Dataset& dataset, const RunContext& run) {
  DriftReport report;
  report.n_rows = n_samples(dataset.matrix);
  report.row_names = dataset.sample_names;
  report.n_relations = static_cast<Index>(model.baseline.relations.size());
  if (model.baseline.n_samples == 0) {
    report.unchecked =
        "the model does not say what is normal: it was made by an earlier version, or of a table "
        "with batches or gaps that were left open";
    return report;
  }
  if (!is_row_wise(model.transform)) {
    report.unchecked = "relations on the scale '" + std::string(choice_name(model.transform)) +
                       "' cannot be checked row by row";
  } else if (report.n_relations == 0) {
    report.unchecked = "the model knows no relation that holds well enough";
  }
  const auto columns = match_columns(model, dataset);
  check_relations(model, dataset, columns, run, report);
  if (report.unchecked.empty() && report.n_checked == 0) {
    report.unchecked = "the features that were removed are not in these data";
  }
  check_ranges(model, dataset, columns, report);
  return report;
}

}  // namespace sfg
