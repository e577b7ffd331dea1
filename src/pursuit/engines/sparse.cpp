// Products from the nonzero entries: rows of the vector are scattered into a dense row of scores.
#include <algorithm>
#include <cmath>

#include "core/kernels.hpp"
#include "core/threads.hpp"
#include "pursuit/engines/product_finder.hpp"
#include "pursuit/omp/tolerances.hpp"

namespace sfg::detail {

namespace {

/// Room for the parts of the rounding analysis that are of lower order.
constexpr double kSparseBoundMargin = 4;

/// The same matrix with nothing in the columns of repeated features.
SparseMatrix without_repeated(const SparseMatrix& matrix, const Duplicates& duplicates) {
  SparseMatrix rest;
  rest.n_samples = matrix.n_samples;
  rest.n_features = matrix.n_features;
  rest.starts.assign(1, 0);
  for (Index k = 0; k < matrix.n_features; ++k) {
    if (!duplicates.repeated(k)) {
      rest.rows.append(matrix.column_rows(k));
      rest.values.append(matrix.column_values(k));
    }
    rest.starts.push_back(static_cast<Offset>(rest.rows.size()));
  }
  return rest;
}

class SparseProducts {
 public:
  using Value = double;

  SparseProducts(const UnitFeatures& dictionary, const Duplicates& duplicates)
      : by_row_(std::get<SparseMatrix>(
            transpose(without_repeated(std::get<SparseMatrix>(dictionary.matrix), duplicates)))),
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
  void products(std::span<const ProductVector> vectors, int, double* products,
                double* error_bounds) const {
    const auto d = static_cast<std::size_t>(by_row_.n_samples);
    for (const ProductVector& wanted : vectors) {
      const SampleVector& vector = *wanted.vector;
      const double rest = vector[0];
      for (std::size_t k = 0; k < d; ++k) {
        products[k] = shift_.empty() ? 0.0 : rest * by_row_.n_features * shift_[k];
      }
      for (std::size_t place = 0; place < wanted.rows.size(); ++place) {
        const double value = vector[place + 1] - rest;
        if (value == 0) continue;
        const auto features = by_row_.column_rows(wanted.rows[place]);
        const auto values = by_row_.column_values(wanted.rows[place]);
        for (std::size_t k = 0; k < features.size(); ++k) {
          products[features[k]] += value * values[k];
        }
      }
      products += d;
      *error_bounds++ = error_bound(wanted);
    }
  }

  [[nodiscard]] static std::string kernel_name() { return {}; }

 private:
  [[nodiscard]] double error_bound(const ProductVector& wanted) const {
    const auto& vector = *wanted.vector;
    const double shared =
        static_cast<double>(by_row_.n_features) - static_cast<double>(wanted.rows.size());
    const double length = std::sqrt(dot(vector.data() + 1, vector.data() + 1, vector.size() - 1) +
                                    shared * vector[0] * vector[0]);
    // Taking `rest` off every entry at most doubles the length of what is summed.
    return 2 * kSparseBoundMargin * (by_row_.n_features + kSparseBoundMargin) * kUnitRoundoff *
           longest_column_ * length;
  }

  SparseMatrix by_row_;  ///< the data with samples as columns: by_row_.n_features samples
  std::vector<double> shift_;
  double longest_column_ = 1;
};

}  // namespace

std::unique_ptr<CandidateFinder> make_sparse_finder(const UnitFeatures& dictionary,
                                                    const Duplicates& duplicates,
                                                    const RunContext& run) {
  return std::make_unique<ProductFinder<SparseProducts>>(
      SparseProducts(dictionary, duplicates), dictionary.n_features(), worker_count(run));
}

}  // namespace sfg::detail
