#pragma once

#include <span>
#include <vector>

#include "predict/sample_folds.hpp"

namespace sfg::detail {

/// What is tried: lambda, the ridge of all kept features, and kappa, by how much the nearest ones
/// count more (0: as all others).
struct RidgeChoice {
  double ridge;
  double weight;
};

/// Kept features as ridge regression over folds takes them: by place.
class KeptByPlace {
 public:
  KeptByPlace(const UnitFeatures& centred, std::span<const Index> kept, const SampleFolds& folds,
              const RunContext& run);

  [[nodiscard]] std::size_t n() const noexcept { return folds_.n_samples(); }
  [[nodiscard]] std::size_t n_kept() const noexcept { return kept_.size(); }
  /// n values. `samples` is room for them.
  void expand(std::size_t k, std::vector<double>& samples, double* out) const {
    expand_by_place(centred_, {kept_[k], {}}, folds_, samples, out);
  }
  /// sum_k z_k z_k', n x n; only made where there are at least as many kept features as samples.
  [[nodiscard]] const std::vector<double>& products() const noexcept { return products_; }

 private:
  const UnitFeatures& centred_;
  std::span<const Index> kept_;
  const SampleFolds& folds_;
  std::vector<double> products_;
};

/// Ridge regression on the training samples of one fold, predicting its held-out samples:
///   K = A A' over the kept features A, columns centred on the training samples;
///   K = U diag(w) U';  W = K_held U;  a_k = U' A_k;  t = U' T.
/// With c = 1/(w + lambda) the plain prediction is W (c * t). The nearest kept features N of a
/// target count 1 + kappa times: K + kappa A_N A_N' is a change of rank |N|, so that
///   prediction = W (c * t) + (A_N(held) - W (c * a_N)) x,
///   (I/kappa + a_N'(c * a_N)) x = a_N'(c * t).
/// A target that the nearest alone fit exactly has no ridge.
class FoldRidge {
 public:
  FoldRidge(const KeptByPlace& kept, const SampleFolds& folds, std::size_t fold);

  struct Target {
    const double* values;            ///< by place
    std::span<const Index> nearest;  ///< numbers within the kept set
    const char* is_gap = nullptr;    ///< by place: no error is counted there; null: none
  };

  /// Puts into the gaps of a target at training places what a regression on its nearest says of
  /// them (or its mean), from its values at the others: held-out ones, and what fills the gaps
  /// elsewhere, have no say.
  void fill_training(const Target& target, std::vector<double>& values) const;

  /// For each target and choice the sum of squared errors over the held-out samples is added to
  /// errors[choice * n_targets + target], and that of the training mean to totals[target]. Choices
  /// with the same ridge stand side by side.
  void add_errors(std::span<const Target> targets, std::span<const RidgeChoice> choices,
                  const RunContext& run, std::span<double> errors, std::span<double> totals) const;

 private:
  struct NearColumns;
  struct Weighted;
  struct Prepared;
  struct Tile;
  struct Workspace;

  void factorise_samples();
  void factorise_kept();
  /// One kept feature less its mean over the training samples.
  void centre(std::size_t k, std::vector<double>& samples, double* out) const;
  [[nodiscard]] double training_mean(const double* values) const;
  [[nodiscard]] NearColumns near_columns(std::span<const Target> targets,
                                         const RunContext& run) const;
  [[nodiscard]] Weighted weigh(const NearColumns& near, double ridge, const RunContext& run) const;
  [[nodiscard]] double exact_error(const Target& target, const NearColumns& near,
                                   const double* values, const double* projected,
                                   Workspace& space) const;
  [[nodiscard]] double error_with_nearest(const Target& target, const NearColumns& near,
                                          const Weighted& weighted, Workspace& space) const;
  /// Gaps at the held-out places.
  [[nodiscard]] const char* held_gaps(const Target& target) const noexcept {
    return target.is_gap == nullptr ? nullptr : target.is_gap + begin_;
  }
  void prepare(std::span<const Target> targets, const NearColumns& near, std::size_t first,
               Workspace& space, Prepared& prepared) const;
  void predict_plainly(const double* projected, std::size_t count, double ridge,
                       Workspace& space) const;
  void take_terms(std::span<const Index> nearest, const NearColumns& near, const Weighted& weighted,
                  const double* projected, Workspace& space) const;
  void add_tile(const Tile& tile, std::span<const RidgeChoice> choices, const Weighted& weighted,
                Workspace& space, double* const* errors) const;

  const KeptByPlace& kept_;
  std::size_t n_;
  std::size_t begin_;
  std::size_t end_;
  std::size_t n_held_;
  std::vector<double> values_;   ///< w
  std::vector<double> vectors_;  ///< U, n x rank by place, 0 at held-out places
  std::vector<double> held_;     ///< W, held x rank
};

}  // namespace sfg::detail
