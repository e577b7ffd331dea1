// How far sets agree: Jaccard's index and Nogueira's.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "sfg/stability.hpp"

namespace sfg {

namespace {

/// 97.5 % quantile of the normal distribution: 95 % of it lie within so many deviations.
constexpr double kNormalQuantile = 1.959963984540054;

using Sets = std::vector<std::vector<Index>>;

/// |A n B| / |A u B|; two empty sets are equal.
double jaccard_of(const std::vector<Index>& a, const std::vector<Index>& b) {
  std::size_t n_both = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (*i == *j) ++n_both;
    const Index smaller = std::min(*i, *j);
    if (*i == smaller) ++i;
    if (*j == smaller) ++j;
  }
  const std::size_t n_either = a.size() + b.size() - n_both;
  return n_either == 0 ? 1.0 : static_cast<double>(n_both) / static_cast<double>(n_either);
}

void add_jaccard(const Sets& sets, int n_together, SetAgreement& result) {
  const auto together = static_cast<std::size_t>(n_together);
  double sum = 0;
  double sum_apart = 0;
  double n_apart = 0;
  for (std::size_t b = 1; b < sets.size(); ++b) {
    for (std::size_t a = 0; a < b; ++a) {
      const double one = jaccard_of(sets[a], sets[b]);
      sum += one;
      if (a / together != b / together) continue;
      sum_apart += one;
      ++n_apart;
    }
  }
  const auto n = static_cast<double>(sets.size());
  if (sets.size() > 1) result.jaccard = sum / (n * (n - 1) / 2);
  if (n_apart > 0) result.jaccard_apart = sum_apart / n_apart;
}

/// Phi and its interval: see the header.
void add_index(const Sets& sets, Index n_items, int n_together, SetAgreement& result) {
  const auto m = static_cast<double>(sets.size());
  const auto d = static_cast<double>(n_items);
  std::vector<double> share(static_cast<std::size_t>(n_items), 0.0);
  for (const auto& set : sets) {
    for (const Index item : set) share[item] += 1;
  }
  double k = 0;
  double spread = 0;
  for (double& p : share) {
    p /= m;
    k += p;
    spread += p * (1 - p);
  }
  const double by_chance = k / d * (1 - k / d);
  if (sets.size() < 2 || !(k > 0) || std::ranges::all_of(sets, [&](const auto& set) {
        return set.size() == static_cast<std::size_t>(n_items);
      })) {
    return;
  }
  const double phi = 1 - m / (m - 1) * spread / d / by_chance;

  std::vector<double> parts;
  for (const auto& set : sets) {
    const auto size = static_cast<double>(set.size());
    double known = 0;
    for (const Index item : set) known += share[item];
    parts.push_back((known / d - size * k / (d * d) +
                     phi / 2 * (2 * size * k / (d * d) - size / d - k / d + 1)) /
                    by_chance);
  }
  double mean = 0;
  for (const double part : parts) mean += part / m;
  double squares = 0;
  for (std::size_t i = 0; i < parts.size(); i += static_cast<std::size_t>(n_together)) {
    double deviation = 0;
    const auto end = std::min(parts.size(), i + static_cast<std::size_t>(n_together));
    for (std::size_t j = i; j < end; ++j) deviation += parts[j] - mean;
    squares += deviation * deviation;
  }
  const double width = kNormalQuantile * 2 / m * std::sqrt(squares);
  result.index = phi;
  result.low = phi - width;
  result.high = std::min(1.0, phi + width);
}

}  // namespace

SetAgreement agreement(const std::vector<std::vector<Index>>& sets, Index n_items, int n_together) {
  SetAgreement result;
  add_jaccard(sets, n_together, result);
  add_index(sets, n_items, n_together, result);
  return result;
}

}  // namespace sfg
