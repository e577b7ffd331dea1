#include "pursuit/engines/engine_form.hpp"
#include "normalise/fewer_samples.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace sfg::detail {

namespace {

/// What a zero of the data has become: -mean / norm, the same to the last bit.
double value_of_zero(const UnitFeatures& features, std::size_t feature) {
  if (features.kind[feature] != FeatureKind::regular) return 0;
  return -std::ldexp(features.mean[feature], -features.norm_exponent[feature]) /
         features.norm[feature];
}

/// A value of a dense column, and how often it is there.
struct LeftOut {
  double value = 0;
  Index count = 0;
};

/// What the sparse form of a column leaves out. Of a centred feature that is what its zeros have
/// become, if they are half of it or more: then n shift^2 <= 2, and taking the shift off again
/// costs no digits. Otherwise it is zero itself.
LeftOut left_out(const UnitFeatures& features, const DenseMatrix& matrix, Index feature) {
  const auto column = matrix.column(feature);
  const auto counted = [&](double value) {
    return LeftOut{value, static_cast<Index>(std::ranges::count(column, value))};
  };
  const double zero = value_of_zero(features, static_cast<std::size_t>(feature));
  const LeftOut zeros = counted(zero);
  if (zero == 0 || zeros.count >= matrix.n_samples() - zeros.count) return zeros;
  return counted(0);
}

const UnitFeatures& as_sparse(const UnitFeatures& features, UnitFeatures& converted) {
  const auto* dense = std::get_if<DenseMatrix>(&features.matrix);
  if (dense == nullptr) return features;
  std::vector<double> rest;
  rest.reserve(static_cast<std::size_t>(dense->n_features()));
  for (Index k = 0; k < dense->n_features(); ++k) {
    rest.push_back(left_out(features, *dense, k).value);
  }
  converted = without_matrix(features);
  converted.matrix = to_sparse(*dense, rest);
  if (std::ranges::any_of(rest, [](double value) { return value != 0; })) {
    for (double& value : rest) value = -value;
    converted.shift = std::move(rest);
  }
  return converted;
}

const UnitFeatures& as_dense(const UnitFeatures& features, UnitFeatures& converted) {
  const auto* sparse = std::get_if<SparseMatrix>(&features.matrix);
  if (sparse == nullptr) return features;
  DenseMatrix dense = to_dense(*sparse);
  for (std::size_t k = 0; k < features.shift.size(); ++k) {
    for (double& value : dense.column(static_cast<Index>(k))) value -= features.shift[k];
  }
  converted = without_matrix(features);
  converted.matrix = std::move(dense);
  return converted;
}

}  // namespace

Offset n_sparse_entries(const UnitFeatures& features, Offset enough) {
  const auto* dense = std::get_if<DenseMatrix>(&features.matrix);
  if (dense == nullptr) return n_stored(features.matrix);
  Offset count = 0;
  for (Index k = 0; k < dense->n_features() && count < enough; ++k) {
    count += dense->n_samples() - left_out(features, *dense, k).count;
  }
  return count;
}

const UnitFeatures& in_engine_form(const UnitFeatures& features, Engine engine,
                                   UnitFeatures& converted) {
  return engine == Engine::sparse ? as_sparse(features, converted) : as_dense(features, converted);
}

}  // namespace sfg::detail
