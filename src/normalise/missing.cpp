#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "sfg/error.hpp"
#include "sfg/normalise.hpp"

namespace sfg {

namespace {

/// The stored values of a feature: all of them (dense) or those that are not zero (sparse).
std::span<double> stored_values(Matrix& matrix, Index feature) {
  if (auto* dense = std::get_if<DenseMatrix>(&matrix)) return dense->column(feature);
  auto& sparse = std::get<SparseMatrix>(matrix);
  const auto begin = static_cast<std::size_t>(sparse.starts[feature]);
  const auto end = static_cast<std::size_t>(sparse.starts[feature + 1]);
  return {sparse.values.data() + begin, end - begin};
}

Index sample_of(const Matrix& matrix, Index feature, std::size_t stored) {
  if (std::holds_alternative<DenseMatrix>(matrix)) return static_cast<Index>(stored);
  return std::get<SparseMatrix>(matrix).column_rows(feature)[stored];
}

struct BadCells {
  Offset count = 0;
  std::vector<Index> features;
  std::vector<Offset> by_feature;  ///< of every feature
  std::string first;               ///< description of the first one
};

BadCells find_bad_cells(Dataset& dataset) {
  BadCells bad;
  bad.by_feature.assign(dataset.feature_names.size(), 0);
  for (Index feature = 0; feature < n_features(dataset.matrix); ++feature) {
    const auto values = stored_values(dataset.matrix, feature);
    bool any = false;
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (std::isfinite(values[k])) continue;
      if (bad.count == 0) {
        const Index sample = sample_of(dataset.matrix, feature, k);
        std::string place = fmt::format("sample {}", sample + 1);
        if (!dataset.sample_names.empty()) {
          place += fmt::format(" ({})", escaped(dataset.sample_names[sample]));
        }
        bad.first = fmt::format("{} in {}, feature '{}' (number {})",
                                std::isnan(values[k]) ? "missing" : "infinite", place,
                                escaped(dataset.feature_names[feature]), feature + 1);
      }
      ++bad.count;
      ++bad.by_feature[feature];
      any = true;
    }
    if (any) bad.features.push_back(feature);
  }
  return bad;
}

/// A feature's finite values; zeros that a sparse matrix does not store count too.
struct FiniteValues {
  std::vector<double> stored;
  double n_zeros = 0;

  [[nodiscard]] double count() const { return static_cast<double>(stored.size()) + n_zeros; }
};

FiniteValues finite_values(const Matrix& matrix, Index feature) {
  FiniteValues finite;
  // Only looked at: nothing is written through it.
  const auto values = stored_values(const_cast<Matrix&>(matrix), feature);
  finite.n_zeros = static_cast<double>(n_samples(matrix)) - static_cast<double>(values.size());
  for (const double value : values) {
    if (std::isfinite(value)) finite.stored.push_back(value);
  }
  return finite;
}

double mean_of(const FiniteValues& finite) {
  double mean = 0;
  double n_seen = finite.n_zeros;
  for (const double value : finite.stored) {
    n_seen += 1;
    // Running mean: no overflow where the sum would.
    mean += (value - mean) / n_seen;
  }
  return mean;
}

/// Of an even number of values the mean of the two in the middle.
double median_of(FiniteValues finite) {
  auto& values = finite.stored;
  values.resize(values.size() + static_cast<std::size_t>(finite.n_zeros), 0.0);
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  const double upper = *middle;
  if (values.size() % 2 == 1) return upper;
  const double lower = *std::max_element(values.begin(), middle);
  return lower / 2 + upper / 2;
}

void fill(Dataset& dataset, Index feature, double filling) {
  for (double& value : stored_values(dataset.matrix, feature)) {
    if (!std::isfinite(value)) value = filling;
  }
}

Index drop_samples(Dataset& dataset) {
  const Index n = n_samples(dataset.matrix);
  std::vector<bool> is_bad(static_cast<std::size_t>(n), false);
  for (Index feature = 0; feature < n_features(dataset.matrix); ++feature) {
    const auto values = stored_values(dataset.matrix, feature);
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (!std::isfinite(values[k])) is_bad[sample_of(dataset.matrix, feature, k)] = true;
    }
  }
  std::vector<Index> rest;
  for (Index sample = 0; sample < n; ++sample) {
    if (!is_bad[sample]) rest.push_back(sample);
  }
  if (rest.empty()) {
    throw Error(ErrorCode::degenerate_data,
                "every sample has missing or infinite values, so none is left", dataset.source,
                {"missing", "fill the gaps with {missing=median}"});
  }
  dataset = select_samples(dataset, rest);
  return n - static_cast<Index>(rest.size());
}

