#include "stability/tally.hpp"

#include <algorithm>
#include <set>

namespace sfg::detail {

namespace {

/// P(at least one of g features is among k drawn out of d) = 1 - prod_{j<g} (d - k - j) / (d - j).
double chance_of_family(Index group_size, Index n_kept, Index n_candidates) {
  double none = 1;
  for (Index j = 0; j < group_size; ++j) {
    none *= std::max<double>(0, n_candidates - n_kept - j) / (n_candidates - j);
  }
  return 1 - none;
}

class Tally {
 public:
  Tally(const std::vector<StabilityRepeat>& repeats, const MethodResult& whole)
      : repeats_(repeats),
        whole_(whole.reduction),
        times_kept_(whole.kind.size(), 0),
        times_family_(static_cast<std::size_t>(whole.reduction.groups.n_groups()), 0),
        number_of_candidate_(whole.kind.size(), -1),
        number_of_family_(times_family_.size(), -1) {
    for (const StabilityRepeat& repeat : repeats) {
      std::set<Index> families;
      for (const Index feature : repeat.kept) {
        ++times_kept_[feature];
        families.insert(whole_.groups.group_of[feature]);
      }
      for (const Index family : families) ++times_family_[family];
    }
    std::vector<char> is_kept(whole.kind.size(), 0);
    for (const Index feature : whole_.kept) is_kept[feature] = 1;
    for (std::size_t i = 0; i < is_kept.size(); ++i) {
      const bool varies = whole.kind[i] == FeatureKind::regular;
      if (!varies && is_kept[i] == 0 && times_kept_[i] == 0) continue;
      number_of_candidate_[i] = n_candidates_++;
      Index& number = number_of_family_[whole_.groups.group_of[i]];
      if (number < 0) number = n_families_++;
    }
  }

  void fill_in(const StabilityOptions& options, StabilityResult& result) const {
    result.n_candidates = n_candidates_;
    result.n_families = n_families_;
    std::vector<std::vector<Index>> kept;
    std::vector<std::vector<Index>> families;
    for (const StabilityRepeat& repeat : repeats_) {
      std::vector<Index>& candidates = kept.emplace_back();
      for (const Index feature : repeat.kept) candidates.push_back(number_of_candidate_[feature]);
      result.n_kept.push_back(static_cast<Index>(repeat.kept.size()));
      std::set<Index> numbers;
      for (const Index feature : repeat.kept) {
        numbers.insert(number_of_family_[whole_.groups.group_of[feature]]);
      }
      families.emplace_back(numbers.begin(), numbers.end());
    }
    const int n_together = options.resample == Resample::halves ? 2 : 1;
    result.kept = agreement(kept, n_candidates_, n_together);
    result.families = agreement(families, n_families_, n_together);
    add_features(options.stable.value_or(kUsualStable), result);
  }

 private:
  void add_features(double stable, StabilityResult& result) const {
    for (std::size_t i = 0; i < times_kept_.size(); ++i) {
      const auto feature = static_cast<Index>(i);
      const bool is_kept = std::ranges::binary_search(whole_.kept, feature);
      if (!is_kept && times_kept_[i] == 0) continue;
      result.features.push_back(stability_of(feature, is_kept));
      FeatureStability& one = result.features.back();
      one.is_stable = is_kept && one.family_share >= stable;
      if (one.is_stable) result.stable.push_back(feature);
    }
  }

  [[nodiscard]] FeatureStability stability_of(Index feature, bool is_kept) const {
    const auto n = static_cast<double>(repeats_.size());
    const Index group = whole_.groups.group_of[feature];
    FeatureStability one;
    one.feature = feature;
    one.is_kept = is_kept;
    one.group_size = static_cast<Index>(whole_.groups.members_of(group).size());
    one.kept_share = times_kept_[feature] / n;
    one.family_share = times_family_[group] / n;
    for (const StabilityRepeat& repeat : repeats_) {
      const auto n_kept = static_cast<Index>(repeat.kept.size());
      one.family_chance += chance_of_family(one.group_size, n_kept, n_candidates_) / n;
    }
    const Index representative = whole_.representatives[group];
    const auto place = std::ranges::lower_bound(whole_.kept, representative);
    if (place == whole_.kept.end() || *place != representative) return one;
    one.representative = representative;
    const auto family = static_cast<std::size_t>(place - whole_.kept.begin());
    for (const StabilityRepeat& repeat : repeats_) {
      one.group_stability += repeat.group_jaccard[family] / n;
      one.pairs_together += repeat.pairs_together[family] / n;
    }
    return one;
  }

  const std::vector<StabilityRepeat>& repeats_;
  const Reduction& whole_;
  std::vector<int> times_kept_;
  std::vector<int> times_family_;  ///< by group of all samples
  /// Of features among the candidates, of groups among those that have one; -1: never kept.
  std::vector<Index> number_of_candidate_;
  std::vector<Index> number_of_family_;
  Index n_candidates_ = 0;
  Index n_families_ = 0;
};

}  // namespace

void tally(const std::vector<StabilityRepeat>& repeats, const StabilityOptions& options,
           StabilityResult& result) {
  Tally(repeats, result.method).fill_in(options, result);
}

}  // namespace sfg::detail
