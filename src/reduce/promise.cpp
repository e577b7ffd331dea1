#include "reduce/promise.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/threads.hpp"
#include "normalise/products.hpp"
#include "reduce/combinations.hpp"
#include "sfg/graph.hpp"
#include "sfg/predict.hpp"

namespace sfg::detail {

namespace {

/// Share of the uncertified features that come back before the next test, and of the kept ones that
/// are given up before it.
constexpr std::size_t kBackAtOnce = 8;
constexpr std::size_t kGivenUpAtOnce = 4;
/// Times that giving up may fail before the kept set is left as it is.
constexpr int kFailures = 6;

class Promise {
 public:
  Promise(const UnitFeatures& centred, const Grouping& grouping, const ReduceOptions& options,
          const RunContext& run)
      : centred_(centred),
        options_(options),
        run_(run),
        demand_(*options.certify),
        is_protected_(centred.kind.size(), 0),
        stands_for_(centred.kind.size(), 0) {
    for (const Index feature : grouping.keep) is_protected_[feature] = 1;
    for (const Index group : grouping.groups.group_of)
      ++stands_for_[grouping.representatives[group]];
  }

  void bring_back(DemandedSet& set) const {
    for (auto missing = uncertified(set.kept); !missing.empty(); missing = uncertified(set.kept)) {
      check_stop(run_);
      for (const Index feature : most_knowing(missing)) {
        set.kept[feature] = 1;
        ++set.n_came_back;
      }
    }
  }

  /// Halves the number of features that are tried together until it works; after a failure of one
  /// alone the next one is tried.
  void give_up(DemandedSet& set) const {
    std::size_t at_once = 0;
    std::size_t first = 0;
    for (int failures = 0; failures < kFailures;) {
      check_stop(run_);
      const std::vector<Index> candidates = dispensable(set.kept);
      if (first >= candidates.size()) return;
      if (at_once == 0) at_once = candidates.size() / kGivenUpAtOnce + 1;
      at_once = std::min(at_once, candidates.size() - first);
      std::vector<char> fewer = set.kept;
      for (std::size_t k = first; k < first + at_once; ++k) fewer[candidates[k]] = 0;
      if (uncertified(fewer).empty()) {
        set.kept = std::move(fewer);
        set.n_given_up += static_cast<Index>(at_once);
        first = 0;
      } else if (at_once > 1) {
        at_once = (at_once + 1) / 2;
      } else {
        ++first;
        ++failures;
      }
    }
  }

 private:
  [[nodiscard]] std::vector<Index> kept_of(const std::vector<char>& kept) const {
    std::vector<Index> features;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (kept[i] != 0) features.push_back(static_cast<Index>(i));
    }
    return features;
  }

  /// Removed features that vary and that nothing certifies.
  [[nodiscard]] std::vector<Index> uncertified(const std::vector<char>& kept) const {
    const std::vector<Index> features = kept_of(kept);
    std::vector<HeldOutTarget> targets;
    for (const Index feature : regular_features(centred_)) {
      if (kept[feature] == 0) targets.push_back({feature, {}});
    }
    const auto r2 = held_out_r2(centred_, features, targets, options_.certificate, run_);
    std::vector<Index> failed;
    for (std::size_t k = 0; k < targets.size(); ++k) {
      if (!(r2[k] >= demand_)) failed.push_back(targets[k].feature);
    }
    if (failed.empty()) return failed;
    const auto nearest = nearest_kept(centred_, features, run_);
    std::erase_if(failed, [&](Index feature) { return nearest[feature].r2 >= kCopyR2; });
    const auto exact = exact_combinations(centred_, features, failed, nullptr, run_);
    std::vector<Index> left;
    for (std::size_t k = 0; k < failed.size(); ++k) {
      if (exact[k].terms.empty()) left.push_back(failed[k]);
    }
    return left;
  }

  /// Those with the largest sum of squared correlations with the others, f'(sum f f')f, but none
  /// that one of them certifies by itself.
  [[nodiscard]] std::vector<Index> most_knowing(const std::vector<Index>& missing) const {
    const SingleThreadedBlas single_threaded;
    const std::vector<double> products = outer_products(centred_, missing);
    std::vector<double> scores(missing.size());
    quadratic_forms(centred_, missing, products.data(), scores.data());
    std::vector<std::size_t> order(missing.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::ranges::stable_sort(order,
                             [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    const std::size_t most = missing.size() / kBackAtOnce + 1;
    std::vector<Index> chosen;
    for (const std::size_t k : order) {
      const bool is_known = std::ranges::any_of(chosen, [&](Index other) {
        const double r = inner_product(centred_, missing[k], other);
        return r * r >= demand_ * demand_;
      });
      if (is_known) continue;
      chosen.push_back(missing[k]);
      if (chosen.size() == most) break;
    }
    return chosen;
  }

  /// Kept features that the other kept ones predict well enough, together or one alone, best
  /// predicted first. Of two that could stand for each other the one that stands for fewer goes:
  /// the centre of a family stays, its near-copy goes.
  [[nodiscard]] std::vector<Index> dispensable(const std::vector<char>& kept) const {
    const std::vector<Index> features = kept_of(kept);
    const UnitFeatures selected = select_features(centred_, features);
    const Predictability known = predictability(selected, run_);
    const std::vector<NearestKept> nearest = nearest_others(selected);
    std::vector<std::tuple<bool, double, Index>> candidates;
    for (std::size_t k = 0; k < features.size(); ++k) {
      const Index feature = features[k];
      const double r2 = std::max(known.r2[k], nearest[k].r2);
      if (is_protected_[feature] != 0 || r2 < demand_) continue;
      const bool is_centre = nearest[k].r2 >= demand_ &&
                             stands_for_[feature] > stands_for_[features[nearest[k].feature]];
      candidates.emplace_back(is_centre, -r2, -feature);
    }
    std::ranges::sort(candidates);
    std::vector<Index> result;
    for (const auto& candidate : candidates) result.push_back(-std::get<2>(candidate));
    return result;
  }

  /// The one that is nearest to each feature, among the others.
  [[nodiscard]] std::vector<NearestKept> nearest_others(const UnitFeatures& features) const {
    RunContext quiet = run_;
    quiet.progress = nullptr;
    const FeatureGraph graph = nearest_graph(features, NearestOptions{1}, quiet);
    std::vector<NearestKept> nearest(static_cast<std::size_t>(features.n_features()));
    for (Index i = 0; i < features.n_features(); ++i) {
      const auto weights = graph.weights_of(i);
      if (!weights.empty()) {
        nearest[i] = {graph.neighbours_of(i).front(), weights.front() * weights.front()};
      }
    }
    return nearest;
  }

  const UnitFeatures& centred_;
  const ReduceOptions& options_;
  const RunContext& run_;
  double demand_;
  std::vector<char> is_protected_;
  std::vector<Index> stands_for_;  ///< features in the group of each representative
};

}  // namespace

DemandedSet keep_the_promise(const UnitFeatures& centred, const Grouping& grouping,
                             std::vector<char> kept, const ReduceOptions& options,
                             const RunContext& run) {
  DemandedSet set{std::move(kept), 0, 0};
  const Promise promise(centred, grouping, options, run);
  promise.bring_back(set);
  promise.give_up(set);
  return set;
}

}  // namespace sfg::detail
