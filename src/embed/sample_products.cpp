#include "embed/sample_products.hpp"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/threads.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// Below this share of nonzero entries their products are less work than a dense product.
constexpr double kSparseDensity = 0.03;
/// Samples that a strip is multiplied with at once: fixed, since the digits may depend on it.
constexpr Index kOtherSamples = 512;
/// Squared distances below this share of the two squared lengths are rounding: sums of d products
/// in float64 are off by about sqrt(d) units of 1e-16.
constexpr double kDistanceRounding = 1e-13;

std::vector<double> squared_lengths(const Matrix& data) {
  std::vector<double> sums(static_cast<std::size_t>(n_samples(data)), 0.0);
  for (Index k = 0; k < n_features(data); ++k) {
    if (const auto* dense = std::get_if<DenseMatrix>(&data)) {
      const auto column = dense->column(k);
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += column[i] * column[i];
    } else {
      const auto& sparse = std::get<SparseMatrix>(data);
      const auto rows = sparse.column_rows(k);
      const auto values = sparse.column_values(k);
      for (std::size_t e = 0; e < rows.size(); ++e) {
        sums[rows[e]] += values[e] * values[e];
      }
    }
  }
  return sums;
}

}  // namespace

SampleProducts::SampleProducts(const Matrix& data, const RunContext& run)
    : squared_length_(squared_lengths(data)) {
  check_stop(run);
  if (squared_length_.empty()) throw Error(ErrorCode::degenerate_data, "there are no samples");
  const auto bad =
      std::ranges::find_if(squared_length_, [](double sum) { return !std::isfinite(sum); });
  if (bad != squared_length_.end()) {
    throw Error(ErrorCode::degenerate_data,
                fmt::format("sample {} has missing values or values too large to square; fill "
                            "them in, or scale the features first",
                            bad - squared_length_.begin() + 1));
  }
  if (const auto* sparse = std::get_if<SparseMatrix>(&data)) {
    features_ = sparse;
  } else if (density(data) < kSparseDensity) {
    copy_ = to_sparse(std::get<DenseMatrix>(data));
    features_ = &copy_;
  } else {
    dense_ = &std::get<DenseMatrix>(data);
    return;
  }
  samples_ = std::get<SparseMatrix>(transpose(*features_));
}

void SampleProducts::strip(Index begin, Index end, Index n_others, double* out) const {
  if (dense_ != nullptr) {
    dense_strip(begin, end, n_others, out);
  } else {
    sparse_strip(begin, end, n_others, out);
  }
}

void SampleProducts::dense_strip(Index begin, Index end, Index n_others, double* out) const {
  // Columns of the data are features, of length n: X_strip X_others' with both as they lie there.
  for (Index first = 0; first < n_others; first += kOtherSamples) {
    const Index others = std::min(kOtherSamples, n_others - first);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, others, end - begin, dense_->n_features(),
                1.0, dense_->data() + first, dense_->n_samples(), dense_->data() + begin,
                dense_->n_samples(), 0.0, out + first, n_others);
  }
}

void SampleProducts::sparse_strip(Index begin, Index end, Index n_others, double* out) const {
  for (Index i = begin; i < end; ++i) {
    double* row = out + static_cast<std::ptrdiff_t>(i - begin) * n_others;
    std::fill_n(row, n_others, 0.0);
    const auto features = samples_.column_rows(i);
    const auto values = samples_.column_values(i);
    for (std::size_t f = 0; f < features.size(); ++f) {
      const auto others = features_->column_rows(features[f]);
      const auto other_values = features_->column_values(features[f]);
      for (std::size_t e = 0; e < others.size() && others[e] < n_others; ++e) {
        row[others[e]] += values[f] * other_values[e];
      }
    }
  }
}

double SampleProducts::squared_distance(Index i, Index j, double product) const noexcept {
  const double lengths = squared_length(i) + squared_length(j);
  const double squared = lengths - 2 * product;
  return squared > kDistanceRounding * lengths ? squared : 0.0;
}

}  // namespace sfg::detail
