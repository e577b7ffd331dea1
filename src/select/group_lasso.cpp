#include "select/group_lasso.hpp"

#include <algorithm>
#include <cmath>

#include "core/kernels.hpp"
#include "core/threads.hpp"

namespace sfg::detail {

namespace {

/// From one lambda to the next.
constexpr double kLambdaRatio = 0.95;
/// The path ends at this share of the first lambda.
constexpr double kLastLambdaShare = 1e-3;
/// Largest change of a row in the last sweep, and largest excess of |x_j'R| over lambda, as a share
/// of the first lambda.
constexpr double kRowTolerance = 1e-9;
/// Sweeps at one lambda at most.
constexpr int kMostSweeps = 20000;

double length_of(const double* v, std::size_t n) {
  return std::sqrt(dot(v, v, n));
}

class GroupLasso {
 public:
  GroupLasso(const Columns& columns, const std::vector<Spread>& spreads,
             const DenseMatrix& responses, const RunContext& run)
      : columns_(columns),
        spreads_(spreads),
        rest_(responses),
        run_(run),
        n_responses_(static_cast<std::size_t>(responses.n_features())),
        row_of_(spreads.size(), -1),
        all_products_(spreads.size() * n_responses_) {
    for (const double norm : product_norms()) first_lambda_ = std::max(first_lambda_, norm);
  }

  [[nodiscard]] double first_lambda() const noexcept { return first_lambda_; }

  /// From the last minimiser on. False if it was not found to the tolerance.
  [[nodiscard]] bool minimise(double lambda) {
    for (int sweep = 0; sweep < kMostSweeps;) {
      check_stop(run_);
      double change = 2 * kRowTolerance * first_lambda_;
      for (; change > kRowTolerance * first_lambda_ && sweep < kMostSweeps; ++sweep) {
        change = 0;
        for (std::size_t k = 0; k < active_.size(); ++k) {
          change = std::max(change, improve_row(k, lambda));
        }
      }
      if (!let_in(lambda)) return change <= kRowTolerance * first_lambda_;
    }
    return false;
  }

  [[nodiscard]] GroupLassoStep step(double lambda) const {
    GroupLassoStep step{lambda, {}, {}, {}};
    for (std::size_t k = 0; k < active_.size(); ++k) {
      const double* row = rows_.data() + k * n_responses_;
      const double norm = length_of(row, n_responses_);
      if (norm == 0) continue;
      step.features.push_back(active_[k]);
      step.row_norm.push_back(norm);
      step.coefficients.insert(step.coefficients.end(), row, row + n_responses_);
    }
    return step;
  }

  [[nodiscard]] Index n_nonzero() const {
    Index count = 0;
    for (std::size_t k = 0; k < active_.size(); ++k) {
      count += length_of(rows_.data() + k * n_responses_, n_responses_) > 0 ? 1 : 0;
    }
    return count;
  }

 private:
  /// |x_j'R| of every feature.
  std::vector<double> product_norms() {
    std::vector<const double*> vectors;
    std::vector<double*> products;
    for (std::size_t r = 0; r < n_responses_; ++r) {
      vectors.push_back(rest_.column(static_cast<Index>(r)).data());
      products.push_back(all_products_.data() + r * spreads_.size());
    }
    multiply(columns_, vectors, products, run_);
    std::vector<double> norms(spreads_.size(), 0.0);
    for (std::size_t j = 0; j < norms.size(); ++j) {
      if (spreads_[j].length == 0) continue;
      double squares = 0;
      for (const double* product : products) squares += product[j] * product[j];
      norms[j] = std::sqrt(squares) / spreads_[j].length;
    }
    return norms;
  }

  /// Rows that must not stay zero become active; false if there are none.
  bool let_in(double lambda) {
    const std::vector<double> norms = product_norms();
    const std::size_t before = active_.size();
    for (std::size_t j = 0; j < norms.size(); ++j) {
      const bool is_violated = norms[j] > lambda + kRowTolerance * first_lambda_;
      if (row_of_[j] < 0 && is_violated) active_.push_back(static_cast<Index>(j));
    }
    if (active_.size() == before) return false;
    std::vector<double> rows(active_.size() * n_responses_, 0.0);
    std::ranges::sort(active_);
    for (std::size_t k = 0; k < active_.size(); ++k) {
      Index& old = row_of_[active_[k]];
      if (old >= 0) {
        std::copy_n(rows_.begin() + old * static_cast<std::ptrdiff_t>(n_responses_), n_responses_,
                    rows.begin() + static_cast<std::ptrdiff_t>(k * n_responses_));
      }
      old = static_cast<Index>(k);
    }
    rows_ = std::move(rows);
    return true;
  }

  /// w_j = u (1 - lambda / |u|) where that is positive, u = x_j'R + w_j. Returns the change.
  double improve_row(std::size_t k, double lambda) {
    const Index feature = active_[k];
    const Spread& spread = spreads_[feature];
    double* row = rows_.data() + k * n_responses_;
    row_.resize(n_responses_);
    for (std::size_t r = 0; r < n_responses_; ++r) {
      const double* rest = rest_.column(static_cast<Index>(r)).data();
      row_[r] = columns_.product(feature, rest) / spread.length + row[r];
    }
    const double length = length_of(row_.data(), n_responses_);
    const double factor = length > lambda ? 1 - lambda / length : 0.0;
    double squares = 0;
    for (std::size_t r = 0; r < n_responses_; ++r) {
      const double change = factor * row_[r] - row[r];
      if (change == 0) continue;
      // R stays centred: what the mean of x_j adds is taken back.
      const auto rest = rest_.column(static_cast<Index>(r));
      columns_.add_multiple(-change / spread.length, feature, rest.data());
      const double shift = change * spread.mean / spread.length;
      for (double& value : rest) value += shift;
      row[r] = factor * row_[r];
      squares += change * change;
    }
    return std::sqrt(squares);
  }

  const Columns& columns_;
  const std::vector<Spread>& spreads_;
  DenseMatrix rest_;  ///< R
  const RunContext& run_;
  std::size_t n_responses_;
  std::vector<Index> active_;  ///< ascending
  std::vector<double> rows_;   ///< of the active features
  std::vector<Index> row_of_;  ///< by feature: its place among the active ones, -1
  std::vector<double> all_products_;
  std::vector<double> row_;
  double first_lambda_ = 0;
};

}  // namespace

GroupLassoPath group_lasso(const Columns& columns, const std::vector<Spread>& spreads,
                           const DenseMatrix& responses, const std::vector<Index>& counts,
                           const RunContext& run) {
  GroupLasso problem(columns, spreads, responses, run);
  GroupLassoPath path;
  const double first = problem.first_lambda();
  double lambda = first;
  while (path.steps.size() < counts.size() && lambda > kLastLambdaShare * first) {
    lambda *= kLambdaRatio;
    path.exact = problem.minimise(lambda) && path.exact;
    const Index n_nonzero = problem.n_nonzero();
    while (path.steps.size() < counts.size() && counts[path.steps.size()] <= n_nonzero) {
      path.steps.push_back(problem.step(lambda));
    }
    if (run.progress && !counts.empty()) {
      run.progress("select", std::min(n_nonzero, counts.back()), counts.back());
    }
  }
  while (path.steps.size() < counts.size()) path.steps.push_back(problem.step(lambda));
  return path;
}

}  // namespace sfg::detail
