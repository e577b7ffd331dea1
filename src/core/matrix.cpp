#include "sfg/matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sfg/error.hpp"

namespace sfg {

namespace {

DenseMatrix select(const DenseMatrix& dense, std::span<const Index> features) {
  DenseMatrix result(dense.n_samples(), static_cast<Index>(features.size()));
  Index next = 0;
  for (const Index feature : features) {
    std::ranges::copy(dense.column(feature), result.column(next++).begin());
  }
  return result;
}

SparseMatrix select(const SparseMatrix& sparse, std::span<const Index> features) {
  SparseMatrix result;
  result.n_samples = sparse.n_samples;
  result.n_features = static_cast<Index>(features.size());
  result.starts.reserve(features.size() + 1);
  for (const Index feature : features) {
    result.rows.append(sparse.column_rows(feature));
    result.values.append(sparse.column_values(feature));
    result.starts.push_back(static_cast<Offset>(result.rows.size()));
  }
  return result;
}

DenseMatrix transpose_dense(const DenseMatrix& dense) {
  // Square tiles, so that both sides stay in cache.
  constexpr Index kTile = 32;
  DenseMatrix result(dense.n_features(), dense.n_samples());
  for (Index feature0 = 0; feature0 < dense.n_features(); feature0 += kTile) {
    const Index feature_end = std::min(dense.n_features(), feature0 + kTile);
    for (Index sample0 = 0; sample0 < dense.n_samples(); sample0 += kTile) {
      const Index sample_end = std::min(dense.n_samples(), sample0 + kTile);
      for (Index feature = feature0; feature < feature_end; ++feature) {
        for (Index sample = sample0; sample < sample_end; ++sample) {
          result(feature, sample) = dense(sample, feature);
        }
      }
    }
  }
  return result;
}

SparseMatrix transpose_sparse(const SparseMatrix& sparse) {
  SparseMatrix result;
  result.n_samples = sparse.n_features;
  result.n_features = sparse.n_samples;
  result.starts.assign(static_cast<std::size_t>(sparse.n_samples) + 1, 0);
  for (const Index row : sparse.rows) ++result.starts[row + 1];
  for (std::size_t i = 1; i < result.starts.size(); ++i) result.starts[i] += result.starts[i - 1];
  result.rows.resize(sparse.rows.size());
  result.values.resize(sparse.values.size());
  std::vector<Offset> next(result.starts.begin(), result.starts.end() - 1);
  for (Index feature = 0; feature < sparse.n_features; ++feature) {
    const auto rows = sparse.column_rows(feature);
    const auto values = sparse.column_values(feature);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const auto place = static_cast<std::size_t>(next[rows[k]]++);
      result.rows[place] = feature;
      result.values[place] = values[k];
    }
  }
  return result;
}

}  // namespace

Index n_samples(const Matrix& matrix) noexcept {
  if (const auto* dense = std::get_if<DenseMatrix>(&matrix)) return dense->n_samples();
  return std::get_if<SparseMatrix>(&matrix)->n_samples;
}

Index n_features(const Matrix& matrix) noexcept {
  if (const auto* dense = std::get_if<DenseMatrix>(&matrix)) return dense->n_features();
  return std::get_if<SparseMatrix>(&matrix)->n_features;
}

std::size_t memory_of(const Matrix& matrix) noexcept {
  const auto stored = static_cast<std::size_t>(n_stored(matrix));
  return std::holds_alternative<DenseMatrix>(matrix) ? stored * sizeof(double)
                                                     : stored * (sizeof(double) + sizeof(Index));
}

Offset n_stored(const Matrix& matrix) noexcept {
  if (const auto* dense = std::get_if<DenseMatrix>(&matrix)) {
    return static_cast<Offset>(dense->n_samples()) * dense->n_features();
  }
  return std::get_if<SparseMatrix>(&matrix)->n_stored();
}

double density(const Matrix& matrix) {
  const double all = static_cast<double>(n_samples(matrix)) * n_features(matrix);
  if (all == 0) return 0;
  if (const auto* sparse = std::get_if<SparseMatrix>(&matrix)) {
    return static_cast<double>(sparse->n_stored()) / all;
  }
  const auto& dense = std::get<DenseMatrix>(matrix);
  const double* values = dense.data();
  const auto nonzero =
      std::count_if(values, values + n_stored(matrix), [](double value) { return value != 0; });
  return static_cast<double>(nonzero) / all;
}

Matrix select_features(const Matrix& matrix, std::span<const Index> features) {
  return std::visit([&](const auto& held) -> Matrix { return select(held, features); }, matrix);
}

DenseMatrix to_dense(const SparseMatrix& sparse) {
  DenseMatrix result(sparse.n_samples, sparse.n_features);
  for (Index feature = 0; feature < sparse.n_features; ++feature) {
    const auto rows = sparse.column_rows(feature);
    const auto values = sparse.column_values(feature);
    for (std::size_t k = 0; k < rows.size(); ++k) result(rows[k], feature) = values[k];
  }
  return result;
}

SparseMatrix to_sparse(const DenseMatrix& dense, std::span<const double> left_out) {
  SparseMatrix result;
  result.n_samples = dense.n_samples();
  result.n_features = dense.n_features();
  result.starts.reserve(static_cast<std::size_t>(dense.n_features()) + 1);
  for (Index feature = 0; feature < dense.n_features(); ++feature) {
    const auto column = dense.column(feature);
    const double rest = left_out.empty() ? 0.0 : left_out[feature];
    for (Index sample = 0; sample < dense.n_samples(); ++sample) {
      const double value = column[sample];
      if (value == rest) continue;
      result.rows.push_back(sample);
      result.values.push_back(value - rest);
    }
    result.starts.push_back(static_cast<Offset>(result.rows.size()));
  }
  return result;
}

Matrix transpose(const Matrix& matrix) {
  if (const auto* dense = std::get_if<DenseMatrix>(&matrix)) return transpose_dense(*dense);
  return transpose_sparse(std::get<SparseMatrix>(matrix));
}

SparseMatrix assemble(Index n_samples, Index n_features, std::span<const Triplet> entries,
                      RepeatedEntries repeated) {
  // Two counting sorts (by row, then by column) would need as much memory; a stable sort of an
  // index by (column, row) keeps the order of repeated entries, so that sums are reproducible.
  std::vector<Offset> order(entries.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Offset>(i);
  std::ranges::stable_sort(order, [&](Offset a, Offset b) {
    const Triplet& left = entries[a];
    const Triplet& right = entries[b];
    return std::pair{left.column, left.row} < std::pair{right.column, right.row};
  });

  SparseMatrix result;
  result.n_samples = n_samples;
  result.n_features = n_features;
  result.starts.assign(static_cast<std::size_t>(n_features) + 1, 0);
  for (std::size_t i = 0; i < order.size();) {
    const Triplet& entry = entries[order[i]];
    double value = entry.value;
    for (++i; i < order.size(); ++i) {
      const Triplet& next = entries[order[i]];
      if (next.row != entry.row || next.column != entry.column) break;
      if (repeated == RepeatedEntries::refuse) {
        throw Error(ErrorCode::malformed_input,
                    fmt::format("the entry in row {}, column {} is given twice; remove one of them",
                                entry.row + 1, entry.column + 1));
      }
      value += next.value;
    }
    if (value == 0) continue;
    result.rows.push_back(entry.row);
    result.values.push_back(value);
    ++result.starts[entry.column + 1];
  }
  for (std::size_t i = 1; i < result.starts.size(); ++i) result.starts[i] += result.starts[i - 1];
  return result;
}

}  // namespace sfg
