#include "normalise/products.hpp"

#include <cblas.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "core/kernels.hpp"

namespace sfg::detail {

namespace {

/// Features that are expanded at once.
constexpr std::size_t kColumns = 128;

/// The columns side by side.
void gather(const DenseMatrix& matrix, std::span<const Index> features, std::vector<double>& to) {
  const auto n = static_cast<std::size_t>(matrix.n_samples());
  to.resize(n * features.size());
  for (std::size_t k = 0; k < features.size(); ++k) {
    std::ranges::copy(matrix.column(features[k]), to.begin() + static_cast<std::ptrdiff_t>(k * n));
  }
}

/// With f = c - s 1: f'Hf = c'Hc - 2 s c'(H1) + s^2 1'H1, from the entries of c only.
void sparse_quadratic_forms(const UnitFeatures& features, const SparseMatrix& sparse,
                            std::span<const Index> chosen, const double* h, double* out) {
  const auto n = static_cast<std::size_t>(sparse.n_samples);
  std::vector<double> row_sums(n);
  if (!features.shift.empty()) {
    for (std::size_t i = 0; i < n; ++i)
      row_sums[i] = std::accumulate(h + i * n, h + (i + 1) * n, 0.0);
  }
  const double total = std::accumulate(row_sums.begin(), row_sums.end(), 0.0);
  for (std::size_t f = 0; f < chosen.size(); ++f) {
    const auto rows = sparse.column_rows(chosen[f]);
    const auto values = sparse.column_values(chosen[f]);
    const double shift = features.shift.empty() ? 0.0 : features.shift[chosen[f]];
    double form = shift * shift * total;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = static_cast<std::size_t>(rows[i]);
      double image = -2 * shift * row_sums[row];
      for (std::size_t j = 0; j < rows.size(); ++j)
        image += values[j] * h[row * n + static_cast<std::size_t>(rows[j])];
      form += values[i] * image;
    }
    out[f] = form;
  }
}

/// With f = c - s 1: sum ff' = sum cc' - a 1' - 1 a' + t 11', a = sum s c, t = sum s^2.
std::vector<double> sparse_outer_products(const UnitFeatures& features, const SparseMatrix& sparse,
                                          std::span<const Index> chosen) {
  const auto n = static_cast<std::size_t>(sparse.n_samples);
  std::vector<double> outer(n * n, 0.0);
  std::vector<double> shifted(n, 0.0);
  double squares = 0;
  for (const Index feature : chosen) {
    const auto rows = sparse.column_rows(feature);
    const auto values = sparse.column_values(feature);
    const double shift = features.shift.empty() ? 0.0 : features.shift[feature];
    squares += shift * shift;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double* column = outer.data() + static_cast<std::size_t>(rows[i]) * n;
      for (std::size_t j = 0; j < rows.size(); ++j) column[rows[j]] += values[i] * values[j];
      shifted[rows[i]] += shift * values[i];
    }
  }
  if (features.shift.empty()) return outer;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) outer[i * n + j] += squares - shifted[i] - shifted[j];
  }
  return outer;
}

}  // namespace

void FeatureProducts::operator()(std::span<const Index> left, std::span<const Index> right,
                                 double* out) {
  if (left.empty() || right.empty()) return;
  const auto* dense = std::get_if<DenseMatrix>(&features_.matrix);
  if (dense == nullptr) {
    sparse_products(std::get<SparseMatrix>(features_.matrix), left, right, out);
    return;
  }
  gather(*dense, left, left_columns_);
  gather(*dense, right, right_columns_);
  const auto n = static_cast<int>(dense->n_samples());
  const auto rows = static_cast<int>(left.size());
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, rows, static_cast<int>(right.size()), n, 1.0,
              left_columns_.data(), n, right_columns_.data(), n, 0.0, out, rows);
}

void FeatureProducts::sparse_products(const SparseMatrix& sparse, std::span<const Index> left,
                                      std::span<const Index> right, double* out) {
  scattered_.resize(static_cast<std::size_t>(sparse.n_samples), 0.0);
  const bool centred = !features_.shift.empty();
  for (std::size_t j = 0; j < right.size(); ++j) {
    const auto rows = sparse.column_rows(right[j]);
    const auto values = sparse.column_values(right[j]);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      scattered_[rows[k]] = values[k];
    }
    // sum (x_a - s_a)(x_b - s_b) = sum x_a x_b - n s_a s_b, as n s is the sum of a column.
    const double shift =
        centred ? static_cast<double>(sparse.n_samples) * features_.shift[right[j]] : 0.0;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const auto left_rows = sparse.column_rows(left[i]);
      const auto left_values = sparse.column_values(left[i]);
      double product = centred ? -shift * features_.shift[left[i]] : 0.0;
      for (std::size_t k = 0; k < left_rows.size(); ++k) {
        product += left_values[k] * scattered_[left_rows[k]];
      }
      out[j * left.size() + i] = product;
    }
    for (const Index row : rows) scattered_[row] = 0;
  }
}

