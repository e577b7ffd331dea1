#include "slow_selectors.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace sfg::testing {

namespace {

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

double joint_entropy(const Values& a, const Values& b) {
  std::vector<std::pair<double, double>> both;
  for (std::size_t i = 0; i < a.size(); ++i) both.emplace_back(a[i], b[i]);
  return entropy(both);
}

std::vector<Coded> coded_columns(const std::vector<Values>& x) {
  std::vector<Coded> columns;
  for (const Values& values : x) columns.push_back(coded_values(values));
  return columns;
}

double counted_uncertainty(const Coded& a, const Coded& b) {
  const double both = a.own + b.own;
  return both > 0 ? 2 * counted_information(a, b) / both : 0.0;
}

}  // namespace

double slow_information(const Values& a, const Values& b) {
  return entropy(a) + entropy(b) - joint_entropy(a, b);
}
double slow_uncertainty(const Values& a, const Values& b) {
  const double both = entropy(a) + entropy(b);
  return both > 0 ? 2 * slow_information(a, b) / both : 0.0;
}

Coded coded_values(const Values& values) {
  const std::set<double> different(values.begin(), values.end());
  const Values sorted(different.begin(), different.end());
  Coded coded{{}, sorted.size(), entropy(values)};
  for (const double value : values) {
    coded.codes.push_back(
        static_cast<std::size_t>(std::ranges::lower_bound(sorted, value) - sorted.begin()));
  }
  return coded;
}

double counted_information(const Coded& a, const Coded& b) {
  std::vector<double> counts(a.n_values * b.n_values);
  const std::size_t n = a.codes.size();
  for (std::size_t i = 0; i < n; ++i) counts[a.codes[i] * b.n_values + b.codes[i]] += 1;
  double joint = 0;
  for (const double count : counts) {
    if (count > 0) joint -= count * std::log2(count / static_cast<double>(n));
  }
  return a.own + b.own - joint / static_cast<double>(n);
}

Values slow_bins(const Values& values, int n_bins) {
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

std::vector<Index> slow_mrmr(const std::vector<Values>& x, const Values& y, bool quotient,
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

std::vector<Index> slow_fcbf(const std::vector<Values>& x, const Values& y, double delta,
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

std::set<Index> slow_fast(const std::vector<Values>& x, const Values& y) {
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

}  // namespace sfg::testing
