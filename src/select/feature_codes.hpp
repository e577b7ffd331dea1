#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sfg/matrix.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {

/// One variable as codes 0 .. n_values - 1, one per sample.
struct CodedVariable {
  std::vector<std::uint16_t> codes;
  Index n_values = 0;
};

/// Numbers with few different values as these, in ascending order; others in bins of equal
/// frequency: a value that `before` samples are below falls into bin floor(before bins / n), so
/// that equal values share a bin. Bins that stay empty are not counted.
[[nodiscard]] CodedVariable coded(std::span<const double> values, Index n_bins);

/// Every feature as codes of one byte. Dense: one per cell; sparse: one per stored entry, and the
/// one that zero has. Refers to the matrix.
class FeatureCodes {
 public:
  /// Throws over_memory.
  FeatureCodes(const Matrix& features, Index n_bins, const RunContext& run);

  [[nodiscard]] Index n_samples() const noexcept { return n_samples_; }
  [[nodiscard]] Index n_features() const noexcept { return static_cast<Index>(n_values_.size()); }
  [[nodiscard]] Index n_values(Index feature) const noexcept { return n_values_[feature]; }
  [[nodiscard]] CodedVariable variable(Index feature) const;
  /// table[a * n_values + b]: samples at which the feature has code a and the variable code b, for
  /// b among n_values(variable). `counts`: samples by code of the variable. All of the table is
  /// set.
  void count_joint(Index feature, const CodedVariable& variable,
                   std::span<const std::int32_t> counts, std::span<std::int32_t> table) const;

 private:
  void code_dense(const DenseMatrix& dense, Index n_bins, const RunContext& run);
  void code_sparse(Index n_bins, const RunContext& run);
  [[nodiscard]] std::span<const std::uint8_t> codes_of(Index feature) const noexcept;

  const SparseMatrix* sparse_;
  Index n_samples_;
  std::vector<std::uint8_t> codes_;
  std::vector<std::uint8_t> zero_code_;  ///< sparse only
  std::vector<Index> n_values_;
};

}  // namespace sfg::detail
