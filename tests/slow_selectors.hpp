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
// definitions, slow and obvious.
namespace sfg::testing {

using Values = std::vector<double>;
inline constexpr double kInfinite = std::numeric_limits<double>::infinity();

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

/// Entropy of the values, in bits, by a map.
template <typename Value>
double entropy(const std::vector<Value>& values) {
  std::map<Value, double> counts;
  for (const Value& value : values) counts[value] += 1;
  double sum = 0;
  for (const auto& [value, count] : counts) {
    const double p = count / static_cast<double>(values.size());
    sum -= p * std::log2(p);
  }
  return sum;
}

inline double joint_entropy(const Values& a, const Values& b) {
  std::vector<std::pair<double, double>> both;
  for (std::size_t i = 0; i < a.size(); ++i) both.emplace_back(a[i], b[i]);
  return entropy(both);
}

inline double slow_information(const Values& a, const Values& b) {
  return entropy(a) + entropy(b) - joint_entropy(a, b);
}
inline double slow_uncertainty(const Values& a, const Values& b) {
  const double both = entropy(a) + entropy(b);
  return both > 0 ? 2 * slow_information(a, b) / both : 0.0;
}

/// A feature as places among its different values, so that tables of pairs can be counted.
struct Coded {
  std::vector<std::size_t> codes;
  std::size_t n_values = 0;
  double own = 0;  ///< entropy
};

inline Coded coded_values(const Values& values) {
  const std::set<double> different(values.begin(), values.end());
  const Values sorted(different.begin(), different.end());
  Coded coded{{}, sorted.size(), entropy(values)};
  for (const double value : values) {
    coded.codes.push_back(
        static_cast<std::size_t>(std::ranges::lower_bound(sorted, value) - sorted.begin()));
  }
  return coded;
}

inline std::vector<Coded> coded_columns(const std::vector<Values>& x) {
  std::vector<Coded> columns;
  for (const Values& values : x) columns.push_back(coded_values(values));
  return columns;
}

/// slow_information() from the table of the pair's counts: for tables with many pairs.
inline double counted_information(const Coded& a, const Coded& b) {
  std::vector<double> counts(a.n_values * b.n_values);
  const std::size_t n = a.codes.size();
  for (std::size_t i = 0; i < n; ++i) counts[a.codes[i] * b.n_values + b.codes[i]] += 1;
  double joint = 0;
  for (const double count : counts) {
    if (count > 0) joint -= count * std::log2(count / static_cast<double>(n));
  }
  return a.own + b.own - joint / static_cast<double>(n);
}
inline double counted_uncertainty(const Coded& a, const Coded& b) {
  const double both = a.own + b.own;
  return both > 0 ? 2 * counted_information(a, b) / both : 0.0;
}

/// Bins by counting, for each value, the samples below it.
inline Values slow_bins(const Values& values, int n_bins) {
  const std::set<double> different(values.begin(), values.end());
  const auto few = std::max<std::size_t>(n_bins, std::min<std::size_t>(20, values.size() / 2));
  if (different.size() <= few) return values;
  Values bins;
  for (const double value : values) {
    const auto below = std::ranges::count_if(values, [&](double other) { return other < value; });
    bins.push_back(
        std::floor(static_cast<double>(below * n_bins) / static_cast<double>(values.size())));
  }
  return bins;
}

inline constexpr double kClose = 1e-10;

/// Every pick by the whole sum over the picks before.
inline std::vector<Index> slow_mrmr(const std::vector<Values>& x, const Values& y, bool quotient,
                                    std::size_t n_picks) {
  const std::vector<Coded> coded = coded_columns(x);
  const Coded classes = coded_values(y);
  std::vector<Values> with_pick;  // by pick, by feature
  std::vector<Index> picks;
  std::vector<Index> constant;
  std::set<Index> open;
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (coded[j].n_values > 1)
      open.insert(static_cast<Index>(j));
    else
      constant.push_back(static_cast<Index>(j));
  }
  while (picks.size() < n_picks && !open.empty()) {
    Index best = -1;
    double highest = 0;
    for (const Index j : open) {
      double redundancy = 0;
      for (const Values& one : with_pick) redundancy += one[j];
      double value = counted_information(coded[j], classes);
      if (!picks.empty()) {
        redundancy /= static_cast<double>(picks.size());
        if (!quotient)
          value -= redundancy;
        else if (redundancy > kClose)
          value /= redundancy;
        else
          value = value > kClose ? kInfinite : 0;
      }
      if (best < 0 || value > highest + kClose) {
        best = j;
        highest = value;
      }
    }
    picks.push_back(best);
    open.erase(best);
    Values with_best;
    for (const Coded& one : coded) with_best.push_back(counted_information(one, coded[best]));
    with_pick.push_back(std::move(with_best));
  }
  for (const Index j : constant) {
    if (picks.size() < n_picks) picks.push_back(j);
  }
  return picks;
}

