#include "sfg/transform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/text.hpp"
#include "core/threads.hpp"
#include "sfg/error.hpp"

namespace sfg {

namespace {

/// A feature's values in order; zeros that a sparse matrix does not store are only counted.
class OrderedValues {
 public:
  OrderedValues(std::span<const double> stored, Index n_samples)
      : sorted_(stored.begin(), stored.end()),
        n_(static_cast<std::size_t>(n_samples)),
        n_unstored_(n_ - stored.size()) {
    std::ranges::sort(sorted_);
    n_negative_ = below(0);
  }

  /// Average of the places (from 1) that equal values take: (values below) + (ties + 1) / 2.
  [[nodiscard]] double rank_of(double value) const {
    const auto first = std::ranges::lower_bound(sorted_, value);
    const auto last = std::upper_bound(first, sorted_.end(), value);
    auto n_below = static_cast<std::size_t>(first - sorted_.begin());
    auto n_ties = static_cast<std::size_t>(last - first);
    if (value > 0) n_below += n_unstored_;
    if (value == 0) n_ties += n_unstored_;
    return static_cast<double>(n_below) + (static_cast<double>(n_ties) + 1) / 2;
  }

  [[nodiscard]] bool has_zero() const {
    return n_unstored_ > 0 || std::ranges::binary_search(sorted_, 0.0);
  }
  [[nodiscard]] bool is_empty() const {
    return sorted_.empty() || (sorted_.front() == 0 && sorted_.back() == 0);
  }

  /// Between the two values nearest to place share * (n - 1), as numpy.quantile has it.
  [[nodiscard]] double quantile(double share) const {
    const double place = share * static_cast<double>(n_ - 1);
    const auto below = static_cast<std::size_t>(place);
    const double part = place - static_cast<double>(below);
    const double low = at(below);
    // Not low + part * (high - low): the difference may be too large for a double.
    return part == 0 ? low : (1 - part) * low + part * at(std::min(below + 1, n_ - 1));
  }

 private:
  [[nodiscard]] std::size_t below(double value) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(sorted_, value) - sorted_.begin());
  }
  [[nodiscard]] double at(std::size_t place) const {
    if (place < n_negative_) return sorted_[place];
    return place < n_negative_ + n_unstored_ ? 0.0 : sorted_[place - n_unstored_];
  }

  std::vector<double> sorted_;
  std::size_t n_;
  std::size_t n_unstored_;
  std::size_t n_negative_ = 0;
};

/// The feature's values that are stored, to be changed in place.
std::span<double> changed_values(Matrix& matrix, Index feature) {
  if (auto* dense = std::get_if<DenseMatrix>(&matrix)) return dense->column(feature);
  auto& sparse = std::get<SparseMatrix>(matrix);
  return {sparse.values.data() + sparse.starts[feature], sparse.column_values(feature).size()};
}

/// Where the first value is that cannot be transformed; nothing if there is none.
void refuse_value(const Dataset& dataset, Index feature, std::size_t place, Transform how,
                  double value) {
  const auto* sparse = std::get_if<SparseMatrix>(&dataset.matrix);
  const Index sample =
      sparse != nullptr ? sparse->column_rows(feature)[place] : static_cast<Index>(place);
  std::string where = fmt::format("sample {}", sample + 1);
  if (!dataset.sample_names.empty()) {
    where += fmt::format(" ({})", escaped(dataset.sample_names[sample]));
  }
  const std::string name =
      dataset.feature_names.empty()
          ? fmt::format("number {}", feature + 1)
          : fmt::format("'{}' (number {})", escaped(dataset.feature_names[feature]), feature + 1);
  if (!std::isfinite(value)) {
    throw Error(ErrorCode::malformed_input,
                fmt::format("feature {} has an infinite value in {}: it has no place on the "
                            "scale {}",
                            name, where, choice_name(how)),
                dataset.source, {"missing", "fill it in with {missing=mean} first"});
  }
  throw Error(ErrorCode::malformed_input,
              fmt::format("feature {} has {} in {}, and {} is for values from 0", name,
                          format_number(value), where, choice_name(how)),
              dataset.source,
              {"transformation",
               "use {transformation=rank} or {transformation=winsor}, which take every number"});
}

void check_values(const Dataset& dataset, Transform how) {
  const bool takes_negative = how == Transform::rank || how == Transform::winsor;
  for (Index feature = 0; feature < n_features(dataset.matrix); ++feature) {
    const auto* dense = std::get_if<DenseMatrix>(&dataset.matrix);
    const auto values = dense != nullptr
                            ? dense->column(feature)
                            : std::get<SparseMatrix>(dataset.matrix).column_values(feature);
    for (std::size_t k = 0; k < values.size(); ++k) {
      const bool is_good = std::isfinite(values[k]) && (takes_negative || values[k] >= 0);
      // What is missing stays so.
      if (!is_good && !std::isnan(values[k])) refuse_value(dataset, feature, k, how, values[k]);
    }
  }
}

/// Ranks from that of zero on (which is returned) or, if zero need not stay zero, from 1.
double rank_values(std::span<double> values, Index n_samples, bool zero_stays) {
  const OrderedValues ordered(values, n_samples);
  if (ordered.is_empty()) return 0;
  const double origin = zero_stays && ordered.has_zero() ? ordered.rank_of(0) : 0;
  for (double& value : values) value = ordered.rank_of(value) - origin;
  return origin;
}

struct Bounds {
  double low = 0;
  double high = 0;
};

