#pragma once

#include <span>
#include <vector>

#include "predict/sample_folds.hpp"
#include "sfg/certificate.hpp"

namespace sfg::detail {

/// The kept features with the largest |r| with a target, over the training samples of each fold:
/// chosen on all samples, they would know the held-out ones, and even a permuted target would seem
/// predictable. Ties: lowest index. Dense features are looked at in float first; those that may be
/// among the nearest, by a bound of the rounding, are multiplied again in double.
class TrainingNearest {
 public:
  TrainingNearest(const UnitFeatures& centred, std::span<const Index> kept,
                  const SampleFolds& folds, std::size_t n_nearest, const RunContext& run);

  /// How many are found: as asked for, or all kept ones.
  [[nodiscard]] std::size_t n_nearest() const noexcept { return n_nearest_; }
  /// Numbers within the kept set: target x fold x n_nearest, the nearest first.
  [[nodiscard]] std::vector<Index> find(std::span<const HeldOutTarget> targets,
                                        const RunContext& run) const;

 private:
  struct Workspace;
  /// A fold: places of its samples, and what the kept features are over all the other samples.
  struct Fold {
    std::size_t begin = 0;
    std::size_t end = 0;
    double n_training = 0;
    std::vector<double> stored_sum;    ///< of the values as they are stored: without the shift
    std::vector<double> inverse_norm;  ///< 0 if the feature does not vary there
    std::vector<float> float_sum;      ///< the same as floats, of dense features
    std::vector<float> float_norm;
  };

  void take_kept(std::span<const Index> kept, const RunContext& run);
  void measure_kept(const RunContext& run);
  void take_targets(std::span<const HeldOutTarget> targets, Workspace& space) const;
  void find_best(std::size_t n_targets, Workspace& space) const;
  void multiply(std::size_t first, std::size_t count, std::size_t n_targets,
                Workspace& space) const;
  void find_likely(std::size_t n_targets, Workspace& space) const;
  void find_best_of_likely(std::size_t n_targets, Workspace& space) const;
  void multiply_floats(std::size_t first, std::size_t count, std::size_t n_targets,
                       Workspace& space) const;

  const UnitFeatures& centred_;
  const SampleFolds& sample_folds_;
  UnitFeatures kept_;          ///< with places instead of samples
  std::vector<float> floats_;  ///< the same, if they are dense
  std::size_t n_;
  std::size_t n_nearest_;
  std::size_t tile_;       ///< targets that are compared together
  std::size_t kept_tile_;  ///< kept features that are compared with them at once
  std::vector<Fold> folds_;
};

}  // namespace sfg::detail