void multiply(const UnitFeatures& features, Index first, Index count, const double* vectors,
              std::size_t n_vectors, double* out) {
  const auto n = static_cast<std::size_t>(features.n_samples());
  if (const auto* dense = std::get_if<DenseMatrix>(&features.matrix)) {
    const auto kernel = n_vectors == kFour ? multiply_by_four : multiply_by_eight;
    kernel(dense->column(first).data(), n, static_cast<std::size_t>(count), vectors, out);
    return;
  }
  const auto& sparse = std::get<SparseMatrix>(features.matrix);
  std::array<double, kEight> sums{};
  if (!features.shift.empty()) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t v = 0; v < kEight; ++v) sums[v] += vectors[i * kEight + v];
    }
  }
  for (Index j = 0; j < count; ++j) {
    const auto rows = sparse.column_rows(first + j);
    const auto values = sparse.column_values(first + j);
    const double shift = features.shift.empty() ? 0.0 : features.shift[first + j];
    double* to = out + static_cast<std::size_t>(j) * kEight;
    for (std::size_t v = 0; v < kEight; ++v) to[v] = -shift * sums[v];
    for (std::size_t k = 0; k < rows.size(); ++k) {
      add_multiple(values[k], vectors + static_cast<std::size_t>(rows[k]) * kEight, to, kEight);
    }
  }
}

void expand(const UnitFeatures& features, Index feature, double* out) {
  if (const auto* dense = std::get_if<DenseMatrix>(&features.matrix)) {
    std::ranges::copy(dense->column(feature), out);
    return;
  }
  const auto& sparse = std::get<SparseMatrix>(features.matrix);
  const double shift = features.shift.empty() ? 0.0 : features.shift[feature];
  std::fill_n(out, sparse.n_samples, -shift);
  const auto rows = sparse.column_rows(feature);
  const auto values = sparse.column_values(feature);
  for (std::size_t k = 0; k < rows.size(); ++k) out[rows[k]] += values[k];
}

std::vector<double> outer_products(const UnitFeatures& features, std::span<const Index> chosen) {
  if (const auto* sparse = std::get_if<SparseMatrix>(&features.matrix)) {
    return sparse_outer_products(features, *sparse, chosen);
  }
  const auto n = static_cast<std::size_t>(features.n_samples());
  const auto size = static_cast<int>(n);
  std::vector<double> outer(n * n, 0.0);
  std::vector<double> columns(n * kColumns);
  for (std::size_t first = 0; first < chosen.size(); first += kColumns) {
    const std::size_t count = std::min(kColumns, chosen.size() - first);
    for (std::size_t k = 0; k < count; ++k) {
      expand(features, chosen[first + k], columns.data() + k * n);
    }
    cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, size, static_cast<int>(count), 1.0,
                columns.data(), size, 1.0, outer.data(), size);
  }
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < j; ++i) outer[i * n + j] = outer[j * n + i];
  }
  return outer;
}

void quadratic_forms(const UnitFeatures& features, std::span<const Index> chosen, const double* h,
                     double* out) {
  if (const auto* sparse = std::get_if<SparseMatrix>(&features.matrix)) {
    sparse_quadratic_forms(features, *sparse, chosen, h, out);
    return;
  }
  const auto n = static_cast<std::size_t>(features.n_samples());
  const auto size = static_cast<int>(n);
  const std::size_t width = std::min(kColumns, chosen.size());
  std::vector<double> columns(n * width);
  std::vector<double> images(n * width);
  for (std::size_t first = 0; first < chosen.size(); first += kColumns) {
    const std::size_t count = std::min(kColumns, chosen.size() - first);
    for (std::size_t k = 0; k < count; ++k) {
      expand(features, chosen[first + k], columns.data() + k * n);
    }
    cblas_dsymm(CblasColMajor, CblasLeft, CblasUpper, size, static_cast<int>(count), 1.0, h, size,
                columns.data(), size, 0.0, images.data(), size);
    for (std::size_t k = 0; k < count; ++k) {
      out[first + k] = dot(columns.data() + k * n, images.data() + k * n, n);
    }
  }
}

}  // namespace sfg::detail
