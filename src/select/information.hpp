#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "select/feature_codes.hpp"
#include "sfg/target.hpp"

namespace sfg::detail {

/// Measures that differ by less than this (times their size, above 1) are equal: their rounding is
/// some 1e-14. What is equal is a tie, on every machine.
inline constexpr double kInformationTie = 1e-10;

/// Whether a measure is larger than another one, a tie aside.
[[nodiscard]] inline bool is_larger(double value, double than) noexcept {
  return value > than && !(value - than <= kInformationTie * std::max(1.0, std::fabs(than)));
}

/// The first of the values that no other one is larger than.
[[nodiscard]] std::size_t first_of_largest(std::span<const double> values);

/// How much features say of each other, in bits:
///   H(x) = -sum p log2 p,  I(x; y) = H(x) + H(y) - H(x, y),
///   SU(x, y) = 2 I(x; y) / (H(x) + H(y)), 0 where both are constant.
/// n H = n log2 n - sum k log2 k over the counts. k log2 k are whole numbers of a small unit, so
/// that the order of the sum does not matter and relabelled variables have the same bits.
class Information {
 public:
  Information(const Matrix& features, Index n_bins, const RunContext& run);

  [[nodiscard]] const FeatureCodes& codes() const noexcept { return codes_; }
  [[nodiscard]] bool is_constant(Index feature) const noexcept {
    return codes_.n_values(feature) < 2;
  }

  enum class Measure { mutual_information, symmetric_uncertainty };
  /// measured[k]: of features[k] and the variable. O(n) for each feature (sparse: stored entries).
  void measure(Measure what, const CodedVariable& variable, std::span<const Index> features,
               std::span<double> measured, const RunContext& run) const;

 private:
  [[nodiscard]] std::int64_t sum_over(std::span<const std::int32_t> counts) const noexcept;

  FeatureCodes codes_;
  std::vector<std::int64_t> k_log_k_;  ///< for k = 0 .. n, in units
  double unit_;                        ///< units of one bit
  std::vector<std::int64_t> sums_;     ///< by feature: sum of k log2 k over its counts
};

/// The classes, or numbers in bins as those of features are.
[[nodiscard]] CodedVariable coded_target(const Target& target, Index n_bins);

/// SU of every feature and the class.
[[nodiscard]] std::vector<double> relevances(const Information& information,
                                             const CodedVariable& target, const RunContext& run);

}  // namespace sfg::detail
