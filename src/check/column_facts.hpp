#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "sfg/matrix.hpp"

// What one pass over a feature finds. Sparse features count their zeros without visiting them.
namespace sfg::detail {

struct ColumnFacts {
  Offset n_finite = 0;
  Offset n_missing = 0;  ///< missing or infinite
  int n_different = 0;   ///< different finite values: 0, 1, 2, or 3 for more
  bool is_whole = true;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  double kurtosis = 0;  ///< fourth moment by the square of the second; 3 for a normal distribution

  /// A few values decide the rest. An exponential distribution, which has 9, is still tame.
  [[nodiscard]] bool has_heavy_tails() const noexcept;
};

[[nodiscard]] ColumnFacts facts_of(const Matrix& matrix, Index feature);

/// Whole numbers that all differ, and go up in steps of one or have a name such as "PID", "id" or
/// "Order".
[[nodiscard]] bool looks_like_id(const Matrix& matrix, Index feature, const ColumnFacts& facts,
                                 const std::string& name);

/// Marks the samples in which this feature has no finite value.
void mark_gaps(const Matrix& matrix, Index feature, std::vector<bool>& has_gap);

[[nodiscard]] std::size_t hash_of(const Matrix& matrix, Index feature);
/// Equal in every cell; missing cells are equal to each other.
[[nodiscard]] bool are_equal(const Matrix& matrix, Index a, Index b);

}  // namespace sfg::detail
