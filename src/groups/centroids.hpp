#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sfg/normalise.hpp"

namespace sfg::detail {

/// Means of groups of features, for Ward's costs. A group is known by its lowest member.
class Centroids {
 public:
  /// A dense or a sparse one, as the features are; every feature is a group of one.
  [[nodiscard]] static std::unique_ptr<Centroids> make(const UnitFeatures& features);
  virtual ~Centroids() = default;

  /// |A||B| / (|A|+|B|) * min(|mu_A - mu_B|^2, |mu_A + mu_B|^2); the same for (B, A).
  [[nodiscard]] double cost(Index a, Index b) const;
  /// The union takes the place of the lower one.
  void merge(Index a, Index b);
  /// mu, all samples.
  virtual void expand(Index group, double* out) const = 0;
  [[nodiscard]] double size(Index group) const noexcept { return size_[group]; }

 protected:
  explicit Centroids(Index n_features) : size_(static_cast<std::size_t>(n_features), 1.0) {}

  struct Distance {
    double square;
    bool negated;  ///< -mu_B is the nearer one
  };
  [[nodiscard]] virtual Distance distance(Index a, Index b) const = 0;
  /// mu_A = factor_a mu_A + factor_b mu_B; B is gone.
  virtual void combine(Index a, Index b, double factor_a, double factor_b) = 0;

 private:
  std::vector<double> size_;
};

}  // namespace sfg::detail