void drop(Dataset& dataset, const std::vector<Index>& dropped) {
  std::vector<Index> rest;
  std::size_t next = 0;
  for (Index feature = 0; feature < n_features(dataset.matrix); ++feature) {
    if (next < dropped.size() && dropped[next] == feature) {
      ++next;
    } else {
      rest.push_back(feature);
    }
  }
  if (rest.empty()) {
    throw Error(ErrorCode::degenerate_data,
                "every feature has missing or infinite values, so none is left", dataset.source,
                {"missing", "fill the gaps with {missing=mean}"});
  }
  dataset = select_features(dataset, rest);
}

}  // namespace

MissingReport resolve_missing(Dataset& dataset, Missing policy) {
  const BadCells bad = find_bad_cells(dataset);
  MissingReport report;
  report.n_cells = bad.count;
  if (bad.count == 0) return report;
  if (policy == Missing::refuse) {
    throw Error(
        ErrorCode::malformed_input,
        fmt::format("{} missing or infinite value{}, the first is {}", bad.count,
                    bad.count == 1 ? "" : "s", bad.first),
        dataset.source,
        {"missing",
         "fill them in with {missing=mean} or {missing=median}, or leave out their features "
         "with {missing=drop-feature} or their samples with {missing=drop-sample}"});
  }
  dataset.n_missing = bad.by_feature;
  if (policy == Missing::drop_sample) {
    report.n_dropped_samples = drop_samples(dataset);
    return report;
  }
  std::vector<Index> dropped;
  for (const Index feature : bad.features) {
    FiniteValues finite = finite_values(dataset.matrix, feature);
    const double fewest = policy == Missing::pairwise ? kFewestCommon : 1;
    const bool is_dropped = policy == Missing::drop_feature || finite.count() < fewest;
    auto& names = is_dropped                    ? report.dropped
                  : policy == Missing::pairwise ? report.features_with_gaps
                                                : report.filled_features;
    names.push_back(dataset.feature_names[feature]);
    if (is_dropped) {
      dropped.push_back(feature);
    } else if (policy == Missing::pairwise) {
      fill(dataset, feature, std::numeric_limits<double>::quiet_NaN());
    } else {
      fill(dataset, feature,
           policy == Missing::mean ? mean_of(finite) : median_of(std::move(finite)));
    }
  }
  if (!dropped.empty()) drop(dataset, dropped);
  return report;
}

FillValues fill_values(const Matrix& matrix, std::span<const Index> features) {
  FillValues values;
  for (const Index feature : features) {
    FiniteValues finite = finite_values(matrix, feature);
    values.mean.push_back(mean_of(finite));
    values.median.push_back(median_of(std::move(finite)));
  }
  return values;
}

MissingReport fill_missing(Dataset& dataset, std::span<const double> values) {
  const BadCells bad = find_bad_cells(dataset);
  MissingReport report;
  report.n_cells = bad.count;
  for (const Index feature : bad.features) {
    report.filled_features.push_back(dataset.feature_names[feature]);
    fill(dataset, feature, values[feature]);
  }
  return report;
}

}  // namespace sfg
