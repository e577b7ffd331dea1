#include "report/page_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "core/random.hpp"

namespace sfg::detail {

namespace {

/// Cells of the data in one page, a byte each.
constexpr Index kMostCells = 300000;
/// A cloud of more points shows no more.
constexpr Index kMostPoints = 150;
/// A cloud of fewer shows nothing: tables with more features than that allows are drawn without.
constexpr Index kFewestPoints = 16;
/// Colours that can be told apart.
constexpr std::size_t kMostClasses = 8;

/// x = mean + norm * f, and x = norm * v of what a sparse matrix stores.
double value_at(const UnitFeatures& centred, Index sample, Index feature) {
  const double scale = std::ldexp(centred.norm[feature], centred.norm_exponent[feature]);
  if (const auto* dense = std::get_if<DenseMatrix>(&centred.matrix)) {
    return centred.mean[feature] + scale * (*dense)(sample, feature);
  }
  const auto& sparse = std::get<SparseMatrix>(centred.matrix);
  const auto rows = sparse.column_rows(feature);
  const auto found = std::ranges::lower_bound(rows, sample);
  if (found == rows.end() || *found != sample) return 0;
  return scale * sparse.column_values(feature)[found - rows.begin()];
}

/// Halved first: the range itself may be too large for a double.
std::uint8_t code_of(double value, double low, double high) {
  if (!(high > low)) return 0;
  const double share = (value / 2 - low / 2) / (high / 2 - low / 2);
  return static_cast<std::uint8_t>(std::lround(std::clamp(share, 0.0, 1.0) * kPageValueSteps));
}

/// Which of these samples have no value of the feature.
std::vector<char> gaps_among(const std::vector<Index>& samples, const UnitFeatures& centred,
                             Index feature) {
  std::vector<char> is_gap(samples.size(), 0);
  if (centred.gaps == nullptr) return is_gap;
  const auto rows = centred.gaps->of(feature);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    is_gap[k] = std::ranges::binary_search(rows, samples[k]) ? 1 : 0;
  }
  return is_gap;
}

/// Appends the values of a feature for these samples, and the ends of their range.
void add_feature(const UnitFeatures& centred, Index feature, PageValues& values) {
  const std::vector<char> is_gap = gaps_among(values.samples, centred, feature);
  std::vector<double> shown;
  for (const Index sample : values.samples) shown.push_back(value_at(centred, sample, feature));
  std::vector<double> known;
  for (std::size_t k = 0; k < shown.size(); ++k) {
    if (is_gap[k] == 0) known.push_back(shown[k]);
  }
  if (known.empty()) known.push_back(centred.mean[feature]);
  const auto [low, high] = std::ranges::minmax(known);
  values.low.push_back(as_float(low));
  values.high.push_back(as_float(high));
  for (std::size_t k = 0; k < shown.size(); ++k) {
    values.codes.push_back(is_gap[k] != 0 ? kNoPageValue : code_of(shown[k], low, high));
  }
}

}  // namespace

float as_float(double value) noexcept {
  constexpr double kLargest = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(value, -kLargest, kLargest));
}

PageValues page_values(const UnitFeatures& centred, std::uint64_t seed) {
  PageValues values;
  const Index n_features = centred.n_features();
  const Index n_points = std::min(kMostPoints, kMostCells / n_features);
  if (n_points < kFewestPoints) return values;
  std::vector<Index> all(static_cast<std::size_t>(centred.n_samples()));
  std::iota(all.begin(), all.end(), Index{0});
  Random random(seed);
  values.samples = random_choice(all, static_cast<std::size_t>(n_points), random);
  for (Index feature = 0; feature < n_features; ++feature) add_feature(centred, feature, values);
  return values;
}

std::vector<std::uint8_t> codes_of(const Equation& equation, const UnitFeatures& centred,
                                   const PageValues& values) {
  std::vector<std::uint8_t> codes;
  const auto feature = static_cast<std::size_t>(equation.feature);
  for (const Index sample : values.samples) {
    double sum = equation.combination.intercept;
    for (const Term& term : equation.combination.terms) {
      sum += term.coefficient * value_at(centred, sample, term.feature);
    }
    codes.push_back(code_of(sum, values.low[feature], values.high[feature]));
  }
  return codes;
}

PageClasses page_classes(const Labels& labels, const std::vector<Index>& samples) {
  PageClasses classes;
  std::set<std::string> names;
  for (const std::string& value : labels.values) {
    if (!is_missing_label(value)) names.insert(value);
  }
  if (names.size() < 2 || names.size() > kMostClasses) return classes;
  classes.names.assign(names.begin(), names.end());
  for (const Index sample : samples) {
    const std::string& value = labels.values[static_cast<std::size_t>(sample)];
    const auto found = std::ranges::lower_bound(classes.names, value);
    const bool is_known = found != classes.names.end() && *found == value;
    classes.codes.push_back(is_known ? static_cast<std::uint8_t>(found - classes.names.begin())
                                     : kNoClass);
  }
  return classes;
}

}  // namespace sfg::detail
