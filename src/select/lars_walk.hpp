#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "select/cholesky.hpp"
#include "select/columns.hpp"
#include "select/lars.hpp"

namespace sfg::detail {

/// The path of one response under way. A step has two halves, between which the caller multiplies
/// the data by direction(): set_out() chooses the active features, walk() goes as far as they hold.
///
///   A, s    active features and the signs of their correlations
///   w       (X_A'X_A + ridge I)^-1 s: how the coefficients change while lambda falls by 1
///   u       X_A w: how the fit changes meanwhile
///   a_j     <x_j, u>: how much the correlation of feature j falls meanwhile (1 if active)
class LarsWalk {
 public:
  LarsWalk(const Columns& columns, const LarsOptions& options);

  /// The products of all features with the response.
  [[nodiscard]] std::span<double> correlations() noexcept { return correlations_; }
  /// To be called when correlations() are filled in. `largest_product`: length of the response
  /// times that of the longest feature.
  void start(double largest_product);

  [[nodiscard]] bool under_way() const noexcept { return under_way_; }
  [[nodiscard]] std::size_t n_active() const noexcept { return active_.size(); }
  void set_out();
  [[nodiscard]] const double* direction() const noexcept { return direction_.data(); }
  [[nodiscard]] std::span<double> slopes() noexcept { return slopes_; }
  void walk();

  [[nodiscard]] LarsPath take() noexcept { return std::move(path_); }

 private:
  enum class State : std::uint8_t {
    outside,
    active,
    dependent,  ///< in the span of the active features: cannot enter until one of them leaves
  };

  [[nodiscard]] bool is_tied(Index feature) const noexcept;
  void settle_ties();
  void add_one();
  /// The outside feature of largest correlation, lowest index first; -1 if there is none.
  [[nodiscard]] Index first_of_largest() const;
  /// Features, active or not, whose correlation is lambda.
  [[nodiscard]] std::vector<Index> tied_features() const;
  void find_direction();
  [[nodiscard]] Index first_fault(const std::vector<Index>& tied) const;
  void enter(Index feature);
  void leave(Index feature);
  [[nodiscard]] double longest_step() const;
  [[nodiscard]] std::vector<double> steps_to_zero() const;
  void move_by(double step);
  void end(LarsStatus status);

  const Columns& columns_;
  LarsOptions options_;
  std::size_t max_steps_;
  std::vector<double> correlations_;  ///< of every feature with the residual, less the ridge's part
  std::vector<double> slopes_;        ///< a
  std::vector<State> states_;
  double lambda_ = 0;  ///< largest absolute correlation
  double tie_ = 0;     ///< correlations this close to lambda equal it

  std::vector<Index> active_;
  std::vector<double> signs_;
  std::vector<double> coefficients_;
  std::vector<double> changes_;  ///< w
  CholeskyFactor factor_;
  std::vector<double> direction_;  ///< u
  std::vector<double> column_;     ///< scratch over the samples
  bool direction_holds_ = false;   ///< w and u are those of the active features
  bool dropped_ = false;           ///< the last step ended with a feature that left
  bool under_way_ = false;
  LarsPath path_;
};

}  // namespace sfg::detail
