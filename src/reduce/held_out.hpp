#pragma once

#include <span>
#include <vector>

#include "sfg/certificate.hpp"

namespace sfg::detail {

/// Cross-validated prediction of features from the kept ones; see held_out_r2().
class HeldOut {
 public:
  HeldOut(const UnitFeatures& centred, std::span<const Index> kept,
          const CertificateOptions& options, const Run& run);

  [[nodiscard]] std::vector<double> r2(std::span<const HeldOutTarget> targets, const Run& run);

 private:
  struct Workspace;
  /// Samples of fold f, and mean and 1 / norm of each kept feature over the other samples.
  struct Fold {
    std::vector<char> is_test;      ///< by sample
    std::vector<std::size_t> test;  ///< its samples
    double n_training = 0;
    std::vector<double> mean;
    std::vector<double> inverse_norm;  ///< 0 if the feature does not vary there
  };

  void make_folds(std::uint64_t seed);
  void measure_kept(const Run& run);
  void predict_tile(std::span<const HeldOutTarget> targets, Workspace& space, double* r2) const;
  void correlate(const Fold& fold, std::size_t n_targets, Workspace& space) const;
  [[nodiscard]] double squared_error(const Fold& fold, std::size_t target, Workspace& space) const;
  void fit(double n_training, double variation, Workspace& space) const;
  void fill_target(const HeldOutTarget& target, double* out) const;

  const UnitFeatures& centred_;
  const CertificateOptions& options_;
  UnitFeatures kept_;
  std::size_t n_;
  std::size_t n_predictors_;
  std::size_t tile_;  ///< targets that are predicted together
  std::vector<Fold> folds_;
};

}  // namespace sfg::detail
