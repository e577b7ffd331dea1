#include <fmt/format.h>

#include <cmath>
#include <span>

#include "core/threads.hpp"
#include "sfg/cluster.hpp"
#include "sfg/error.hpp"

namespace sfg {

namespace {

void check_count(double value, Index sample, Index feature) {
  if (value >= 0) return;
  throw Error(ErrorCode::degenerate_data,
              fmt::format("tf-idf weighting is for counts: the value {} of sample {}, feature {} "
                          "is negative; leave the weighting out",
                          value, sample + 1, feature + 1));
}

/// ln((1 + n) / (1 + df)) + 1
double inverse_frequency(Index n_samples, Index n_with_word) {
  return std::log((1.0 + n_samples) / (1.0 + n_with_word)) + 1;
}

void weigh(std::span<double> values, Index n_samples, Index n_with_word) {
  const double factor = inverse_frequency(n_samples, n_with_word);
  for (double& value : values) value = std::log1p(value) * factor;
}

/// 1 / length, 0 for samples without words.
void invert_lengths(std::vector<double>& squared_lengths) {
  for (double& sum : squared_lengths) sum = sum > 0 ? 1 / std::sqrt(sum) : 0;
}

void apply(DenseMatrix& matrix, const RunContext& run) {
  const Index n = matrix.n_samples();
  detail::parallel_for(run, {}, matrix.n_features(), [&](std::int64_t item) {
    const auto feature = static_cast<Index>(item);
    const auto column = matrix.column(feature);
    Index n_with_word = 0;
    for (Index i = 0; i < n; ++i) {
      const double value = column[i];
      check_count(value, i, feature);
      n_with_word += value > 0 ? 1 : 0;
    }
    weigh(column, n, n_with_word);
  });
  std::vector<double> scale(static_cast<std::size_t>(n), 0.0);
  for (Index k = 0; k < matrix.n_features(); ++k) {
    const auto column = matrix.column(k);
    for (std::size_t i = 0; i < scale.size(); ++i) scale[i] += column[i] * column[i];
  }
  invert_lengths(scale);
  for (Index k = 0; k < matrix.n_features(); ++k) {
    const auto column = matrix.column(k);
    for (std::size_t i = 0; i < scale.size(); ++i) column[i] *= scale[i];
  }
}

void apply(SparseMatrix& matrix, const RunContext& run) {
  detail::parallel_for(run, {}, matrix.n_features, [&](std::int64_t item) {
    const auto feature = static_cast<Index>(item);
    const auto rows = matrix.column_rows(feature);
    const std::span<double> values(matrix.values.data() + matrix.starts[item], rows.size());
    for (std::size_t e = 0; e < rows.size(); ++e) check_count(values[e], rows[e], feature);
    weigh(values, matrix.n_samples, static_cast<Index>(rows.size()));
  });
  std::vector<double> scale(static_cast<std::size_t>(matrix.n_samples), 0.0);
  for (std::size_t e = 0; e < matrix.rows.size(); ++e) {
    scale[matrix.rows[e]] += matrix.values[e] * matrix.values[e];
  }
  invert_lengths(scale);
  for (std::size_t e = 0; e < matrix.rows.size(); ++e) {
    matrix.values[e] *= scale[matrix.rows[e]];
  }
}

}  // namespace

Matrix tfidf(Matrix counts, const RunContext& run) {
  std::visit(
      [&](auto& matrix) {
        matrix.own();
        apply(matrix, run);
      },
      counts);
  return counts;
}

}  // namespace sfg
