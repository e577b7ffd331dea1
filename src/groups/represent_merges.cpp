// Who stands for each union of a compact hierarchy, and how much of the rest it explains.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "core/kernels.hpp"
#include "core/threads.hpp"
#include "groups/medoid_scores.hpp"
#include "groups/merge_tree.hpp"
#include "groups/representatives.hpp"

namespace sfg::detail {

namespace {

/// Peaks closer than this are equal: copies of a feature differ by rounding.
constexpr double kPeakTie = 1e-9;

/// max_i |f_i| of a feature of unit length: what its most unusual sample makes of it.
double peak(const UnitFeatures& features, Index feature) {
  if (const auto* dense = std::get_if<DenseMatrix>(&features.matrix)) {
    const auto column = dense->column(feature);
    return max_abs(column.data(), column.size());
  }
  const auto& sparse = std::get<SparseMatrix>(features.matrix);
  const double shift = features.shift.empty() ? 0.0 : features.shift[feature];
  const auto values = sparse.column_values(feature);
  const bool has_zeros = static_cast<Index>(values.size()) < sparse.n_samples;
  double highest = has_zeros ? std::fabs(shift) : 0.0;
  for (const double value : values) highest = std::max(highest, std::fabs(value - shift));
  return highest;
}

class MergeRepresenter {
 public:
  MergeRepresenter(const FeatureGraph& graph, const UnitFeatures& centred,
                   const RepresentativeOptions& options, CompactHierarchy& hierarchy)
      : centred_(centred),
        hierarchy_(hierarchy),
        tree_(hierarchy.n_features, hierarchy.merges),
        by_medoid_(options.rule == RepresentativeRule::medoid),
        kept_(static_cast<std::size_t>(hierarchy.n_features), 0) {
    for (const Index feature : options.keep) kept_[feature] = 1;
    // A feature alone explains itself.
    if (by_medoid_) {
      in_degree_ = fixed_scores(graph, {RepresentativeRule::in_degree, {}, {}});
      for (Index i = 0; i < hierarchy.n_features; ++i) peak_.push_back(peak(centred, i));
    }
    scores_ = by_medoid_ ? std::vector<double>(kept_.size(), 1.0) : fixed_scores(graph, options);
  }

  void run_all(const RunContext& run) {
    const SingleThreadedBlas single_threaded;
    std::vector<MedoidScores> workspace(static_cast<std::size_t>(worker_count(run)),
                                        MedoidScores(centred_, features_by_sample()));
    for (const auto& merges : tree_.by_height()) {
      // A large union takes all threads; small ones take one each, if there is enough to do.
      constexpr double kSerialWork = 2e6;
      std::vector<std::size_t> small;
      double work = 0;
      for (const std::size_t m : merges) {
        if (is_large(m, workspace.front())) {
          medoid_scores_of_large(centred_, members(m), run, scores_);
          represent(m);
        } else {
          small.push_back(m);
          work += products_of(m);
        }
      }
      RunContext as_needed = run;
      if (work * centred_.n_samples() < kSerialWork) as_needed.threads = 1;
      parallel_for_workers(as_needed, {}, static_cast<std::int64_t>(small.size()),
                           [&](std::int64_t item, int worker) {
                             const std::size_t m = small[item];
                             if (by_medoid_) {
                               workspace[worker].join(tree_.members(tree_.left(m)),
                                                      tree_.members(tree_.right(m)), scores_);
                             }
                             represent(m);
                           });
    }
  }

 private:
  /// Of sparse features, for medoids.
  [[nodiscard]] std::shared_ptr<const SparseMatrix> features_by_sample() const {
    if (!by_medoid_ || !std::holds_alternative<SparseMatrix>(centred_.matrix)) return nullptr;
    return std::make_shared<SparseMatrix>(std::get<SparseMatrix>(transpose(centred_.matrix)));
  }

