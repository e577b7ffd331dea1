#pragma once

#include <span>
#include <string>
#include <vector>

#include "sfg/normalise.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {

/// |r| of all pairs of features that vary, in float: several competitors are made of nothing else.
/// The only matrix of d x d numbers there is, so it is made on demand and only if it fits.
class PairCorrelations {
 public:
  PairCorrelations(const UnitFeatures& centred, std::span<const Index> features)
      : centred_(centred), features_(features.begin(), features.end()) {}

  /// The run of others while the pairs are in memory, if they are.
  [[nodiscard]] RunContext while_held(RunContext run) const;

  /// Makes the pairs if they are not there. The run counts them if they are. Throws over_memory,
  /// with the number needed, unless so many matrices of that size fit.
  void require(int n_matrices, const RunContext& run);

  [[nodiscard]] std::size_t size() const noexcept { return features_.size(); }
  /// Row of a place among the features; 1 at the place itself.
  [[nodiscard]] const float* row(std::size_t place) const noexcept {
    return values_.data() + place * features_.size();
  }
  [[nodiscard]] Index feature(std::size_t place) const noexcept { return features_[place]; }
  [[nodiscard]] std::size_t place(Index feature) const;

 private:
  void find(const RunContext& run);

  const UnitFeatures& centred_;
  std::vector<Index> features_;
  std::vector<float> values_;
};

}  // namespace sfg::detail
