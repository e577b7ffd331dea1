// Peng, Long, Ding: Feature selection based on mutual information: criteria of max-dependency,
// max-relevance, and min-redundancy (2005); F and correlation: Ding, Peng (2005).
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "core/threads.hpp"
#include "select/columns.hpp"
#include "select/information.hpp"
#include "select/selectors.hpp"

namespace sfg::detail {

namespace {

/// Relevance of every feature, and redundancy of pairs.
class MrmrMeasures {
 public:
  virtual ~MrmrMeasures() = default;
  [[nodiscard]] virtual std::vector<double> relevance(const RunContext& run) const = 0;
  [[nodiscard]] virtual bool is_constant(Index feature) const = 0;
  /// redundancy[k]: of features[k] with the pick.
  virtual void measure(Index pick, std::span<const Index> features, std::span<double> redundancy,
                       const RunContext& run) const = 0;
};

class InformationMeasures final : public MrmrMeasures {
 public:
  InformationMeasures(const Matrix& features, const Target& target, Index n_bins,
                      const RunContext& run)
      : information_(features, n_bins, run), target_(coded_target(target, n_bins)) {}

  [[nodiscard]] std::vector<double> relevance(const RunContext& run) const override {
    std::vector<Index> all(static_cast<std::size_t>(information_.codes().n_features()));
    for (std::size_t j = 0; j < all.size(); ++j) all[j] = static_cast<Index>(j);
    std::vector<double> found(all.size());
    information_.measure(kWhat, target_, all, found, run);
    return found;
  }
  [[nodiscard]] bool is_constant(Index feature) const override {
    return information_.is_constant(feature);
  }
  void measure(Index pick, std::span<const Index> features, std::span<double> redundancy,
               const RunContext& run) const override {
    information_.measure(kWhat, information_.codes().variable(pick), features, redundancy, run);
  }

 private:
  static constexpr auto kWhat = Information::Measure::mutual_information;
  Information information_;
  CodedVariable target_;
};

class CorrelationMeasures final : public MrmrMeasures {
 public:
  CorrelationMeasures(const UnitFeatures& features, const Target& target, const RunContext& run)
      : features_(features),
        target_(target),
        columns_(features.matrix),
        spreads_(spreads_of(columns_, run)) {}

  /// F = (n - c) s / ((c - 1) (1 - s)) with s the share of variance between c classes, and
  /// (n - 2) s / (1 - s) with s the squared correlation with numbers.
  [[nodiscard]] std::vector<double> relevance(const RunContext& run) const override {
    std::vector<double> f = target_scores(features_, target_, run);
    const double c = target_.kind == TargetKind::classes ? target_.n_classes : 2;
    const double rest = columns_.n_samples() - c;
    for (double& share : f) {
      if (share >= 1)
        share = std::numeric_limits<double>::infinity();
      else
        share = rest * share / ((c - 1) * (1 - share));
    }
    return f;
  }
  [[nodiscard]] bool is_constant(Index feature) const override {
    return spreads_[feature].length == 0;
  }
  void measure(Index pick, std::span<const Index> features, std::span<double> redundancy,
               const RunContext& run) const override {
    std::vector<double> centred(static_cast<std::size_t>(columns_.n_samples()));
    columns_.copy(pick, centred);
    for (double& value : centred) value -= spreads_[pick].mean;
    parallel_for(run, {}, static_cast<std::int64_t>(features.size()), [&](std::int64_t k) {
      const double product = columns_.product(features[k], centred.data());
      const double r = product / (spreads_[pick].length * spreads_[features[k]].length);
      redundancy[k] = std::min(1.0, std::fabs(r));
    });
  }

 private:
  const UnitFeatures& features_;
  const Target& target_;
  Columns columns_;
  std::vector<Spread> spreads_;
};

struct Criterion {
  bool quotient;
  double floor;

  /// With no redundancy a quotient is infinite, or 0 without relevance.
  [[nodiscard]] double operator()(double relevance, double redundancy) const {
    if (!quotient) return relevance - redundancy;
    const double divisor = redundancy + floor;
    if (divisor > kInformationTie) return relevance / divisor;
    return relevance > kInformationTie ? std::numeric_limits<double>::infinity() : 0.0;
  }
};

/// Picks one by one and keeps the sums of redundancy of the others. Constant features come last.
Selection pick_greedily(const MrmrMeasures& measures, const Criterion& criterion, Index n_picks,
                        const RunContext& run) {
  const std::vector<double> relevance = measures.relevance(run);
  std::vector<Index> open;
  std::vector<Index> constant;
  for (std::size_t j = 0; j < relevance.size(); ++j) {
    const auto feature = static_cast<Index>(j);
    (measures.is_constant(feature) ? constant : open).push_back(feature);
  }
  std::vector<double> sums(open.size(), 0.0);
  std::vector<double> redundancy(open.size());
  std::vector<double> values;
  Selection picks;
  while (static_cast<Index>(picks.features.size()) < n_picks && !open.empty()) {
    check_stop(run);
    const auto n_before = static_cast<double>(picks.features.size());
    values.resize(open.size());
    for (std::size_t k = 0; k < open.size(); ++k) {
      const double alone = relevance[open[k]];
      values[k] = n_before == 0 ? alone : criterion(alone, sums[k] / n_before);
    }
    const std::size_t best = first_of_largest(values);
    const Index pick = open[best];
    picks.features.push_back(pick);
    picks.scores.push_back(values[best]);
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(best));
    sums.erase(sums.begin() + static_cast<std::ptrdiff_t>(best));
    if (run.progress) run.progress("select", n_before + 1, n_picks);
    if (static_cast<Index>(picks.features.size()) == n_picks) break;
    redundancy.resize(open.size());
    measures.measure(pick, open, redundancy, run);
    for (std::size_t k = 0; k < open.size(); ++k) sums[k] += redundancy[k];
  }
  for (const Index feature : constant) {
    if (static_cast<Index>(picks.features.size()) == n_picks) break;
    picks.features.push_back(feature);
    picks.scores.push_back(-std::numeric_limits<double>::infinity());
  }
  return picks;
}

}  // namespace

void select_by_mrmr(const UnitFeatures& features, const Target& target,
                    const SelectOptions& options, const RunContext& run, SelectResult& result) {
  const InformationOptions& how = options.information;
  const bool by_correlation =
      how.mrmr_scheme == MrmrScheme::fcd || how.mrmr_scheme == MrmrScheme::fcq;
  std::unique_ptr<MrmrMeasures> measures;
  if (by_correlation) {
    measures = std::make_unique<CorrelationMeasures>(features, target, run);
  } else {
    measures = std::make_unique<InformationMeasures>(features.matrix, target, how.n_bins, run);
  }
  const Index d = features.n_features();
  Index n_picks = 0;
  for (const Index size : options.sizes) n_picks = size <= d ? std::max(n_picks, size) : n_picks;
  const bool quotient = how.mrmr_scheme == MrmrScheme::miq || how.mrmr_scheme == MrmrScheme::fcq;
  const Selection picks =
      pick_greedily(*measures, {quotient, how.quotient_floor}, n_picks > 0 ? n_picks : d, run);
  result.order = ScoreOrder::largest_first;
  result.scores.assign(static_cast<std::size_t>(d), -std::numeric_limits<double>::infinity());
  for (std::size_t k = 0; k < picks.features.size(); ++k) {
    result.scores[picks.features[k]] = picks.scores[k];
  }
  select_first(picks, d, options, result);
}

}  // namespace sfg::detail
