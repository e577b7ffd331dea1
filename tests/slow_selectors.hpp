#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "sfg/select.hpp"

// Tables of discrete features with classes, and information, mRMR, FCBF and FAST by their
// definitions, slow and obvious; optimised by the compiler, since they look at all pairs.
namespace sfg::testing {

using Values = std::vector<double>;
inline constexpr double kInfinite = std::numeric_limits<double>::infinity();
inline constexpr double kClose = 1e-10;

inline Labels labels_named(std::string name, const std::vector<int>& classes) {
  Labels labels{std::move(name), {}};
  for (const int one : classes) labels.values.push_back(std::to_string(one));
  return labels;
}

inline Target classes_of(const std::vector<int>& classes) {
  return read_target(labels_named("class", classes), static_cast<Index>(classes.size()));
}

/// Whole numbers below `n_values`, with copies and a constant feature.
inline DenseMatrix discrete_table(Index n, Index d, int n_values, std::uint64_t seed) {
  detail::Random random(seed);
  DenseMatrix x(n, d);
  for (Index j = 0; j < d; ++j) {
    const bool copies = j > 0 && random.below(4) == 0;
    const auto source =
        copies ? static_cast<Index>(random.below(static_cast<std::uint64_t>(j))) : j;
    for (Index i = 0; i < n; ++i) {
      const bool same = copies && random.below(5) > 0;
      x(i, j) = same ? x(i, source) : static_cast<double>(random.below(n_values));
    }
  }
  std::ranges::fill(x.column(d / 2), 2.0);
  return x;
}

/// Classes that features 0 and 1 speak of.
inline std::vector<int> classes_by(const DenseMatrix& x, std::uint64_t seed) {
  detail::Random random(seed);
  std::vector<int> classes;
  for (Index i = 0; i < x.n_samples(); ++i) {
    const bool noise = random.below(4) == 0;
    classes.push_back(noise ? static_cast<int>(random.below(3))
                            : static_cast<int>(x(i, 0) + x(i, 1)) % 3);
  }
  classes[0] = 0;
  classes[1] = 1;
  return classes;
}

inline Values feature_values(const DenseMatrix& x, Index j) {
  return {x.column(j).begin(), x.column(j).end()};
}
inline Values numbers_of(const std::vector<int>& classes) {
  return {classes.begin(), classes.end()};
}

/// Entropy-based measures by maps of what occurs.
double slow_information(const Values& a, const Values& b);
double slow_uncertainty(const Values& a, const Values& b);

/// A feature as places among its different values, so that tables of pairs can be counted.
struct Coded {
  std::vector<std::size_t> codes;
  std::size_t n_values = 0;
  double own = 0;  ///< entropy
};
Coded coded_values(const Values& values);
/// slow_information() from the table of the pair's counts: for tables with many pairs.
double counted_information(const Coded& a, const Coded& b);

/// Bins by counting, for each value, the samples below it.
Values slow_bins(const Values& values, int n_bins);

/// Every pick by the whole sum over the picks before.
std::vector<Index> slow_mrmr(const std::vector<Values>& x, const Values& y, bool quotient,
                             std::size_t n_picks);

/// As published: the most relevant one left removes every other q with SU(p, q) >= SU(q, class).
std::vector<Index> slow_fcbf(const std::vector<Values>& x, const Values& y, double delta,
                             std::map<Index, Index>& removed_by);

/// Kruskal on all pairs, the cut rule, and a search in what is left.
std::set<Index> slow_fast(const std::vector<Values>& x, const Values& y);

inline std::vector<Values> columns_of(const DenseMatrix& x) {
  std::vector<Values> columns;
  for (Index j = 0; j < x.n_features(); ++j) columns.push_back(feature_values(x, j));
  return columns;
}

inline SelectOptions by(SelectMethod method, std::vector<Index> sizes) {
  SelectOptions options;
  options.method = method;
  options.sizes = std::move(sizes);
  return options;
}

inline SelectResult select_in(const Matrix& x, const std::vector<int>& classes,
                              const SelectOptions& options) {
  return select_best(normalise(x, {}), classes_of(classes), options);
}

}  // namespace sfg::testing
