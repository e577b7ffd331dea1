#pragma once

#include <vector>

// Figures over a list of numbers, as all tables and documents compute them.
namespace sfg {

/// 0 for no values.
[[nodiscard]] double mean(const std::vector<double>& values);

/// Of a sample: divided by n - 1; 0 for fewer than two values.
[[nodiscard]] double standard_deviation(const std::vector<double>& values);

/// The value below which a share p of the values lie, interpolated linearly between neighbours in
/// order (R's type 7, NumPy's default); 0 for no values.
[[nodiscard]] double quantile(std::vector<double> values, double p);

/// Share of values at or above a limit; 0 for no values.
[[nodiscard]] double share_at_least(const std::vector<double>& values, double limit);

}  // namespace sfg
