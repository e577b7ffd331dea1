#pragma once

#include <span>
#include <vector>

#include "pursuit/omp/orthogonal_fit.hpp"
#include "sfg/normalise.hpp"

// Ways to hold vectors over the samples, with one interface: what a target needs to know of the
// data to do its float64 arithmetic. One object per target under way.
namespace sfg::detail {

/// Asks memory for the first part of a column, which will be needed soon.
void prefetch_column(std::span<const double> column) noexcept;

/// Every sample has its place: vectors are columns of a dense matrix.
class DenseSpace {
 public:
  DenseSpace(const UnitFeatures& dictionary, const UnitFeatures& targets);

  /// Makes the target's vector and gives the samples their places; returns the number of samples
  /// that share entry 0.
  double start(Index target, SampleVector& vector);
  /// Vector of an atom; its samples get places in the fit first.
  void expand(Index atom, OrthogonalFit& fit, SampleVector& vector);
  /// <f_atom, q>
  [[nodiscard]] double product(Index atom, const SampleVector& q) const;
  /// Asks memory for an atom's vector, which will be needed soon.
  void prefetch(Index atom) const noexcept;
  /// Samples that have a place, in order of their entries; empty: all of them, in order.
  [[nodiscard]] std::span<const Index> rows() const noexcept { return {}; }

 private:
  const DenseMatrix& dictionary_;
  const DenseMatrix& targets_;
};

/// Columns that are at hand for the moment; the others are elsewhere.
class ColumnSource {
 public:
  virtual ~ColumnSource() = default;
  /// A column that the caller has asked for beforehand.
  [[nodiscard]] virtual std::span<const double> column(Index feature) const = 0;
};

/// As DenseSpace, where the matrix is spread over several processes.
class FetchedSpace {
 public:
  explicit FetchedSpace(const ColumnSource& columns) : columns_(&columns) {}

  double start(Index target, SampleVector& vector);
  void expand(Index atom, OrthogonalFit& fit, SampleVector& vector);
  [[nodiscard]] double product(Index atom, const SampleVector& q) const;
  void prefetch(Index) const noexcept {}
  [[nodiscard]] std::span<const Index> rows() const noexcept { return {}; }

 private:
  const ColumnSource* columns_;
};

/// Only samples in which the target or a chosen atom is not zero have a place. With centring the
/// others still share a value, -shift, held once in entry 0: nothing is ever made dense.
class SparseSpace {
 public:
  SparseSpace(const UnitFeatures& dictionary, const UnitFeatures& targets);

  double start(Index target, SampleVector& vector);
  void expand(Index atom, OrthogonalFit& fit, SampleVector& vector);
  [[nodiscard]] double product(Index atom, const SampleVector& q) const;
  void prefetch(Index) const noexcept {}
  [[nodiscard]] std::span<const Index> rows() const noexcept { return rows_; }

 private:
  std::size_t add_places(std::span<const Index> rows);
  void fill(const UnitFeatures& from, Index feature, SampleVector& vector) const;

  const UnitFeatures& dictionary_;
  const UnitFeatures& targets_;
  std::vector<Index> rows_;   ///< sample of entry k + 1
  std::vector<Index> place_;  ///< entry of each sample, 0 if it shares entry 0
};

}  // namespace sfg::detail
