#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sfg/normalise.hpp"
#include "sfg/options.hpp"
#include "sfg/run_context.hpp"

namespace sfg {

struct CertificateOptions {
  int n_folds = 5;
  Index n_nearest = 5;  ///< kept features that may count more than the others
  /// Removed features that are tried: 0 is all of them; by default all, unless that is a lot of
  /// work, and then a random choice.
  std::optional<Index> most_features = {};
  Index n_permuted = 200;  ///< removed features with permuted samples, for comparison
};

template <OptionsOf<CertificateOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({"certify_sample", "Removed features to certify (auto: all, unless that takes long)",
         at_least(0), "all"},
        options.most_features);
  visit(
      {"certify_folds", "Parts that the samples are divided into, each held out once", at_least(2)},
      options.n_folds);
  visit({"certify_nearest", "Nearest kept features that may count more than the others in the test",
         at_least(0)},
        options.n_nearest);
  visit(
      {"certify_permutations", "Permuted features that are predicted for comparison", at_least(0)},
      options.n_permuted);
}

/// Fewer samples than this say nothing about new ones.
inline constexpr Index kFewestSamplesToCertify = 20;

/// Throws invalid_option for a value out of its range.
void check(const CertificateOptions& options);

/// A feature to predict, as it is or with its samples in random order.
struct HeldOutTarget {
  Index feature;
  std::optional<std::uint64_t> permuted_by;  ///< seed of the permutation
};

/// Held-out R^2 of each target. The samples are cut into folds (random, by RunContext::seed). For
/// each fold the other samples alone say how the kept features predict the target: ridge regression
/// on all of them, in which the nearest few (largest |r| there) may count more; then the fold's
/// samples are predicted:
///   R^2 = 1 - sum (x - prediction)^2 / sum (x - training mean)^2 over all folds.
/// The ridge and that weight are one pair for all targets, the best by the total of R^2 clipped to
/// [-1, 1]; permuted targets have no say. Where the nearest alone fit the target (less than 0.1 %
/// is left, with four times more samples than there are of them) there is no ridge. 0 for a feature
/// without variation. Long tables are looked at through kMostSamplesToPredict of their samples.
/// `centred` are the data's features; their scale and mean do not matter.
[[nodiscard]] std::vector<double> held_out_r2(const UnitFeatures& centred,
                                              std::span<const Index> kept,
                                              std::span<const HeldOutTarget> targets,
                                              const CertificateOptions& options,
                                              const RunContext& run = {});

/// The same for one kept set after another. What depends on the kept set alone (an
/// eigen-decomposition for each fold) is made once for calls with equal sets in a row.
class HeldOutTests {
 public:
  /// The arguments have to outlive the object.
  HeldOutTests(const UnitFeatures& centred, const CertificateOptions& options,
               const RunContext& run);
  HeldOutTests(const HeldOutTests&) = delete;
  HeldOutTests& operator=(const HeldOutTests&) = delete;
  ~HeldOutTests();

  [[nodiscard]] std::vector<double> r2(std::span<const Index> kept,
                                       std::span<const HeldOutTarget> targets);

 private:
  struct Prepared;

  void prepare(std::span<const Index> kept, std::span<const HeldOutTarget> targets);

  const UnitFeatures& centred_;
  const CertificateOptions& options_;
  const RunContext& run_;
  std::unique_ptr<Prepared> prepared_;
};

/// Several held-out R^2 in a few figures.
struct HeldOutSummary {
  Index n_features = 0;
  double mean = 0;  ///< of the values clipped to [-1, 1]: one wild feature says nothing of the rest
  double median = 0;
  double quantile_10 = 0;
  double quantile_95 = 0;
  double share_50 = 0;  ///< certified at 0.5
  double share_80 = 0;  ///< certified at 0.8
};
[[nodiscard]] HeldOutSummary summarise(const std::vector<double>& r2);

/// How well removed features can be predicted from the kept ones on samples that were not used to
/// find out how. The kept set itself was chosen on all samples.
struct Certificate {
  bool possible = false;            ///< there are enough samples
  std::vector<Index> features;      ///< removed ones that were tried, ascending
  std::vector<double> r2;           ///< of each of them
  HeldOutSummary removed;           ///< these in short
  std::vector<double> permuted_r2;  ///< of features that no other can predict: samples permuted
  HeldOutSummary permuted;          ///< these in short
  bool all = true;                  ///< every removed feature was tried
};

/// Tries the removed features, or a random choice of them. `copies` are those of them (ascending)
/// that are copies of kept ones but for rounding: on any samples these predict them, R^2 = 1.
[[nodiscard]] Certificate certify(const UnitFeatures& centred, std::span<const Index> kept,
                                  std::span<const Index> removed, std::span<const Index> copies,
                                  const CertificateOptions& options, const RunContext& run = {});
/// The same by tests that may know the kept set already.
[[nodiscard]] Certificate certify(const UnitFeatures& centred, std::span<const Index> kept,
                                  std::span<const Index> removed, std::span<const Index> copies,
                                  const CertificateOptions& options, const RunContext& run,
                                  HeldOutTests& tests);

}  // namespace sfg
