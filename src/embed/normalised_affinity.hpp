#pragma once

#include <span>
#include <vector>

#include "sfg/embed.hpp"

namespace sfg::detail {

/// S = D^-1/2 W D^-1/2 with vectors that are known already pushed to the far end of the spectrum,
/// as something to multiply by.
class NormalisedAffinity {
 public:
  /// Where known vectors go: below every eigenvalue of S, which are in [-1, 1].
  static constexpr double kPushedTo = -2;

  NormalisedAffinity(const Affinity& affinity, const RunContext& run);

  [[nodiscard]] Index rows() const noexcept { return n_; }
  /// out = S in, with the known vectors pushed away. Throws `interrupted`.
  void multiply(const double* in, double* out) const;

  [[nodiscard]] const std::vector<double>& degree() const noexcept { return degree_; }
  /// Samples with a degree: no more eigenvectors than these say anything.
  [[nodiscard]] Index n_active() const noexcept { return n_active_; }
  /// Connected parts of the graph, the largest first; isolated samples are in none (-1).
  [[nodiscard]] Index n_components() const noexcept { return n_components_; }
  [[nodiscard]] const std::vector<Index>& component_of() const noexcept { return component_of_; }
  /// sqrt(degree), of unit length on each component: the eigenvectors of eigenvalue 1.
  [[nodiscard]] const std::vector<double>& component_vector() const noexcept {
    return component_vector_;
  }

  /// Pushes one more unit eigenvector away.
  void push_away(std::span<const double> vector, double value);
  /// |S v - value v|, of S itself.
  [[nodiscard]] double residual(std::span<const double> vector, double value) const;
  /// S with what was pushed away, written out: n x n.
  [[nodiscard]] DenseMatrix dense() const;

 private:
  struct Known {
    std::vector<double> vector;
    double factor;  ///< kPushedTo - value
  };

  void multiply_plain(const double* in, double* out) const;
  void find_components();

  const Affinity& affinity_;
  const RunContext& run_;
  Index n_;
  Index n_active_ = 0;
  Index n_components_ = 0;
  std::vector<double> degree_;
  std::vector<double> scale_;  ///< degree^-1/2, 0 without one
  std::vector<Index> component_of_;
  std::vector<double> component_vector_;
  std::vector<Known> known_;
  mutable std::vector<double> scaled_;
  mutable std::vector<double> shares_;
};

}  // namespace sfg::detail
