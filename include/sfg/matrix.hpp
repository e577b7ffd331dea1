#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "sfg/buffer.hpp"

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
  /// Column after column, as many values as there are entries; they may be borrowed.
  DenseMatrix(Index n_samples, Index n_features, Buffer<double> values)
      : n_samples_(n_samples), n_features_(n_features), values_(std::move(values)) {}

  [[nodiscard]] Index n_samples() const noexcept { return n_samples_; }
  [[nodiscard]] Index n_features() const noexcept { return n_features_; }

  [[nodiscard]] std::span<double> column(Index feature) {
    return {values_.data() + start(feature), static_cast<std::size_t>(n_samples_)};
  }
  [[nodiscard]] std::span<const double> column(Index feature) const noexcept {
    return {values_.data() + start(feature), static_cast<std::size_t>(n_samples_)};
  }
  [[nodiscard]] double& operator()(Index sample, Index feature) {
    return values_[start(feature) + static_cast<std::size_t>(sample)];
  }
  [[nodiscard]] double operator()(Index sample, Index feature) const noexcept {
    return values_[start(feature) + static_cast<std::size_t>(sample)];
  }
  [[nodiscard]] double* data() { return values_.data(); }
  [[nodiscard]] const double* data() const noexcept { return values_.data(); }
  /// The values of a borrowed matrix become its own, before several threads change them.
  void own() { values_.own(); }

 private:
  [[nodiscard]] std::size_t start(Index feature) const noexcept {
    return static_cast<std::size_t>(feature) * static_cast<std::size_t>(n_samples_);
  }

  Index n_samples_ = 0;
  Index n_features_ = 0;
  Buffer<double> values_;
};

/// Compressed sparse columns: entries of feature j are [starts[j], starts[j+1]) of `rows` and
/// `values`, rows ascending, each row at most once, no stored zeros.
struct SparseMatrix {
  Index n_samples = 0;
  Index n_features = 0;
  std::vector<Offset> starts{0};
  Buffer<Index> rows;
  Buffer<double> values;

  [[nodiscard]] std::span<const Index> column_rows(Index feature) const noexcept {
    return {rows.data() + begin(feature), size(feature)};
  }
  [[nodiscard]] std::span<const double> column_values(Index feature) const noexcept {
    return {values.data() + begin(feature), size(feature)};
  }
  [[nodiscard]] Offset n_stored() const noexcept { return starts.back(); }
  /// As in DenseMatrix.
  void own() {
    rows.own();
    values.own();
  }

 private:
  [[nodiscard]] std::size_t begin(Index feature) const noexcept {
    return static_cast<std::size_t>(starts[feature]);
  }
  [[nodiscard]] std::size_t size(Index feature) const noexcept {
    return static_cast<std::size_t>(starts[feature + 1]) - begin(feature);
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

/// Only these samples, ascending.
[[nodiscard]] Matrix select_samples(const Matrix& matrix, std::span<const Index> samples);

[[nodiscard]] DenseMatrix to_dense(const SparseMatrix& sparse);
/// Without the entries that equal `left_out` of their feature (0 if not given); that is taken off
/// the others.
[[nodiscard]] SparseMatrix to_sparse(const DenseMatrix& dense,
                                     std::span<const double> left_out = {});

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
