#include "embed/sample_products.hpp"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/kernels.hpp"
#include "core/threads.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// Below this share of nonzero entries their products are less work than a dense product.
constexpr double kSparseDensity = 0.03;

/// Samples one after the other, as the kernel reads those of a strip.
void pack_strip(const DenseMatrix& data, Index begin, Index end, std::vector<double>& out) {
  const auto p = static_cast<std::size_t>(data.n_features());
  const auto count = static_cast<std::size_t>(end - begin);
  out.resize(count * p);
  for (std::size_t k = 0; k < p; ++k) {
    const double* column = data.column(static_cast<Index>(k)).data() + begin;
    for (std::size_t i = 0; i < count; ++i) out[i * p + k] = column[i];
  }
}

/// kEight samples interleaved; those from `end` on are zero.
void pack_eight(const DenseMatrix& data, Index begin, Index end, std::vector<double>& out) {
  const auto p = static_cast<std::size_t>(data.n_features());
  const auto count = static_cast<std::size_t>(end - begin);
  out.resize(kEight * p);
  const double* from = data.data() + begin;
  const auto n = static_cast<std::size_t>(data.n_samples());
  for (std::size_t k = 0; k < p; ++k, from += n) {
    double* to = out.data() + k * kEight;
    if (count == kEight) {
      std::memcpy(to, from, kEight * sizeof(double));
    } else {
      std::fill(std::copy_n(from, count, to), to + kEight, 0.0);
    }
  }
}

std::vector<double> sums_of_squares(const Matrix& data) {
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
    : squared_length_(sums_of_squares(data)) {
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

void SampleProducts::visit_tiles(Index begin, Index end, Scratch& scratch,
                                 const Visitor& visit) const {
  const Index leading = dense_ != nullptr ? tile_width() : end;
  scratch.products.resize(static_cast<std::size_t>(end - begin) *
                          static_cast<std::size_t>(leading));
  double* out = scratch.products.data();
  if (dense_ == nullptr) {
    sparse_strip(begin, end, end, out);
  } else {
    pack_strip(*dense_, begin, end, scratch.strip);
  }
  for (Index first = 0; first < end; first += kTileSamples) {
    const Index last = std::min(end, first + kTileSamples);
    if (dense_ != nullptr) dense_tile(end - begin, first, last, scratch);
    visit(first, last, dense_ != nullptr ? out : out + first, leading);
  }
}

double SampleProducts::scratch_size() const noexcept {
  if (dense_ == nullptr) return static_cast<double>(kStripSamples) * n_samples();
  const double rows = std::min(kStripSamples, n_samples());
  return rows * (tile_width() + kEight) + (rows + kEight) * dense_->n_features();
}

/// Eights of samples, all of them if they are few.
Index SampleProducts::tile_width() const noexcept {
  constexpr auto kOthers = static_cast<Index>(kEight);
  return std::min(kTileSamples, (n_samples() + kOthers - 1) / kOthers * kOthers);
}

/// Eight others at a time, all samples of the strip: the same bits on every machine.
void SampleProducts::dense_tile(Index n_rows, Index first, Index last, Scratch& scratch) const {
  const auto p = static_cast<std::size_t>(dense_->n_features());
  const auto rows = static_cast<std::size_t>(n_rows);
  constexpr auto kOthers = static_cast<Index>(kEight);
  const auto leading = static_cast<std::size_t>(tile_width());
  scratch.eight.resize(rows * kEight);
  for (Index others = first; others < last; others += kOthers) {
    pack_eight(*dense_, others, std::min(last, others + kOthers), scratch.others);
    multiply_by_eight(scratch.strip.data(), p, rows, scratch.others.data(), scratch.eight.data());
    double* to = scratch.products.data() + (others - first);
    for (std::size_t i = 0; i < rows; ++i) {
      std::memcpy(to + i * leading, scratch.eight.data() + i * kEight, kEight * sizeof(double));
    }
  }
}

void SampleProducts::dense_strip(Index begin, Index end, Index n_others, double* out) const {
  // Columns of the data are features, of length n: X_strip X_others' with both as they lie there.
  for (Index first = 0; first < n_others; first += kTileSamples) {
    const Index others = std::min(kTileSamples, n_others - first);
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

}  // namespace sfg::detail
