#pragma once

#include <vector>

#include "core/threads.hpp"
#include "sfg/normalise.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {

/// Features that one worker handles at once; the same for every number of threads.
inline constexpr Index kFeatureBlock = 512;

/// body(first, count) for fixed blocks of features, side by side if there is enough to do.
template <typename Body>
void for_each_feature_block(const UnitFeatures& features, const RunContext& run, const Body& body) {
  constexpr double kSerialWork = 2e5;
  const Index d = features.n_features();
  RunContext how = run;
  how.progress = nullptr;
  if (static_cast<double>(features.n_samples()) * d < kSerialWork) how.threads = 1;
  parallel_for(how, {}, (d + kFeatureBlock - 1) / kFeatureBlock, [&](std::int64_t block) {
    const Index first = static_cast<Index>(block) * kFeatureBlock;
    body(first, std::min(kFeatureBlock, d - first));
  });
}

/// What picked features S explain of all features together, by ridge regression, and how much more
/// with one more. Symbols: F = features as columns (n x d),
///   G = FF',  M = (I + F_S F_S')^-1,  l_j = f_j'M f_j,  q_j = f_j'M G M f_j:
/// picking j explains q_j / (1 + l_j) more (Sherman and Morrison). Two n x n matrices, and two more
/// now and then. Keeps references to what it is given.
class JointGain {
 public:
  /// l, q and M are brought up to date by differences; after this many picks they are made anew.
  static constexpr std::size_t kPicksPerRefresh = 500;

  JointGain(const UnitFeatures& features, const RunContext& run,
            std::size_t picks_per_refresh = kPicksPerRefresh);

  /// A pick under way: u = M f_s, v = M G u, p = 1 + l_s, u'G u.
  struct Step {
    std::vector<double> u, v;
    double p = 1;
    double ugu = 0;
  };
  /// Between start and finish: update() for every feature.
  [[nodiscard]] Step start(Index feature, const std::vector<double>& values);
  /// With a = f_j'u, e = f_j'v.
  void update(std::size_t j, double a, double e, const Step& step) noexcept {
    l_[j] -= a * a / step.p;
    q_[j] -= 2 * a * e / step.p - a * a * step.ugu / (step.p * step.p);
    gain_[j] = q_[j] / (1 + l_[j]);
  }
  void finish(const Step& step);

  [[nodiscard]] std::size_t n_picks() const noexcept { return picks_.size(); }
  [[nodiscard]] const std::vector<double>& gains() const noexcept { return gain_; }
  /// Whether l, q and the gains were made anew after the last pick.
  [[nodiscard]] bool is_fresh() const noexcept { return picks_.size() % picks_per_refresh_ == 0; }
  /// l
  [[nodiscard]] const std::vector<double>& lengths() const noexcept { return l_; }
  /// q; before any pick that is sum_i r_ij^2.
  [[nodiscard]] const std::vector<double>& squares() const noexcept { return q_; }

 private:
  void find_inverse();
  [[nodiscard]] std::vector<double> times(const std::vector<double>& matrix,
                                          const std::vector<double>& x) const;
  void refresh();

  const UnitFeatures& features_;
  const RunContext& run_;
  std::size_t n_;
  std::size_t picks_per_refresh_;
  std::vector<Index> picks_;
  std::vector<double> g_;  ///< G
  std::vector<double> m_;  ///< M
  std::vector<double> l_, q_, gain_;
};

}  // namespace sfg::detail
