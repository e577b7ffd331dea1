#include "normalise/fewer_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/lapack.hpp"
#include "core/threads.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// A pursuit of t atoms costs about t^2 n for each feature in float64, the factorisation d n: with
/// about ten atoms it pays up to some hundred features, if there are several times more samples.
constexpr Index kMostFeatures = 512;
constexpr Index kSamplesPerFeature = 4;
/// Rows that are factorised at once, in multiples of the columns, and at least.
constexpr Index kPieceFactor = 8;
constexpr Index kSmallestPiece = 2048;

/// Householder's R of a matrix (rows >= columns), into the first rows of `r`; `a` is used up.
void factorise(std::vector<double>& a, int rows, int columns, double* r, int r_leading) {
  std::vector<double> tau(static_cast<std::size_t>(columns));
  constexpr int kBlock = 64;
  std::vector<double> work(static_cast<std::size_t>(columns) * kBlock);
  const auto work_size = static_cast<int>(work.size());
  int info = 0;
  dgeqrf_(&rows, &columns, a.data(), &rows, tau.data(), work.data(), &work_size, &info);
  if (info != 0) {
    throw Error(ErrorCode::internal, fmt::format("LAPACK's dgeqrf refused argument {}", -info));
  }
  for (int j = 0; j < columns; ++j) {
    const double* from = a.data() + static_cast<std::ptrdiff_t>(j) * rows;
    double* to = r + static_cast<std::ptrdiff_t>(j) * r_leading;
    std::copy_n(from, j + 1, to);
    std::fill(to + j + 1, to + columns, 0.0);
  }
}

}  // namespace

UnitFeatures without_matrix(const UnitFeatures& features) {
  UnitFeatures rest;
  rest.mean = features.mean;
  rest.norm = features.norm;
  rest.norm_exponent = features.norm_exponent;
  rest.kind = features.kind;
  return rest;
}

bool fewer_samples_pay(const UnitFeatures& features) {
  const Index d = features.n_features();
  return d > 0 && std::holds_alternative<DenseMatrix>(features.matrix) && d <= kMostFeatures &&
         features.n_samples() / kSamplesPerFeature >= d;
}

UnitFeatures fewer_samples(const UnitFeatures& features, const RunContext& run) {
  const auto& matrix = std::get<DenseMatrix>(features.matrix);
  const Index n = matrix.n_samples();
  const Index d = matrix.n_features();
  const SingleThreadedBlas single_threaded;
  const Index piece = std::max(kPieceFactor * d, kSmallestPiece);
  // The last piece takes the rest, so that each has more rows than columns.
  const Index n_pieces = std::max<Index>(1, n / piece);
  const Index stacked_rows = n_pieces * d;
  std::vector<double> stacked(static_cast<std::size_t>(stacked_rows) * static_cast<std::size_t>(d));
  parallel_for(run, {}, n_pieces, [&](std::int64_t item) {
    const auto begin = static_cast<Index>(item) * piece;
    const Index rows = item + 1 == n_pieces ? n - begin : piece;
    std::vector<double> part;
    part.reserve(static_cast<std::size_t>(rows) * static_cast<std::size_t>(d));
    for (Index k = 0; k < d; ++k) {
      const auto column =
          matrix.column(k).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(rows));
      part.insert(part.end(), column.begin(), column.end());
    }
    factorise(part, rows, d, stacked.data() + item * d, stacked_rows);
  });
  DenseMatrix reduced(d, d);
  factorise(stacked, stacked_rows, d, reduced.data(), d);
  UnitFeatures result = without_matrix(features);
  result.matrix = std::move(reduced);
  // In the new coordinates a feature's mean is no longer the same number in every place.
  std::ranges::fill(result.mean, 0.0);
  return result;
}

}  // namespace sfg::detail
