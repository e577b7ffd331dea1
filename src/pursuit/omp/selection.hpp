#pragma once

#include <span>
#include <vector>

#include "pursuit/engines/candidate.hpp"
#include "sfg/matrix.hpp"

// From approximate products to the few atoms that may be the best one. Both rules return candidates
// in ascending order, so that "lowest index wins" is "first one wins".
namespace sfg::detail {

/// OMP: every k with |product_k| close enough to the largest one, given that each product is off by
/// at most `error_bound`. Empty if all may be rounding. Products that are not a number are passed
/// over.
template <typename Value>
void omp_candidates(std::span<const Value> products, double error_bound,
                    std::vector<Candidate>& candidates);

/// OLS: the score of atom k is |<f_k, q>| / |f_k outside the span|, whose square is the drop of
/// |q|^2. Numerator and denominator are brought up to date with one product per new direction u:
///   <f_k, q> -= y <f_k, u>,   |f_k outside|^2 -= <f_k, u>^2.
class OlsScores {
 public:
  /// Forgets the target before.
  void reset() noexcept { n_seen_ = 0; }
  /// Vectors whose products are taken into account: the target and the directions so far.
  [[nodiscard]] std::size_t n_seen() const noexcept { return n_seen_; }
  /// products_k = <f_k, target>, off by at most `error_bound`
  template <typename Value>
  void start(std::span<const Value> products, double error_bound);
  /// products_k = <f_k, u>, y = <u, target>
  template <typename Value>
  void add_direction(std::span<const Value> products, double error_bound, double y);
  /// Atom k is out of the game for this target.
  void exclude(Index k) noexcept;
  /// Every atom that may be the best one; none that surely depends on the chosen ones.
  void candidates(std::vector<Candidate>& candidates) const;

 private:
  std::vector<double> product_;         ///< <f_k, q>
  std::vector<double> outside_square_;  ///< |f_k outside|^2, negative if k is excluded
  double product_error_ = 0;
  double outside_error_ = 0;
  std::size_t n_seen_ = 0;
};

}  // namespace sfg::detail
