#include <Spectra/SymEigsSolver.h>

#include <algorithm>
#include <cmath>

#include "core/kernels.hpp"
#include "core/random.hpp"
#include "embed/eigen_solvers.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// A vector is one when |S v - lambda v| is below this: with gaps of 1e-4 between eigenvalues it is
/// good to eight digits then.
constexpr double kTolerance = 1e-12;
/// What Spectra calls converged and is off by more than this is not: it divides by nearly nothing
/// where a Krylov space ends early.
constexpr double kLargestResidual = 1e-8;
/// Vectors of the first subspace beyond those wanted, at least; each further attempt has twice as
/// many.
constexpr Index kExtraVectors = 20;
constexpr int kAttempts = 3;
constexpr Index kRestarts = 200;
/// An eigenvalue that exceeds the last one found by this much was missed: Krylov spaces hold only
/// one vector of each eigenvalue, further ones come out of rounding or not at all.
constexpr double kMissed = 1e-9;
/// Any fixed seed: the start must not be orthogonal to a vector that is looked for.
constexpr std::uint64_t kStartSeed = 20260601;

/// S + I as Spectra wants to see it: tolerances are shares of an eigenvalue, and those of S may all
/// be zero.
struct Operator {
  using Scalar = double;
  const NormalisedAffinity& matrix;

  [[nodiscard]] Eigen::Index rows() const { return matrix.rows(); }
  [[nodiscard]] Eigen::Index cols() const { return matrix.rows(); }
  void perform_op(const double* in, double* out) const {
    matrix.multiply(in, out);
    for (Index i = 0; i < matrix.rows(); ++i) out[i] += in[i];
  }
};

std::vector<double> start_vector(const NormalisedAffinity& matrix, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> start(static_cast<std::size_t>(matrix.rows()));
  for (std::size_t i = 0; i < start.size(); ++i) {
    const double value = random.uniform(-1, 1);
    start[i] = matrix.degree()[i] > 0 ? value : 0;
  }
  return start;
}

bool is_unit_eigenvector(const NormalisedAffinity& matrix, const std::vector<double>& vector,
                         double value) {
  const double length = std::sqrt(dot(vector.data(), vector.data(), vector.size()));
  return std::fabs(length - 1) <= kLargestResidual &&
         matrix.residual(vector, value) <= kLargestResidual;
}

/// One search in a subspace of `size`; pairs that converged.
EigenPairs search(const NormalisedAffinity& matrix, Index count, Index size, std::uint64_t seed) {
  EigenPairs pairs;
  try {
    Operator product{matrix};
    Spectra::SymEigsSolver<Operator> solver(product, count, size);
    const std::vector<double> start = start_vector(matrix, seed);
    solver.init(start.data());
    (void)solver.compute(Spectra::SortRule::LargestAlge, kRestarts, kTolerance,
                         Spectra::SortRule::LargestAlge);
    const auto values = solver.eigenvalues();
    const auto vectors = solver.eigenvectors();
    for (Eigen::Index k = 0; k < values.size(); ++k) {
      const double* column = vectors.data() + k * vectors.rows();
      std::vector<double> vector(column, column + vectors.rows());
      const double value = values[k] - 1;
      if (!is_unit_eigenvector(matrix, vector, value)) continue;
      pairs.values.push_back(value);
      pairs.vectors.push_back(std::move(vector));
    }
  } catch (const Error&) {
    throw;  // interrupted
  } catch (const std::exception&) {
    pairs = {};  // Spectra gave up: an outcome, not a fault
  }
  return pairs;
}

/// Larger subspaces until all converge.
LanczosOutcome search_until_converged(const NormalisedAffinity& matrix, Index count,
                                      std::uint64_t seed) {
  LanczosOutcome outcome;
  const Index n = matrix.rows();
  Index size = std::min(n, std::max(2 * count + 1, count + kExtraVectors));
  while (outcome.n_solves < kAttempts && !outcome.converged) {
    ++outcome.n_solves;
    outcome.pairs = search(matrix, count, size, seed);
    outcome.converged = static_cast<Index>(outcome.pairs.values.size()) == count;
    if (size == n) break;
    size = std::min(n, 2 * size);
  }
  return outcome;
}

/// Puts a pair where it belongs and drops the last one.
void insert(EigenPairs& pairs, double value, std::vector<double> vector) {
  const auto place = std::ranges::upper_bound(pairs.values, value, std::greater<>());
  const auto at = place - pairs.values.begin();
  pairs.values.insert(place, value);
  pairs.vectors.insert(pairs.vectors.begin() + at, std::move(vector));
  pairs.values.pop_back();
  pairs.vectors.pop_back();
}

}  // namespace

LanczosOutcome lanczos_eigenpairs(NormalisedAffinity& matrix, Index count) {
  LanczosOutcome outcome = search_until_converged(matrix, count, kStartSeed);
  if (!outcome.converged) return outcome;
  for (std::size_t k = 0; k < outcome.pairs.values.size(); ++k) {
    matrix.push_away(outcome.pairs.vectors[k], outcome.pairs.values[k]);
  }
  // Look once more without them, until nothing larger than the last one turns up.
  for (Index found = count; found + 1 < matrix.n_active(); ++found) {
    LanczosOutcome next =
        search_until_converged(matrix, 1, kStartSeed + static_cast<std::uint64_t>(found));
    outcome.n_solves += next.n_solves;
    if (!next.converged || next.pairs.values[0] <= outcome.pairs.values.back() + kMissed) break;
    matrix.push_away(next.pairs.vectors[0], next.pairs.values[0]);
    insert(outcome.pairs, next.pairs.values[0], std::move(next.pairs.vectors[0]));
  }
  return outcome;
}

}  // namespace sfg::detail