  [[nodiscard]] double products_of(std::size_t m) const {
    return static_cast<double>(tree_.members(tree_.left(m)).size()) *
           static_cast<double>(tree_.members(tree_.right(m)).size());
  }

  [[nodiscard]] bool is_large(std::size_t m, const MedoidScores& medoids) const {
    return by_medoid_ && medoids.is_large(tree_.members(tree_.left(m)).size(),
                                          tree_.members(tree_.right(m)).size());
  }

  [[nodiscard]] std::span<const Index> members(std::size_t m) const {
    return tree_.members(static_cast<Index>(static_cast<std::size_t>(hierarchy_.n_features) + m));
  }

  /// The union's scores are there: who stands for it, and for how much.
  void represent(std::size_t m) {
    const auto members = this->members(m);
    CompactMerge& merge = hierarchy_.merges[m];
    merge.representative = best(members);
    merge.n_removed = 0;
    // The medoid's score is the sum over all members, itself and kept ones included.
    const bool all_counted = by_medoid_;
    merge.explained = all_counted ? scores_[merge.representative] : 0.0;
    for (const Index member : members) {
      const bool stays = member == merge.representative || kept_[member] != 0;
      if (!stays) ++merge.n_removed;
      if (stays == !all_counted) continue;
      const double r = member == merge.representative
                           ? 1.0
                           : inner_product(centred_, merge.representative, member);
      merge.explained += all_counted ? -r * r : r * r;
    }
    merge.lowest_r2 = lowest_r2(members, merge);
  }

  /// Only where it may be high: a mean says how high at most.
  [[nodiscard]] double lowest_r2(std::span<const Index> members, const CompactMerge& merge) const {
    if (merge.n_removed == 0 || merge.explained < kFamilyFloor * merge.n_removed) return 0;
    double lowest = 1;
    for (const Index member : members) {
      if (member == merge.representative || kept_[member] != 0) continue;
      const double r = observed_correlation(centred_, merge.representative, member);
      lowest = std::min(lowest, r * r);
    }
    return lowest;
  }

  /// The highest score; protected members come first.
  [[nodiscard]] Index best(std::span<const Index> members) const {
    const auto is_kept = [&](Index member) { return kept_[member] != 0; };
    const bool some_kept = std::ranges::any_of(members, is_kept);
    const auto eligible = [&](Index member) { return !some_kept || is_kept(member); };
    double highest = -std::numeric_limits<double>::infinity();
    for (const Index member : members) {
      if (eligible(member)) highest = std::max(highest, scores_[member]);
    }
    const double limit = by_medoid_ ? highest - kMedoidTie : highest;
    Index best = -1;
    for (const Index member : members) {
      if (!eligible(member) || scores_[member] < limit) continue;
      if (best < 0 || comes_before(member, best)) best = member;
    }
    return best;
  }

  /// Of two medoids the one that more features are described by, then the one that less depends on
  /// a single sample. Two members alone are always a tie, and neither an order of columns nor their
  /// units should decide so often.
  [[nodiscard]] bool comes_before(Index left, Index right) const {
    if (by_medoid_) {
      const double uses = in_degree_[left] - in_degree_[right];
      if (uses != 0) return uses > 0;
      const double difference = peak_[left] - peak_[right];
      if (std::fabs(difference) > kPeakTie) return difference < 0;
    }
    return left < right;
  }

  const UnitFeatures& centred_;
  CompactHierarchy& hierarchy_;
  MergeTree tree_;
  bool by_medoid_;
  std::vector<char> kept_;
  std::vector<double> in_degree_;
  std::vector<double> peak_;    ///< largest |f_i| of a sample
  std::vector<double> scores_;  ///< of the medoid rule: within the group as it is by now
};

}  // namespace

void represent_merges(const FeatureGraph& graph, const UnitFeatures& centred,
                      const RepresentativeOptions& options, const RunContext& run,
                      CompactHierarchy& hierarchy) {
  MergeRepresenter(graph, centred, options, hierarchy).run_all(run);
}

}  // namespace sfg::detail