/// As published: the most relevant one left removes every other q with SU(p, q) >= SU(q, class).
inline std::vector<Index> slow_fcbf(const std::vector<Values>& x, const Values& y, double delta,
                                    std::map<Index, Index>& removed_by) {
  const std::vector<Coded> coded = coded_columns(x);
  const Coded classes = coded_values(y);
  Values relevances;
  for (const Coded& one : coded) relevances.push_back(counted_uncertainty(one, classes));
  std::vector<Index> open;
  const auto relevance = [&](Index j) { return relevances[j]; };
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (relevance(static_cast<Index>(j)) > delta + kClose)
      open.push_back(static_cast<Index>(j));
    else
      removed_by[static_cast<Index>(j)] = -1;
  }
  std::vector<Index> picks;
  while (!open.empty()) {
    Index p = open.front();
    for (const Index q : open) {
      if (relevance(q) > relevance(p) + kClose) p = q;
    }
    picks.push_back(p);
    std::vector<Index> rest;
    for (const Index q : open) {
      if (q == p) continue;
      if (counted_uncertainty(coded[p], coded[q]) >= relevance(q) - kClose)
        removed_by[q] = p;
      else
        rest.push_back(q);
    }
    open = rest;
  }
  return picks;
}

/// Kruskal on all pairs, the cut rule, and a search in what is left.
inline std::set<Index> slow_fast(const std::vector<Values>& x, const Values& y) {
  struct Pair {
    double weight;
    Index a;
    Index b;
  };
  const std::vector<Coded> coded = coded_columns(x);
  const Coded classes = coded_values(y);
  Values relevance;
  std::vector<Index> nodes;
  for (std::size_t j = 0; j < x.size(); ++j) {
    relevance.push_back(counted_uncertainty(coded[j], classes));
    if (relevance[j] > kClose) nodes.push_back(static_cast<Index>(j));
  }
  std::vector<Pair> pairs;
  for (const Index a : nodes) {
    for (const Index b : nodes) {
      if (a < b) pairs.push_back({counted_uncertainty(coded[a], coded[b]), a, b});
    }
  }
  std::ranges::stable_sort(pairs, {}, &Pair::weight);
  std::vector<Index> tree(x.size());
  std::vector<Index> cluster(x.size());
  std::iota(tree.begin(), tree.end(), 0);
  std::iota(cluster.begin(), cluster.end(), 0);
  const auto join = [](std::vector<Index>& sets, Index a, Index b) {
    const Index from = sets[b];
    const Index to = sets[a];
    for (Index& set : sets) set = set == from ? to : set;
  };
  for (const Pair& pair : pairs) {
    if (tree[pair.a] == tree[pair.b]) continue;
    join(tree, pair.a, pair.b);
    const bool is_cut =
        pair.weight < relevance[pair.a] - kClose && pair.weight < relevance[pair.b] - kClose;
    if (!is_cut) join(cluster, pair.a, pair.b);
  }
  std::map<Index, Index> best;
  for (const Index j : nodes) {
    const auto known = best.try_emplace(cluster[j], j).first;
    if (relevance[j] > relevance[known->second] + kClose) known->second = j;
  }
  std::set<Index> kept;
  for (const auto& [set, feature] : best) kept.insert(feature);
  return kept;
}

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
