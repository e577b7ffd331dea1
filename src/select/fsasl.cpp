// Du, Shen: Unsupervised feature selection with adaptive structure learning (2015).
#include <algorithm>
#include <cmath>

#include "core/kernels.hpp"
#include "core/memory.hpp"
#include "core/threads.hpp"
#include "select/fsasl_steps.hpp"
#include "select/sample_gram.hpp"
#include "select/selectors.hpp"

namespace sfg::detail {

namespace {

/// |w_j| is counted as sqrt(|w_j|^2 + e^2), with e this share of the mean row at the start: a row
/// of zeros would otherwise never come back, and divide by zero.
constexpr double kRowFloor = 1e-6;
/// Share of the objective that rounding may add where nothing is left to gain: the eigenvectors of
/// K down to 1e-12 of the largest eigenvalue are told from rounding, the others are left out.
constexpr double kObjectiveRounding = 1e-9;
/// Matrices of samples x samples that a round holds at most.
constexpr double kMatrices = 7;

/// Alternates over S, P and W. The objective, with mu_i per sample and the norms smoothed as above:
///   sum_i |z_i - sum_j s_ij z_j|^2 + alpha |S|_1
///     + beta sum_ij (|z_i - z_j|^2 p_ij + mu_i p_ij^2) + gamma sum_j |w_j|
class Fsasl {
 public:
  Fsasl(const Matrix& features, const SelectOptions& options, const RunContext& run)
      : features_(features),
        options_(options),
        run_(run),
        neighbours_(*options.n_neighbors > 0 ? *options.n_neighbors : n_samples(features)),
        n_(n_samples(features)),
        representation_(static_cast<std::size_t>(n_)),
        near_(static_cast<std::size_t>(n_)),
        mu_(static_cast<std::size_t>(n_)) {
    start();
  }

  /// One round over S, P and W.
  void improve() {
    represent_samples(projection_.projected, alpha_, representation_, run_);
    find_neighbours();
    projection_ = project(features_, structure_matrix(representation_, near_, options_.fsasl.beta),
                          smoothed_norms(), gamma_, options_.n_responses, run_);
  }

  [[nodiscard]] double objective() const {
    const DenseMatrix& z = projection_.projected;
    double sum = 0;
    for (Index i = 0; i < n_; ++i) {
      sum += representation_cost(z, i, representation_[i], alpha_);
      const SparseRow& near = near_[i];
      const std::vector<double> distances = squared_distances(z, i);
      for (std::size_t k = 0; k < near.places.size(); ++k) {
        const double share = near.values[k];
        sum += options_.fsasl.beta * share * (distances[near.places[k]] + mu_[i] * share);
      }
    }
    for (const double norm : smoothed_norms()) sum += gamma_ * norm;
    return sum;
  }

  [[nodiscard]] const std::vector<double>& row_norm() const noexcept {
    return projection_.row_norm;
  }
  [[nodiscard]] Index dimension() const noexcept { return projection_.projected.n_samples(); }

 private:
  /// Neighbours in the data, no representation, all features alike: gives the first W, and with it
  /// the natural sizes that alpha and gamma are shares of.
  void start() {
    const auto d = static_cast<std::size_t>(n_features(features_));
    const DenseMatrix gram = sample_gram(features_, std::vector<double>(d, 1.0), run_);
    double trace = 0;
    for (Index i = 0; i < n_; ++i) {
      trace += gram(i, i);
      std::vector<double> distances(static_cast<std::size_t>(n_));
      for (Index j = 0; j < n_; ++j) {
        distances[j] = std::max(0.0, gram(i, i) + gram(j, j) - 2 * gram(i, j));
      }
      near_[i] = share_neighbours(distances, i, neighbourhood_weight(distances, i, neighbours_));
    }
    const std::vector<double> halves(d, 0.5);  // D = I
    projection_ = project(features_, structure_matrix(representation_, near_, options_.fsasl.beta),
                          halves, options_.fsasl.gamma * trace / n_, options_.n_responses, run_);
    double all = 0;
    for (const double norm : projection_.row_norm) all += norm;
    floor_ = kRowFloor * all / static_cast<double>(d);
    gamma_ = options_.fsasl.gamma * dimension() / all;
    alpha_ = options_.fsasl.alpha * mean_largest_alpha();
    for (Index i = 0; i < n_; ++i) {
      mu_[i] = neighbourhood_weight(squared_distances(projection_.projected, i), i, neighbours_);
    }
  }

  /// No s_ij is nonzero from alpha = 2 max_j |<z_i, z_j>| on; the mean of that.
  [[nodiscard]] double mean_largest_alpha() const {
    const DenseMatrix& z = projection_.projected;
    const auto c = static_cast<std::size_t>(z.n_samples());
    double sum = 0;
    for (Index i = 0; i < n_; ++i) {
      double largest = 0;
      for (Index j = 0; j < n_; ++j) {
        if (j == i) continue;
        largest = std::max(largest, std::fabs(dot(z.column(i).data(), z.column(j).data(), c)));
      }
      sum += 2 * largest;
    }
    return sum / n_;
  }

  void find_neighbours() {
    parallel_for(run_, {}, n_, [&](std::int64_t item) {
      const auto i = static_cast<Index>(item);
      near_[i] = share_neighbours(squared_distances(projection_.projected, i), i, mu_[i]);
    });
  }

  [[nodiscard]] std::vector<double> smoothed_norms() const {
    std::vector<double> norms = projection_.row_norm;
    for (double& norm : norms) norm = std::hypot(norm, floor_);
    return norms;
  }

  const Matrix& features_;
  const SelectOptions& options_;
  const RunContext& run_;
  Index neighbours_;
  Index n_;
  SparseRows representation_;  ///< S
  SparseRows near_;            ///< P
  std::vector<double> mu_;     ///< fixed after the start: part of the objective
  Projection projection_;
  double alpha_ = 0;
  double gamma_ = 0;
  double floor_ = 0;
};

}  // namespace

void select_by_fsasl(const Matrix& features, const SelectOptions& options, const RunContext& run,
                     SelectResult& result) {
  const double n = n_samples(features);
  require_memory(kMatrices * sizeof(double) * n * n, run, "FSASL",
                 "raise {memory_limit} or use MCFS");
  Fsasl fsasl(features, options, run);
  result.status = SelectStatus::reached_max_rounds;
  result.scores = fsasl.row_norm();
  for (int round = 0; round < options.fsasl.max_iter; ++round) {
    check_stop(run);
    fsasl.improve();
    const double now = fsasl.objective();
    const double before = result.objective.empty() ? now : result.objective.back();
    if (now > before) {
      const bool rounding = now - before <= kObjectiveRounding * before;
      result.status = rounding ? SelectStatus::done : SelectStatus::stalled;
      break;
    }
    result.objective.push_back(now);
    result.scores = fsasl.row_norm();
    if (round > 0 && before - now <= options.fsasl.tol * before) {
      result.status = SelectStatus::done;
      break;
    }
  }
  result.n_responses = fsasl.dimension();
  result.order = ScoreOrder::largest_first;
  select_by_scores(options, result);
}

}  // namespace sfg::detail
