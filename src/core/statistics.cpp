#include "sfg/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sfg {

double mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_deviation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double quantile(std::vector<double> values, double p) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const double place = p * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const auto above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], place - std::floor(place));
}

double share_at_least(const std::vector<double>& values, double limit) {
  if (values.empty()) return 0;
  const auto count = std::ranges::count_if(values, [&](double value) { return value >= limit; });
  return static_cast<double>(count) / static_cast<double>(values.size());
}

}  // namespace sfg
