// Products from the nonzero entries: rows of the vector are scattered into a dense row of scores.
#include <algorithm>
#include <cmath>

#include "core/kernels.hpp"
#include "core/threads.hpp"
#include "pursuit/scorer.hpp"
#include "pursuit/tolerances.hpp"

namespace sfg::detail {

namespace {

/// Room for the parts of the rounding analysis that are of lower order.
constexpr double kBoundMargin = 4;

/// The entries by sample, without those of repeated features. Samples are the columns of the
/// result.
SparseMatrix rows_of(const SparseMatrix& matrix, const Duplicates& duplicates) {
  SparseMatrix rows;
  rows.n_samples = matrix.n_features;
  rows.n_features = matrix.n_samples;
  rows.starts.assign(static_cast<std::size_t>(matrix.n_samples) + 1, 0);
  const auto each_entry = [&](const auto& visit) {
    for (Index k = 0; k < matrix.n_features; ++k) {
      if (duplicates.repeated(k)) continue;
      const auto samples = matrix.column_rows(k);
      const auto values = matrix.column_values(k);
      for (std::size_t e = 0; e < samples.size(); ++e) {
        visit(static_cast<std::size_t>(samples[e]), k, values[e]);
      }
    }
  };
  each_entry([&](std::size_t sample, Index, double) { ++rows.starts[sample + 1]; });
  for (std::size_t i = 1; i < rows.starts.size(); ++i) rows.starts[i] += rows.starts[i - 1];
  rows.rows.resize(static_cast<std::size_t>(rows.starts.back()));
  rows.values.resize(rows.rows.size());
  std::vector<Offset> next(rows.starts.begin(), rows.starts.end() - 1);
  each_entry([&](std::size_t sample, Index k, double value) {
    const auto place = static_cast<std::size_t>(next[sample]++);
    rows.rows[place] = k;
    rows.values[place] = value;
  });
  return rows;
}

class SparseScorer final : public Scorer<double> {
 public:
  SparseScorer(const UnitFeatures& dictionary, const Duplicates& duplicates)
      : by_row_(rows_of(std::get<SparseMatrix>(dictionary.matrix), duplicates)),
        shift_(dictionary.shift) {
    // Their entries are not there, so that their products must come out as 0.
    for (std::size_t k = 0; k < shift_.size(); ++k) {
      if (duplicates.repeated(static_cast<Index>(k))) shift_[k] = 0;
    }
    double largest = 0;
    for (const double shift : shift_) largest = std::max(largest, std::fabs(shift));
    // |x_k| / norm_k = sqrt(1 + n shift_k^2): how much longer a column is than its centred self.
    longest_column_ = std::sqrt(1 + by_row_.n_features * largest * largest);
  }

  /// v = s + rest * 1 with s zero outside the rows that have a place:
  ///   <f_k, v> = sum_(r in rows) (v_r - rest) x_rk + rest * n * shift_k
  /// (the column sum of x_k is n shift_k, and a centred v sums to zero).
  void products(std::span<const Query> queries, int, double* products,
                double* error_bounds) override {
    const auto d = static_cast<std::size_t>(by_row_.n_samples);
    for (const Query& query : queries) {
      const SampleVector& vector = *query.vector;
      const double rest = vector[0];
      for (std::size_t k = 0; k < d; ++k) {
        products[k] = shift_.empty() ? 0.0 : rest * by_row_.n_features * shift_[k];
      }
      for (std::size_t place = 0; place < query.rows.size(); ++place) {
        const double value = vector[place + 1] - rest;
        if (value == 0) continue;
        const auto features = by_row_.column_rows(query.rows[place]);
        const auto values = by_row_.column_values(query.rows[place]);
        for (std::size_t k = 0; k < features.size(); ++k) {
          products[static_cast<std::size_t>(features[k])] += value * values[k];
        }
      }
      products += d;
      *error_bounds++ = error_bound(query);
    }
  }

 private:
  [[nodiscard]] double error_bound(const Query& query) const {
    const auto& vector = *query.vector;
    const double shared =
        static_cast<double>(by_row_.n_features) - static_cast<double>(query.rows.size());
    const double length = std::sqrt(dot(vector.data() + 1, vector.data() + 1, vector.size() - 1) +
                                    shared * vector[0] * vector[0]);
    // Taking `rest` off every entry at most doubles the length of what is summed.
    return 2 * kBoundMargin * (by_row_.n_features + kBoundMargin) * kUnitRoundoff *
           longest_column_ * length;
  }

  SparseMatrix by_row_;  ///< the data with samples as columns: by_row_.n_features samples
  std::vector<double> shift_;
  double longest_column_ = 1;
};

}  // namespace

std::unique_ptr<Scorer<double>> make_sparse_scorer(const UnitFeatures& dictionary,
                                                   const Duplicates& duplicates, const Run&) {
  return std::make_unique<SparseScorer>(dictionary, duplicates);
}

}  // namespace sfg::detail