/// Without what is missing.
std::vector<double> without_gaps(std::span<const double> values) {
  std::vector<double> observed;
  std::ranges::copy_if(values, std::back_inserter(observed),
                       [](double value) { return !std::isnan(value); });
  return observed;
}

/// As rank_values(), among the values that are there.
double rank_observed(std::span<double> values, Index n_samples, bool zero_stays) {
  if (std::ranges::none_of(values, [](double value) { return std::isnan(value); })) {
    return rank_values(values, n_samples, zero_stays);
  }
  std::vector<double> observed = without_gaps(values);
  const auto n_gaps = static_cast<Index>(values.size() - observed.size());
  const double origin = rank_values(observed, n_samples - n_gaps, zero_stays);
  auto next = observed.begin();
  for (double& value : values) {
    if (!std::isnan(value)) value = *next++;
  }
  return origin;
}

Bounds winsor_bounds(std::span<const double> all, Index n_all) {
  const std::vector<double> values = without_gaps(all);
  const Index n_samples = n_all - static_cast<Index>(all.size() - values.size());
  if (n_samples == 0) return {};
  const OrderedValues ordered(values, n_samples);
  return {ordered.quantile(kWinsorShare), ordered.quantile(1 - kWinsorShare)};
}

/// With zeros that are moved stored, and values that become zero no longer.
SparseMatrix moved(const SparseMatrix& from, const std::vector<Bounds>& bounds) {
  SparseMatrix to;
  to.n_samples = from.n_samples;
  to.n_features = from.n_features;
  std::vector<Index> rows;
  std::vector<double> values;
  for (Index feature = 0; feature < from.n_features; ++feature) {
    const Bounds& within = bounds[feature];
    const auto add = [&](Index row, double value) {
      const double now = std::clamp(value, within.low, within.high);
      if (now == 0) return;
      rows.push_back(row);
      values.push_back(now);
    };
    const auto stored_rows = from.column_rows(feature);
    const auto stored = from.column_values(feature);
    if (within.low <= 0 && within.high >= 0) {
      for (std::size_t k = 0; k < stored.size(); ++k) add(stored_rows[k], stored[k]);
    } else {
      // Zero is itself beyond a quantile: 99 % of the values are stored anyway.
      std::size_t k = 0;
      for (Index row = 0; row < from.n_samples; ++row) {
        const bool is_stored = k < stored.size() && stored_rows[k] == row;
        add(row, is_stored ? stored[k++] : 0.0);
      }
    }
    to.starts.push_back(static_cast<Offset>(rows.size()));
  }
  to.rows = std::move(rows);
  to.values = std::move(values);
  return to;
}

void winsorise(Matrix& matrix, const RunContext& run) {
  std::vector<Bounds> bounds(static_cast<std::size_t>(n_features(matrix)));
  detail::parallel_for(run, {}, n_features(matrix), [&](std::int64_t item) {
    const auto feature = static_cast<Index>(item);
    const auto values = changed_values(matrix, feature);
    bounds[feature] = winsor_bounds(values, n_samples(matrix));
    if (!std::holds_alternative<DenseMatrix>(matrix)) return;
    for (double& value : values)
      value = std::clamp(value, bounds[feature].low, bounds[feature].high);
  });
  if (const auto* sparse = std::get_if<SparseMatrix>(&matrix)) matrix = moved(*sparse, bounds);
}

std::vector<double> rank_features(Dataset& dataset, Centering centering, const RunContext& run) {
  Matrix& matrix = dataset.matrix;
  const bool is_sparse = std::holds_alternative<SparseMatrix>(matrix);
  if (is_sparse && centering == Centering::none) {
    throw Error(ErrorCode::invalid_option,
                "ranks of a sparse table keep their zeros only if the features are centred",
                dataset.source, {"center", "add {center=true}"});
  }
  const bool zero_stays =
      is_sparse || (centering == Centering::mean && density(matrix) < kMostlyZero);
  std::vector<double> origins(static_cast<std::size_t>(n_features(matrix)));
  detail::parallel_for(run, {}, n_features(matrix), [&](std::int64_t item) {
    const auto feature = static_cast<Index>(item);
    origins[feature] =
        rank_observed(changed_values(matrix, feature), n_samples(matrix), zero_stays);
  });
  if (!zero_stays) origins.clear();
  return origins;
}

}  // namespace

std::vector<double> transform(Dataset& dataset, Transform how, Centering centering,
                              const RunContext& run) {
  if (how == Transform::none || n_samples(dataset.matrix) == 0) return {};
  check_values(dataset, how);
  std::visit([](auto& held) { held.own(); }, dataset.matrix);
  if (how == Transform::rank) return rank_features(dataset, centering, run);
  if (how == Transform::winsor) {
    winsorise(dataset.matrix, run);
    return {};
  }
  detail::parallel_for(run, {}, n_features(dataset.matrix), [&](std::int64_t item) {
    for (double& value : changed_values(dataset.matrix, static_cast<Index>(item))) {
      value = how == Transform::log1p ? std::log1p(value) : std::sqrt(value);
    }
  });
  return {};
}

std::string on_scale(const std::string& name, Transform how) {
  return how == Transform::none ? name : fmt::format("{}({})", choice_name(how), name);
}

std::vector<std::string> on_scale(const std::vector<std::string>& names, Transform how) {
  std::vector<std::string> all;
  all.reserve(names.size());
  for (const std::string& name : names) all.push_back(on_scale(name, how));
  return all;
}

}  // namespace sfg
