// Equations from a factorisation, where there are several samples per feature.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/kernels.hpp"
#include "core/memory.hpp"
#include "core/threads.hpp"
#include "equations/circuits.hpp"
#include "equations/tolerances.hpp"
#include "normalise/fewer_samples.hpp"
#include "normalise/products.hpp"

namespace sfg::detail {

namespace {

/// Multiplications (samples times squared features) up to which a factorisation is worth its time:
/// half a minute. Beyond it the pursuit finds the short equations.
constexpr double kMostWork = 2e11;

/// No column of a triangle that depends on those before it keeps a larger part outside their span:
/// kExactRest with room for the weights of an equation that is solved for one of its small parts.
constexpr double kSurelyOutside = 1e-4;

/// The features as dense columns without what rounding left of their means.
UnitFeatures dense_columns(const UnitFeatures& centred, std::span<const Index> features,
                           const RunContext& run) {
  DenseMatrix matrix(centred.n_samples(), static_cast<Index>(features.size()));
  parallel_for(run, {}, matrix.n_features(), [&](std::int64_t item) {
    const auto column = matrix.column(static_cast<Index>(item));
    expand(centred, features[item], column.data());
    const double mean =
        std::accumulate(column.begin(), column.end(), 0.0) / static_cast<double>(column.size());
    for (double& value : column) value -= mean;
  });
  UnitFeatures result;
  result.matrix = std::move(matrix);
  result.kind.assign(features.size(), FeatureKind::regular);
  result.mean.assign(features.size(), 0.0);
  return result;
}

/// Orthonormal directions of a growing basis, and what is left of the other columns.
class PivotedBasis {
 public:
  explicit PivotedBasis(DenseMatrix columns) : left_(std::move(columns)) {
    const auto d = static_cast<std::size_t>(left_.n_features());
    is_chosen_.assign(d, 0);
    squares_.assign(d, 1.0);
    products_.resize(d);
    alone_ = independence();
  }

  /// Takes the column with the most outside the span; false if nothing but rounding is left.
  [[nodiscard]] bool grow() {
    const Index best = farthest();
    if (best < 0) return false;
    is_chosen_[best] = 1;
    basis_.push_back(best);
    const auto n = static_cast<std::size_t>(left_.n_samples());
    const double inverse = 1 / std::sqrt(squares_[best]);
    std::vector<double> direction(left_.column(best).begin(), left_.column(best).end());
    for (double& value : direction) value *= inverse;
    for (Index j = 0; j < left_.n_features(); ++j) {
      if (is_chosen_[j] != 0 && j != best) continue;
      double* column = left_.column(j).data();
      const double product = dot(direction.data(), column, n);
      products_[j].push_back(product);
      add_multiple(-product, direction.data(), column, n);
      squares_[j] = dot(column, column, n);
    }
    return true;
  }

  /// A column outside the basis as a sum of the basis: R w = products, by column of the table.
  [[nodiscard]] Weights by_basis(Index column) const {
    std::vector<double> weights = products_[column];
    for (std::size_t row = weights.size(); row-- > 0;) {
      weights[row] /= products_[basis_[row]][row];
      for (std::size_t above = 0; above < row; ++above) {
        weights[above] -= products_[basis_[row]][above] * weights[row];
      }
    }
    Weights sum;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      if (std::fabs(weights[k]) > kNoWeight) sum[basis_[k]] = weights[k];
    }
    return sum;
  }

  [[nodiscard]] bool is_chosen(Index column) const noexcept { return is_chosen_[column] != 0; }

 private:
  /// How little a column correlates with the others, to start with: all have the same length, and
  /// the order of the columns shall not decide.
  [[nodiscard]] std::vector<double> independence() const {
    const Index d = left_.n_features();
    const auto n = static_cast<std::size_t>(left_.n_samples());
    std::vector<double> sums(static_cast<std::size_t>(d), 0.0);
    for (Index a = 0; a < d; ++a) {
      for (Index b = 0; b < a; ++b) {
        const double product = dot(left_.column(a).data(), left_.column(b).data(), n);
        sums[a] -= product * product;
        sums[b] -= product * product;
      }
    }
    return sums;
  }

  /// Ties: the one that is most on its own, then the lowest. -1 if there is none.
  [[nodiscard]] Index farthest() const {
    double largest = kExactRest * kExactRest;
    Index best = -1;
    for (Index j = 0; j < left_.n_features(); ++j) {
      if (is_chosen_[j] != 0 || squares_[j] <= largest * (1 - kWeightTie)) continue;
      const bool is_tied = best >= 0 && squares_[j] <= largest * (1 + kWeightTie);
      if (is_tied && alone_[j] <= alone_[best] + kWeightTie) continue;
      if (best < 0 && squares_[j] <= largest) continue;
      largest = squares_[j];
      best = j;
    }
    return best;
  }

  DenseMatrix left_;
  std::vector<char> is_chosen_;
  std::vector<double> squares_;                ///< of what is left of the columns
  std::vector<double> alone_;                  ///< the larger, the less it correlates
  std::vector<Index> basis_;                   ///< columns in the order in which they were taken
  std::vector<std::vector<double>> products_;  ///< by column, with the directions so far
};

/// In a triangle the diagonal is what each column has outside the span of those before it.
bool is_surely_independent(const DenseMatrix& triangle) {
  for (Index j = 0; j < triangle.n_features(); ++j) {
    if (std::fabs(triangle(j, j)) <= kSurelyOutside) return false;
  }
  return true;
}

}  // namespace

bool can_factorise(const UnitFeatures& centred, std::size_t n_features, const RunContext& run) {
  const auto n = static_cast<double>(centred.n_samples());
  const auto d = static_cast<double>(n_features);
  return n >= kSamplesPerTerm * d && n * d * d <= kMostWork &&
         fits_memory(2 * n * d * sizeof(double), run);
}

std::vector<Weights> circuits_of_rank(const UnitFeatures& centred, std::span<const Index> features,
                                      const RunContext& run) {
  std::vector<Weights> circuits;
  if (features.size() < 2) return circuits;
  UnitFeatures fewer = fewer_samples(dense_columns(centred, features, run), run);
  auto& triangle = std::get<DenseMatrix>(fewer.matrix);
  if (is_surely_independent(triangle)) return circuits;
  PivotedBasis basis(std::move(triangle));
  while (basis.grow()) check_stop(run);
  for (std::size_t k = 0; k < features.size(); ++k) {
    const auto column = static_cast<Index>(k);
    if (basis.is_chosen(column)) continue;
    Weights circuit{{features[k], -1.0}};
    for (const auto& [other, weight] : basis.by_basis(column)) circuit[features[other]] = weight;
    circuits.push_back(std::move(circuit));
  }
  return circuits;
}

}  // namespace sfg::detail
