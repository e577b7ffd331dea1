#include "select/fsasl_steps.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>

#include "core/kernels.hpp"
#include "core/symmetric_eigen.hpp"
#include "core/threads.hpp"
#include "select/columns.hpp"
#include "select/lars.hpp"
#include "select/sample_gram.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// Directions of the sample space whose share in the largest eigenvalue of K is smaller are
/// rounding.
constexpr double kRangeShare = 1e-12;
/// Where neighbours are all equally far any mu is right; this share of the distance keeps it above
/// zero.
constexpr double kSmallestMu = 1e-9;

/// Squared distance between two columns.
double squared_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

/// C = A'B or A B, column by column.
DenseMatrix product(const DenseMatrix& a, CBLAS_TRANSPOSE transposed, const DenseMatrix& b) {
  const bool flip = transposed == CblasTrans;
  const Index rows = flip ? a.n_features() : a.n_samples();
  DenseMatrix result(rows, b.n_features());
  cblas_dgemm(CblasColMajor, transposed, CblasNoTrans, rows, b.n_features(), b.n_samples(), 1.0,
              a.data(), a.n_samples(), b.data(), b.n_samples(), 0.0, result.data(), rows);
  return result;
}

/// Eigenvectors of K with eigenvalues that are not rounding.
struct Range {
  std::vector<double> values;
  DenseMatrix vectors;
};

/// LAPACK fails on values that are not finite only, and those do not get here.
SymmetricEigen smallest_eigen(DenseMatrix matrix, Index count) {
  auto found = symmetric_eigen(std::move(matrix), Eigenvalues::smallest, count);
  if (!found) throw Error(ErrorCode::internal, "LAPACK found no eigenvectors");
  return std::move(*found);
}

Range range_of(DenseMatrix gram) {
  const Index n = gram.n_samples();
  const SymmetricEigen eigen = smallest_eigen(std::move(gram), n);
  const double smallest = kRangeShare * eigen.values.back();
  Index first = 0;
  while (first < n && !(eigen.values[first] > smallest)) ++first;
  Range range;
  range.values.assign(eigen.values.begin() + first, eigen.values.end());
  range.vectors = DenseMatrix(n, n - first);
  std::copy_n(eigen.vectors.data() + static_cast<std::size_t>(first) * static_cast<std::size_t>(n),
              static_cast<std::size_t>(n - first) * static_cast<std::size_t>(n),
              range.vectors.data());
  return range;
}

/// |w_j| with w_j = 2 weight_j x_j'Q, Q = K^-1 Z.
std::vector<double> row_norms(const Matrix& features, const DenseMatrix& solved,
                              std::span<const double> weights, const RunContext& run) {
  const Columns columns(features);
  std::vector<double> norms(weights.size());
  parallel_for(run, {}, columns.n_features(), [&](std::int64_t item) {
    const auto j = static_cast<Index>(item);
    double squares = 0;
    for (Index k = 0; k < solved.n_features(); ++k) {
      const double entry = columns.product(j, solved.column(k).data());
      squares += entry * entry;
    }
    norms[j] = 2 * weights[j] * std::sqrt(squares);
  });
  return norms;
}

}  // namespace

double representation_cost(const DenseMatrix& projected, Index sample, const SparseRow& row,
                           double alpha) {
  const auto own = projected.column(sample);
  std::vector<double> rest(own.begin(), own.end());
  double cost = 0;
  for (std::size_t k = 0; k < row.places.size(); ++k) {
    add_multiple(-row.values[k], projected.column(row.places[k]).data(), rest.data(), rest.size());
    cost += alpha * std::fabs(row.values[k]);
  }
  return cost + dot(rest.data(), rest.data(), rest.size());
}

void represent_samples(const DenseMatrix& projected, double alpha, SparseRows& rows,
                       const RunContext& run) {
  parallel_for(run, {}, projected.n_features(), [&](std::int64_t item) {
    const auto sample = static_cast<Index>(item);
    RunContext alone;
    alone.threads = 1;
    DenseMatrix response(projected.n_samples(), 1);
    std::ranges::copy(projected.column(sample), response.column(0).begin());
    Matrix others = projected;
    std::ranges::fill(std::get<DenseMatrix>(others).column(sample), 0.0);
    LarsOptions options;
    options.min_correlation = alpha / 2;  // LARS halves the squares
    LarsPath path = std::move(lars(others, response, options, alone).front());
    SparseRow found;
    if (!path.steps.empty()) {
      found.places = std::move(path.steps.back().features);
      found.values = std::move(path.steps.back().coefficients);
    }
    SparseRow& row = rows[sample];
    if (representation_cost(projected, sample, found, alpha) <=
        representation_cost(projected, sample, row, alpha)) {
      row = std::move(found);
    }
  });
}

