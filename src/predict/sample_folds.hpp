#pragma once

#include <cstdint>
#include <vector>

#include "sfg/certificate.hpp"

namespace sfg::detail {

/// The samples in random order, cut into folds. A sample has a place; the places of a fold are side
/// by side.
class SampleFolds {
 public:
  SampleFolds(std::size_t n_samples, std::size_t n_folds, std::uint64_t seed);

  [[nodiscard]] std::size_t n_samples() const noexcept { return order_.size(); }
  [[nodiscard]] std::size_t n_folds() const noexcept { return starts_.size() - 1; }
  [[nodiscard]] std::size_t begin(std::size_t fold) const noexcept { return starts_[fold]; }
  [[nodiscard]] std::size_t end(std::size_t fold) const noexcept { return starts_[fold + 1]; }
  [[nodiscard]] std::size_t sample_at(std::size_t place) const noexcept { return order_[place]; }
  [[nodiscard]] std::size_t fold_at(std::size_t place) const noexcept { return fold_at_[place]; }

 private:
  std::vector<std::size_t> order_;
  std::vector<std::size_t> fold_at_;
  std::vector<std::size_t> starts_{0};
};

/// A target's values by place, permuted if it asks for that. `samples` is room for all of them.
void expand_by_place(const UnitFeatures& centred, const HeldOutTarget& target,
                     const SampleFolds& folds, std::vector<double>& samples, double* out);

/// By place, in the same order: 1 where the target has no value; nothing if it has all.
[[nodiscard]] std::vector<char> gaps_by_place(const UnitFeatures& centred,
                                              const HeldOutTarget& target,
                                              const SampleFolds& folds);

}  // namespace sfg::detail
