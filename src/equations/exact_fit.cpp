#include "equations/exact_fit.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "equations/tolerances.hpp"
#include "normalise/products.hpp"
#include "pursuit/omp/orthogonal_fit.hpp"

namespace sfg::detail {

namespace {

/// The column as the fit takes it, less what rounding left of its mean: a mean far above the spread
/// leaves more than kExactRest.
SampleVector centred_column(const UnitFeatures& centred, Index feature) {
  const auto n = static_cast<std::size_t>(centred.n_samples());
  SampleVector column(n + 1, 0.0);
  expand(centred, feature, column.data() + 1);
  const double mean =
      std::accumulate(column.begin() + 1, column.end(), 0.0) / static_cast<double>(n);
  for (std::size_t i = 1; i <= n; ++i) column[i] -= mean;
  return column;
}

/// A feature that depends on those before it gets no weight.
ExactFit least_squares(const UnitFeatures& centred, Index target, std::span<const Index> features) {
  ExactFit result;
  OrthogonalFit fit;
  fit.start(centred_column(centred, target), 0);
  for (const Index feature : features) {
    SampleVector column = centred_column(centred, feature);
    if (fit.add(column) == OrthogonalFit::Added::yes) result.features.push_back(feature);
  }
  fit.coefficients(result.weights);
  result.residual = std::sqrt(fit.residual_square());
  return result;
}

/// Without the features whose weights are at most this.
ExactFit without_small(const UnitFeatures& centred, Index target, const ExactFit& fit,
                       double limit) {
  std::vector<Index> large;
  for (std::size_t k = 0; k < fit.features.size(); ++k) {
    if (std::fabs(fit.weights[k]) > limit) large.push_back(fit.features[k]);
  }
  if (large.size() == fit.features.size()) return fit;
  return least_squares(centred, target, large);
}

void sort_by_weight(ExactFit& fit) {
  std::vector<std::size_t> order(fit.features.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const double size_a = std::fabs(fit.weights[a]);
    const double size_b = std::fabs(fit.weights[b]);
    // Sorting needs an order that is one, so no tolerance here: a tie may come either way.
    return size_a != size_b ? size_a > size_b : fit.features[a] < fit.features[b];
  });
  ExactFit sorted;
  sorted.residual = fit.residual;
  for (const std::size_t k : order) {
    sorted.features.push_back(fit.features[k]);
    sorted.weights.push_back(fit.weights[k]);
  }
  fit = std::move(sorted);
}

struct CommonValue {
  double value = 0;
  Index count = 0;
};

/// The most common value; of several the lowest. Equal values meet in a table of twice the size.
CommonValue most_common(std::span<const double> column) {
  constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio
  const std::size_t size = std::bit_ceil(2 * column.size());
  const int shift = 64 - std::countr_zero(size);
  std::vector<CommonValue> table(size);
  CommonValue best;
  for (const double one : column) {
    const double value = one + 0.0;  // -0 is 0
    std::size_t place = (std::bit_cast<std::uint64_t>(value) * kMultiplier) >> shift;
    while (table[place].count > 0 && table[place].value != value) place = (place + 1) % size;
    table[place].value = value;
    const Index count = ++table[place].count;
    if (count > best.count || (count == best.count && value < best.value)) best = table[place];
  }
  return best;
}

/// Marks the samples in which the column differs from its most common value; their number.
Index mark_uncommon(const UnitFeatures& centred, Index feature, std::vector<char>& marks) {
  std::vector<double> column(marks.size());
  expand(centred, feature, column.data());
  const CommonValue common = most_common(column);
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (column[i] != common.value) marks[i] = 1;
  }
  return static_cast<Index>(column.size()) - common.count;
}

}  // namespace

bool ExactFit::is_exact() const noexcept {
  return residual <= kExactRest;
}

ExactFit fit_exactly(const UnitFeatures& centred, Index target, std::span<const Index> features) {
  ExactFit fit = least_squares(centred, target, features);
  if (!fit.is_exact()) return fit;
  for (const double limit : {kDoubtfulWeight, kNoWeight}) {
    ExactFit shorter = without_small(centred, target, fit, limit);
    if (!shorter.is_exact()) continue;
    fit = std::move(shorter);
    break;
  }
  sort_by_weight(fit);
  return fit;
}

bool has_support(const UnitFeatures& centred, std::span<const Index> members) {
  const auto n_terms = static_cast<Index>(members.size()) - 1;
  if (centred.n_samples() < kSamplesPerTerm * n_terms) return false;
  std::vector<char> marks(static_cast<std::size_t>(centred.n_samples()), 0);
  for (const Index feature : members) {
    if (mark_uncommon(centred, feature, marks) < kSamplesPerTerm) return false;
  }
  return std::ranges::count(marks, 1) >= kSamplesPerTerm * n_terms;
}

}  // namespace sfg::detail
