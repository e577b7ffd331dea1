#include "sfg/normalise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/kernels.hpp"
#include "core/threads.hpp"
#include "sfg/error.hpp"

namespace sfg {

namespace {

/// A feature whose values differ by no more than this many roundings of the largest is constant.
constexpr double kConstantSpread = 8 * std::numeric_limits<double>::epsilon();

/// What one feature is divided by, found in a first look at it.
struct Scaling {
  FeatureKind kind = FeatureKind::regular;
  double mean = 0;   ///< in units of 2^exponent
  double norm = 1;   ///< in units of 2^exponent
  int exponent = 0;  ///< largest |value| is in [2^(exponent-1), 2^exponent)
};

/// Multiplies by 2^-exponent in two exact halves: one factor alone may be outside a double's range.
class PowerOfTwo {
 public:
  explicit PowerOfTwo(int exponent)
      : first_(std::ldexp(1.0, -(exponent / 2))),
        second_(std::ldexp(1.0, -(exponent - exponent / 2))) {}
  [[nodiscard]] double divide(double value) const noexcept { return value * first_ * second_; }

 private:
  double first_;
  double second_;
};

/// Mean and norm of the stored values and `n_zeros` further zeros. Works in units of a power of two
/// near the largest value, so that squares neither overflow nor vanish; that scaling is exact.
Scaling measure(std::span<const double> stored, Index n_samples, Centering centering) {
  Scaling result;
  const double largest = detail::max_abs(stored.data(), stored.size());
  if (largest == 0) {
    result.kind = FeatureKind::empty;
    return result;
  }
  std::frexp(largest, &result.exponent);
  const PowerOfTwo unit(result.exponent);
  const auto n_zeros = static_cast<double>(n_samples) - static_cast<double>(stored.size());
  if (centering == Centering::mean) {
    auto [low, high] = std::ranges::minmax(stored);
    if (n_zeros > 0) {
      low = std::min(low, 0.0);
      high = std::max(high, 0.0);
    }
    if (unit.divide(high) - unit.divide(low) <= kConstantSpread * unit.divide(largest)) {
      result.kind = FeatureKind::constant;
      result.mean = unit.divide(stored.front());
      return result;
    }
    double sum = 0;
    for (const double value : stored) sum += unit.divide(value);
    result.mean = sum / n_samples;
  }
  double squares = n_zeros * result.mean * result.mean;
  for (const double value : stored) {
    const double deviation = unit.divide(value) - result.mean;
    squares += deviation * deviation;
  }
  result.norm = std::sqrt(squares);
  return result;
}

void keep_scaling(const Scaling& scaling, std::size_t feature, UnitFeatures& features) {
  features.kind[feature] = scaling.kind;
  features.mean[feature] = std::ldexp(scaling.mean, scaling.exponent);
  features.norm[feature] = scaling.kind == FeatureKind::regular ? scaling.norm : 0.0;
  features.norm_exponent[feature] = scaling.exponent;
}

/// `to` has the shape of `from`, or is it.
void normalise_dense(const DenseMatrix& from, Centering centering, const RunContext& run,
                     DenseMatrix& to, UnitFeatures& features) {
  detail::parallel_for(run, {}, from.n_features(), [&](std::int64_t item) {
    const auto feature = static_cast<Index>(item);
    const auto source = from.column(feature);
    const auto target = to.column(feature);
    const Scaling scaling = measure(source, from.n_samples(), centering);
    keep_scaling(scaling, static_cast<std::size_t>(item), features);
    if (scaling.kind != FeatureKind::regular) {
      std::ranges::fill(target, 0.0);
      return;
    }
    const PowerOfTwo unit(scaling.exponent);
    for (std::size_t i = 0; i < source.size(); ++i) {
      target[i] = (unit.divide(source[i]) - scaling.mean) / scaling.norm;
    }
  });
}

void normalise_sparse(Centering centering, const RunContext& run, SparseMatrix& matrix,
                      UnitFeatures& features) {
  if (centering == Centering::mean) features.shift.assign(features.kind.size(), 0.0);
  detail::parallel_for(run, {}, matrix.n_features, [&](std::int64_t item) {
    const auto feature = static_cast<std::size_t>(item);
    const auto source = matrix.column_values(static_cast<Index>(item));
    const Scaling scaling = measure(source, matrix.n_samples, centering);
    keep_scaling(scaling, feature, features);
    double* target = matrix.values.data() + matrix.starts[feature];
    const PowerOfTwo unit(scaling.exponent);
    const bool regular = scaling.kind == FeatureKind::regular;
    for (std::size_t k = 0; k < source.size(); ++k) {
      target[k] = regular ? unit.divide(source[k]) / scaling.norm : 0.0;
    }
    if (regular && centering == Centering::mean) {
      features.shift[feature] = scaling.mean / scaling.norm;
    }
  });
}

UnitFeatures without_matrix(Index n_features) {
  UnitFeatures features;
  const auto d = static_cast<std::size_t>(n_features);
  features.kind.resize(d);
  features.mean.resize(d);
  features.norm.resize(d);
  features.norm_exponent.resize(d);
  return features;
}

double sparse_product(const SparseMatrix& sparse, Index a, Index b) {
  const auto rows_a = sparse.column_rows(a);
  const auto rows_b = sparse.column_rows(b);
  const auto values_a = sparse.column_values(a);
  const auto values_b = sparse.column_values(b);
  double product = 0;
  for (std::size_t i = 0, j = 0; i < rows_a.size() && j < rows_b.size();) {
    if (rows_a[i] < rows_b[j]) {
      ++i;
    } else if (rows_a[i] > rows_b[j]) {
      ++j;
    } else {
      product += values_a[i++] * values_b[j++];
    }
  }
  return product;
}

template <typename Value>
std::vector<Value> pick(const std::vector<Value>& from, std::span<const Index> chosen) {
  std::vector<Value> result;
  if (from.empty()) return result;
  result.reserve(chosen.size());
  for (const Index feature : chosen) result.push_back(from[feature]);
  return result;
}

}  // namespace

UnitFeatures normalise(const Matrix& matrix, const NormaliseOptions& options,
                       const RunContext& run) {
  const auto* dense = std::get_if<DenseMatrix>(&matrix);
  if (dense == nullptr) return normalise(Matrix(matrix), options, run);
  UnitFeatures features = without_matrix(n_features(matrix));
  features.density = density(matrix);
  DenseMatrix to(dense->n_samples(), dense->n_features());
  normalise_dense(*dense, options.centering, run, to, features);
  features.matrix = std::move(to);
  return features;
}

UnitFeatures normalise(Matrix&& matrix, const NormaliseOptions& options, const RunContext& run) {
  UnitFeatures features = without_matrix(n_features(matrix));
  features.density = density(matrix);
  std::visit([](auto& held) { held.own(); }, matrix);
  if (auto* dense = std::get_if<DenseMatrix>(&matrix)) {
    normalise_dense(*dense, options.centering, run, *dense, features);
  } else {
    normalise_sparse(options.centering, run, std::get<SparseMatrix>(matrix), features);
  }
  features.matrix = std::move(matrix);
  return features;
}

UnitFeatures select_features(const UnitFeatures& features, std::span<const Index> chosen) {
  UnitFeatures result;
  result.matrix = select_features(features.matrix, chosen);
  result.shift = pick(features.shift, chosen);
  result.mean = pick(features.mean, chosen);
  result.norm = pick(features.norm, chosen);
  result.norm_exponent = pick(features.norm_exponent, chosen);
  result.kind = pick(features.kind, chosen);
  result.density = features.density;
  result.gaps = select_features(features.gaps, chosen);
  return result;
}

UnitFeatures view_of(const UnitFeatures& features) {
  UnitFeatures view;
  if (const auto* dense = std::get_if<DenseMatrix>(&features.matrix)) {
    const std::size_t size = static_cast<std::size_t>(dense->n_samples()) *
                             static_cast<std::size_t>(dense->n_features());
    view.matrix = DenseMatrix(dense->n_samples(), dense->n_features(),
                              Buffer<double>::borrow({dense->data(), size}));
  } else {
    const auto& sparse = std::get<SparseMatrix>(features.matrix);
    SparseMatrix borrowed;
    borrowed.n_samples = sparse.n_samples;
    borrowed.n_features = sparse.n_features;
    borrowed.starts = sparse.starts;
    borrowed.rows = Buffer<Index>::borrow({sparse.rows.data(), sparse.rows.size()});
    borrowed.values = Buffer<double>::borrow({sparse.values.data(), sparse.values.size()});
    view.matrix = std::move(borrowed);
  }
  view.shift = features.shift;
  view.mean = features.mean;
  view.norm = features.norm;
  view.norm_exponent = features.norm_exponent;
  view.kind = features.kind;
  view.density = features.density;
  view.gaps = features.gaps;
  return view;
}

std::vector<Index> regular_features(const UnitFeatures& features) {
  std::vector<Index> regular;
  for (Index i = 0; i < features.n_features(); ++i) {
    if (features.kind[i] == FeatureKind::regular) regular.push_back(i);
  }
  return regular;
}

double log_norm(const UnitFeatures& features, Index feature) {
  const auto k = static_cast<std::size_t>(feature);
  return std::log2(features.norm[k]) + features.norm_exponent[k];
}

double inner_product(const UnitFeatures& features, Index a, Index b) {
  if (const auto* dense = std::get_if<DenseMatrix>(&features.matrix)) {
    return detail::dot(dense->column(a).data(), dense->column(b).data(),
                       static_cast<std::size_t>(dense->n_samples()));
  }
  const auto& sparse = std::get<SparseMatrix>(features.matrix);
  const double product = sparse_product(sparse, a, b);
  if (features.shift.empty()) return product;
  // sum (x_a - s_a)(x_b - s_b) = sum x_a x_b - n s_a s_b, as n s is the sum of a column.
  return product - static_cast<double>(sparse.n_samples) * features.shift[a] * features.shift[b];
}

void require_comparable(const Dataset& dataset) {
  const auto refuse = [&](const std::string& reason, const Hint& hint) {
    throw Error(ErrorCode::degenerate_data, reason, dataset.source, hint);
  };
  if (n_features(dataset.matrix) < 2) {
    refuse(
        "there is only one feature, so it cannot repeat another",
        {"features_in_rows",
         "give at least two features, or add {features_in_rows=true} if the rows of the file are "
         "features"});
  }
  if (n_samples(dataset.matrix) < 2) {
    refuse("there is only one sample, so every feature is a multiple of every other",
           {"features_in_rows",
            "give at least two samples, or add {features_in_rows=true} if the rows of the file are "
            "features"});
  }
  for (Index feature = 0; feature < n_features(dataset.matrix); ++feature) {
    const auto varies = [&](std::span<const double> values) {
      return !values.empty() &&
             std::ranges::any_of(values, [&](double value) { return value != values.front(); });
    };
    if (const auto* dense = std::get_if<DenseMatrix>(&dataset.matrix)) {
      if (varies(dense->column(feature))) return;
    } else {
      const auto& sparse = std::get<SparseMatrix>(dataset.matrix);
      const auto values = sparse.column_values(feature);
      const bool has_zeros = static_cast<Index>(values.size()) < sparse.n_samples;
      if (varies(values) || (has_zeros && !values.empty())) return;
    }
  }
  refuse("every feature is constant, so there is nothing to compare",
         {"", "check that the file holds the data you mean"});
}

}  // namespace sfg
