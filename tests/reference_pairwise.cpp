#include <algorithm>
#include <cmath>
#include <numeric>

#include "reference.hpp"

namespace sfg::testing {

double textbook_r2(std::span<const double> x, std::span<const double> y) {
  const auto n = static_cast<long double>(x.size());
  const long double mean_x = std::accumulate(x.begin(), x.end(), 0.0L) / n;
  const long double mean_y = std::accumulate(y.begin(), y.end(), 0.0L) / n;
  long double xx = 0;
  long double yy = 0;
  long double xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  return xx > 0 && yy > 0 ? static_cast<double>(xy * xy / (xx * yy)) : 0.0;
}

std::vector<Index> reference_pairwise(const DenseMatrix& data, double max_r2,
                                      const Window* window) {
  const Index d = data.n_features();
  std::vector<Index> order(static_cast<std::size_t>(d));
  std::iota(order.begin(), order.end(), Index{0});
  if (window != nullptr) order = window->along_line(order);
  const auto r2 = [&](Index i, Index j) {
    if (window != nullptr && !window->near(i, j)) return 0.0;
    return textbook_r2(data.column(i), data.column(j));
  };
  constexpr double kRounded = 1e-12;
  std::vector<char> open(static_cast<std::size_t>(d), 0);
  for (Index i = 0; i < d; ++i) {
    const auto [low, high] = std::ranges::minmax(data.column(i));
    open[i] = low < high ? 1 : 0;
  }
  std::vector<double> total(static_cast<std::size_t>(d), 0.0);
  for (Index i = 0; i < d; ++i) {
    for (Index j = 0; j < d; ++j) total[i] += i != j ? r2(i, j) : 0.0;
  }
  constexpr double kSame = 1e-7;
  std::vector<Index> picks;
  for (;;) {
    Index best = -1;
    int most = -1;
    double most_r2 = 0;
    for (const Index i : order) {
      if (open[i] == 0) continue;
      int count = 0;
      double sum = 0;
      for (Index j = 0; j < d; ++j) {
        if (open[j] == 0 || j == i || r2(i, j) < max_r2 - kRounded) continue;
        ++count;
        sum += r2(i, j);
      }
      const bool same = count == most && std::fabs(sum - most_r2) <= kSame;
      const bool better = count > most || (count == most && sum > most_r2 + kSame) ||
                          (same && total[i] > total[best] + kSame);
      if (best >= 0 && (!better || (most == 0 && count == 0))) continue;
      best = i;
      most = count;
      most_r2 = sum;
    }
    if (best < 0) return picks;
    picks.push_back(best);
    for (Index j = 0; j < d; ++j) {
      if (j == best || r2(best, j) >= max_r2 - kRounded) open[j] = 0;
    }
  }
}

}  // namespace sfg::testing