std::vector<double> squared_distances(const DenseMatrix& projected, Index sample) {
  std::vector<double> distances(static_cast<std::size_t>(projected.n_features()));
  for (std::size_t j = 0; j < distances.size(); ++j) {
    distances[j] =
        squared_distance(projected.column(sample), projected.column(static_cast<Index>(j)));
  }
  return distances;
}

double neighbourhood_weight(std::vector<double> distances, Index sample, Index neighbours) {
  distances.erase(distances.begin() + sample);
  const auto k = std::min(static_cast<std::size_t>(neighbours), distances.size() - 1);
  const auto next = distances.begin() + static_cast<std::ptrdiff_t>(k);
  std::nth_element(distances.begin(), next, distances.end());
  double sum = 0;
  for (auto near = distances.begin(); near != next; ++near) sum += *next - *near;
  return std::max(sum / 2, kSmallestMu * *next);
}

SparseRow share_neighbours(const std::vector<double>& distances, Index sample, double mu) {
  std::vector<Index> order;
  for (std::size_t j = 0; j < distances.size(); ++j) {
    if (static_cast<Index>(j) != sample) order.push_back(static_cast<Index>(j));
  }
  std::ranges::stable_sort(order, {}, [&](Index j) { return distances[j]; });
  SparseRow row;
  const double nearest = distances[order.front()];
  if (mu <= 0) {
    // All the nearest are at distance zero: any share is optimal.
    row.places.push_back(order.front());
    row.values.push_back(1);
    return row;
  }
  // p_j = (level - v_j)+ with v_j = (D_j - nearest) / (2 mu); the level makes the sum 1.
  const auto height = [&](Index j) { return (distances[j] - nearest) / (2 * mu); };
  double sum = 0;
  double level = 0;
  std::size_t count = 0;
  for (const Index j : order) {
    const double with_it = (1 + sum + height(j)) / static_cast<double>(count + 1);
    if (with_it <= height(j)) break;
    sum += height(j);
    level = with_it;
    ++count;
  }
  for (std::size_t k = 0; k < count; ++k) {
    row.places.push_back(order[k]);
    row.values.push_back(level - height(order[k]));
  }
  return row;
}

DenseMatrix structure_matrix(const SparseRows& representation, const SparseRows& neighbours,
                             double beta) {
  const auto n = static_cast<Index>(representation.size());
  DenseMatrix structure(n, n);
  for (Index i = 0; i < n; ++i) {
    // Row i of I - S as a sparse vector; its outer product with itself.
    SparseRow row = representation[i];
    for (double& value : row.values) value = -value;
    row.places.push_back(i);
    row.values.push_back(1);
    for (std::size_t a = 0; a < row.places.size(); ++a) {
      for (std::size_t b = 0; b < row.places.size(); ++b) {
        structure(row.places[a], row.places[b]) += row.values[a] * row.values[b];
      }
    }
    const SparseRow& near = neighbours[i];
    for (std::size_t k = 0; k < near.places.size(); ++k) {
      const Index j = near.places[k];
      const double share = beta * near.values[k];
      structure(i, i) += share;
      structure(j, j) += share;
      structure(i, j) -= share;
      structure(j, i) -= share;
    }
  }
  return structure;
}

Projection project(const Matrix& features, const DenseMatrix& structure,
                   std::span<const double> weights, double gamma, Index dimension,
                   const RunContext& run) {
  std::vector<double> doubled(weights.begin(), weights.end());
  for (double& weight : doubled) weight *= 2;
  const Range range = range_of(sample_gram(features, doubled, run));
  const SingleThreadedBlas single_threaded;
  DenseMatrix inside =
      product(range.vectors, CblasTrans, product(structure, CblasNoTrans, range.vectors));
  for (Index k = 0; k < inside.n_features(); ++k) {
    inside(k, k) += gamma / range.values[k];
  }
  const Index rank = inside.n_features();
  DenseMatrix chosen = smallest_eigen(std::move(inside), std::min(dimension, rank)).vectors;
  Projection projection;
  projection.projected =
      product(chosen, CblasTrans, std::get<DenseMatrix>(transpose(range.vectors)));
  for (Index k = 0; k < chosen.n_features(); ++k) {
    const auto column = chosen.column(k);
    for (std::size_t i = 0; i < column.size(); ++i) column[i] /= range.values[i];
  }
  const DenseMatrix solved = product(range.vectors, CblasNoTrans, chosen);
  projection.row_norm = row_norms(features, solved, weights, run);
  return projection;
}

}  // namespace sfg::detail
