#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/kernels.hpp"
#include "core/memory.hpp"
#include "core/symmetric_eigen.hpp"
#include "core/threads.hpp"
#include "embed/eigen_solvers.hpp"
#include "sfg/embed.hpp"
#include "sfg/error.hpp"

namespace sfg {

namespace {

using detail::EigenPairs;
using detail::NormalisedAffinity;

/// Up to this many samples both solvers take a few milliseconds, and LAPACK needs no start vector.
constexpr Index kDenseSamples = 200;
/// Lanczos is for few vectors: with more than this share of all of them LAPACK is faster.
constexpr double kDenseShare = 0.25;
/// Entries this close to the largest one are as large, and the first of them is made positive.
constexpr double kSignTie = 1e-9;
/// Both solvers leave residuals far below this; above it something went wrong.
constexpr double kLargestResidual = 1e-6;

/// Eigenvectors of eigenvalue 1: first the one of the whole graph, sqrt(degree), then what is left
/// of the single parts, the largest first, orthogonal to it and to each other. Of c parts there are
/// c vectors; the last part adds nothing of its own.
EigenPairs unit_eigenpairs(const NormalisedAffinity& matrix, Index count) {
  const auto n = matrix.degree().size();
  EigenPairs pairs;
  std::vector<double> whole(n);
  double sum = 0;
  for (const double degree : matrix.degree()) sum += degree;
  for (std::size_t i = 0; i < n; ++i) whole[i] = std::sqrt(matrix.degree()[i] / sum);
  pairs.vectors.push_back(std::move(whole));
  for (Index part = 0; part + 1 < matrix.n_components() && part + 1 < count; ++part) {
    std::vector<double> vector(n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      if (matrix.component_of()[i] == part) vector[i] = matrix.component_vector()[i];
    }
    // Gram and Schmidt, twice: what is left of a large part is short.
    for (int pass = 0; pass < 2; ++pass) {
      for (const auto& before : pairs.vectors) {
        const double share = detail::dot(before.data(), vector.data(), n);
        detail::add_multiple(-share, before.data(), vector.data(), n);
      }
      const double length = std::sqrt(detail::dot(vector.data(), vector.data(), n));
      for (double& entry : vector) entry /= length;
    }
    pairs.vectors.push_back(std::move(vector));
  }
  pairs.values.assign(pairs.vectors.size(), 1.0);
  return pairs;
}

/// Makes the entry of largest absolute value positive.
void fix_sign(std::vector<double>& vector) {
  const double largest = detail::max_abs(vector.data(), vector.size());
  const auto first = std::ranges::find_if(
      vector, [&](double entry) { return std::fabs(entry) >= (1 - kSignTie) * largest; });
  if (first == vector.end() || *first >= 0) return;
  for (double& entry : vector) entry = -entry;
}

bool dense_is_better(Index n, Index count) {
  return n <= kDenseSamples || count > kDenseShare * n;
}

/// LAPACK needs the matrix twice, the vectors and some rows.
bool dense_fits(const NormalisedAffinity& matrix, const RunContext& run) {
  constexpr double kMatrices = 3;
  const double n = matrix.rows();
  return detail::fits_memory(kMatrices * sizeof(double) * n * n, run);
}

EigenPairs largest_first(const detail::SymmetricEigen& ascending) {
  EigenPairs pairs;
  for (Index k = ascending.vectors.n_features(); k-- > 0;) {
    const auto column = ascending.vectors.column(k);
    pairs.values.push_back(ascending.values[k]);
    pairs.vectors.emplace_back(column.begin(), column.end());
  }
  return pairs;
}

/// The `count` largest eigenvalues below those that are 1 by construction.
EigenPairs further_eigenpairs(NormalisedAffinity& matrix, Index count, EigenSolver wanted,
                              const RunContext& run, Eigenmap& result) {
  const bool dense_first = wanted == EigenSolver::dense || (wanted == EigenSolver::automatic &&
                                                            dense_is_better(matrix.rows(), count));
  EigenPairs best;
  if (!dense_first && count + 1 < matrix.rows()) {
    auto outcome = detail::lanczos_eigenpairs(matrix, count);
    result.solver = EigenSolver::lanczos;
    result.n_solves = outcome.n_solves;
    if (outcome.converged || wanted == EigenSolver::lanczos) return std::move(outcome.pairs);
    best = std::move(outcome.pairs);
  }
  if (!dense_fits(matrix, run)) return best;
  result.solver = EigenSolver::dense;
  ++result.n_solves;
  const auto found = detail::symmetric_eigen(matrix.dense(), detail::Eigenvalues::largest, count);
  return found ? largest_first(*found) : best;
}

}  // namespace

Eigenmap eigenmap(const Affinity& affinity, const EigenmapOptions& options, const RunContext& run) {
  if (options.n_vectors < 1) {
    throw Error(
        ErrorCode::invalid_option,
        fmt::format("the number of eigenvectors must be at least 1, not {}", options.n_vectors));
  }
  const detail::SingleThreadedBlas single_threaded;
  const RunContext run_with_data = detail::while_holding(affinity.weights, run);
  NormalisedAffinity matrix(affinity, run_with_data);
  Eigenmap result;
  result.degree = matrix.degree();
  result.n_components = matrix.n_components();
  const Index count = std::min(options.n_vectors, matrix.n_active());
  EigenPairs pairs;
  if (count > 0) pairs = unit_eigenpairs(matrix, count);
  const auto n_unit = static_cast<Index>(pairs.values.size());
  if (n_unit < count) {
    EigenPairs further =
        further_eigenpairs(matrix, count - n_unit, options.solver, run_with_data, result);
    pairs.values.insert(pairs.values.end(), further.values.begin(), further.values.end());
    for (auto& vector : further.vectors) pairs.vectors.push_back(std::move(vector));
  }
  result.vectors = DenseMatrix(affinity.n_samples(), static_cast<Index>(pairs.values.size()));
  for (std::size_t k = 0; k < pairs.values.size(); ++k) {
    result.residual = std::max(result.residual, matrix.residual(pairs.vectors[k], pairs.values[k]));
    fix_sign(pairs.vectors[k]);
    std::ranges::copy(pairs.vectors[k], result.vectors.column(static_cast<Index>(k)).begin());
  }
  result.values = std::move(pairs.values);
  const bool complete = static_cast<Index>(result.values.size()) == count;
  if (!complete || !(result.residual <= kLargestResidual)) {
    result.status = EigenStatus::not_converged;
  }
  return result;
}

}  // namespace sfg
