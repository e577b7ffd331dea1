#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace sfg {

/// Number of a sample or of a feature, counted from 0.
using Index = std::int32_t;
/// Position in an array that may hold more than 2^31 entries.
using Offset = std::int64_t;

/// Data of n samples x d features. Orientation is the same everywhere: a feature is a column and
/// columns are contiguous, since every stage works on features.
class DenseMatrix {
 public:
  DenseMatrix() = default;
  /// All values are zero.
  DenseMatrix(Index n_samples, Index n_features)
      : n_samples_(n_samples),
        n_features_(n_features),
        values_(static_cast<std::size_t>(n_samples) * static_cast<std::size_t>(n_features)) {}
  /// Takes the values, column after column: n_samples * n_features of them.
  DenseMatrix(Index n_samples, Index n_features, std::vector<double> values)
      : n_samples_(n_samples), n_features_(n_features), values_(std::move(values)) {}

  [[nodiscard]] Index n_samples() const noexcept { return n_samples_; }
  [[nodiscard]] Index n_features() const noexcept { return n_features_; }

  [[nodiscard]] std::span<double> column(Index feature) noexcept {
    return {values_.data() + start(feature), static_cast<std::size_t>(n_samples_)};
  }
  [[nodiscard]] std::span<const double> column(Index feature) const noexcept {
    return {values_.data() + start(feature), static_cast<std::size_t>(n_samples_)};
  }
  [[nodiscard]] double& operator()(Index sample, Index feature) noexcept {
    return values_[start(feature) + static_cast<std::size_t>(sample)];
  }
  [[nodiscard]] double operator()(Index sample, Index feature) const noexcept {
    return values_[start(feature) + static_cast<std::size_t>(sample)];
  }
  [[nodiscard]] double* data() noexcept { return values_.data(); }
  [[nodiscard]] const double* data() const noexcept { return values_.data(); }

 private:
  [[nodiscard]] std::size_t start(Index feature) const noexcept {
    return static_cast<std::size_t>(feature) * static_cast<std::size_t>(n_samples_);
  }

  Index n_samples_ = 0;
  Index n_features_ = 0;
  std::vector<double> values_;
};

/// Compressed sparse columns: entries of feature j are [starts[j], starts[j+1]) of `rows` and
/// `values`, rows ascending, each row at most once, no stored zeros.
struct SparseMatrix {
  Index n_samples = 0;
  Index n_features = 0;
  std::vector<Offset> starts{0};
  std::vector<Index> rows;
  std::vector<double> values;

  [[nodiscard]] std::span<const Index> column_rows(Index feature) const noexcept {
    return {rows.data() + begin(feature), size(feature)};
  }
  [[nodiscard]] std::span<const double> column_values(Index feature) const noexcept {
    return {values.data() + begin(feature), size(feature)};
  }
  [[nodiscard]] Offset n_stored() const noexcept { return starts.back(); }

 private:
  [[nodiscard]] std::size_t begin(Index feature) const noexcept {
    return static_cast<std::size_t>(starts[static_cast<std::size_t>(feature)]);
  }
  [[nodiscard]] std::size_t size(Index feature) const noexcept {
    return static_cast<std::size_t>(starts[static_cast<std::size_t>(feature) + 1]) - begin(feature);
  }
};

/// A table is dense or sparse as its file was; no stage turns one into the other unasked.
using Matrix = std::variant<DenseMatrix, SparseMatrix>;

[[nodiscard]] Index n_samples(const Matrix& matrix) noexcept;
[[nodiscard]] Index n_features(const Matrix& matrix) noexcept;
/// Stored entries of a sparse matrix, all entries of a dense one.
[[nodiscard]] Offset n_stored(const Matrix& matrix) noexcept;
/// Bytes that it takes.
[[nodiscard]] std::size_t memory_of(const Matrix& matrix) noexcept;
/// Entries that are not zero (or not a number) as a share of all entries; 0 for an empty matrix.
[[nodiscard]] double density(const Matrix& matrix);

/// The features in the order given (each may occur once, several times or not at all).
[[nodiscard]] Matrix select_features(const Matrix& matrix, std::span<const Index> features);

[[nodiscard]] DenseMatrix to_dense(const SparseMatrix& sparse);
[[nodiscard]] SparseMatrix to_sparse(const DenseMatrix& dense);

/// Swaps samples and features.
[[nodiscard]] Matrix transpose(const Matrix& matrix);

/// One entry of a sparse matrix on its way into a SparseMatrix.
struct Triplet {
  Index row;
  Index column;
  double value;
};

/// What to do with entries given twice for the same place.
enum class RepeatedEntries { refuse, add };

/// Sorts entries into columns; zeros are dropped. Throws malformed_input for a repeated entry that
/// is refused (message names row and column, counted from 1).
[[nodiscard]] SparseMatrix assemble(Index n_samples, Index n_features,
                                    std::span<const Triplet> entries, RepeatedEntries repeated);

}  // namespace sfg
