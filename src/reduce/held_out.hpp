#pragma once

#include <span>
#include <vector>

#include "sfg/certificate.hpp"

namespace sfg::detail {

/// Cross-validated prediction of features from the kept ones; see held_out_r2().
class HeldOut {
 public:
  HeldOut(const UnitFeatures& centred, std::span<const Index> kept,
          const CertificateOptions& options, const RunContext& run);

  [[nodiscard]] std::vector<double> r2(std::span<const HeldOutTarget> targets,
                                       const RunContext& run);

 private:
  struct Workspace;
  /// A fold: places of its samples, and what the kept features are over all the other samples.
  struct Fold {
    std::size_t begin = 0;
    std::size_t end = 0;
    double n_training = 0;
    std::vector<double> mean;
    std::vector<double> stored_sum;    ///< of the values as they are stored: without the shift
    std::vector<double> inverse_norm;  ///< 0 if the feature does not vary there
  };

  void make_folds(std::uint64_t seed);
  void take_kept(std::span<const Index> kept, const RunContext& run);
  void measure_kept(const RunContext& run);
  void predict_tile(std::span<const HeldOutTarget> targets, Workspace& space, double* r2) const;
  void take_targets(std::span<const HeldOutTarget> targets, Workspace& space) const;
  void find_predictors(std::size_t n_targets, Workspace& space) const;
  void multiply(std::size_t first, std::size_t count, std::size_t n_targets,
                Workspace& space) const;
  [[nodiscard]] double squared_error(std::size_t fold, std::size_t target, Workspace& space) const;
  void fit(double n_training, double variation, Workspace& space) const;

  const UnitFeatures& centred_;
  const CertificateOptions& options_;
  UnitFeatures kept_;  ///< with places instead of samples
  std::size_t n_;
  std::size_t n_predictors_;
  std::size_t tile_;                  ///< targets that are predicted together
  std::size_t kept_tile_;             ///< kept features that are compared with them at once
  std::vector<std::size_t> order_;    ///< sample of each place: those of a fold are side by side
  std::vector<std::size_t> fold_at_;  ///< fold of each place
  std::vector<Fold> folds_;
};

}  // namespace sfg::detail
