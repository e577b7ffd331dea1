#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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
  std::string first;  ///< description of the first one
};

BadCells find_bad_cells(Dataset& dataset) {
  BadCells bad;
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
      any = true;
    }
    if (any) bad.features.push_back(feature);
  }
  return bad;
}

bool has_finite(const Dataset& dataset, Index feature) {
  if (const auto* dense = std::get_if<DenseMatrix>(&dataset.matrix)) {
    return std::ranges::any_of(dense->column(feature), [](double x) { return std::isfinite(x); });
  }
  const auto& sparse = std::get<SparseMatrix>(dataset.matrix);
  const auto values = sparse.column_values(feature);
  return static_cast<Index>(values.size()) < sparse.n_samples ||
         std::ranges::any_of(values, [](double x) { return std::isfinite(x); });
}

void fill_with_mean(Dataset& dataset, Index feature) {
  const auto values = stored_values(dataset.matrix, feature);
  // Mean over all samples with a finite value; zeros that a sparse matrix does not store count too.
  const double n_implicit_zeros =
      static_cast<double>(n_samples(dataset.matrix)) - static_cast<double>(values.size());
  double mean = 0;
  double n_finite = n_implicit_zeros;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    n_finite += 1;
    // Running mean: no overflow where the sum would.
    mean += (value - mean) / n_finite;
  }
  for (double& value : values) {
    if (!std::isfinite(value)) value = mean;
  }
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
    throw Error(ErrorCode::malformed_input,
                fmt::format("{} missing or infinite value{}, the first is {}", bad.count,
                            bad.count == 1 ? "" : "s", bad.first),
                dataset.source,
                {"missing",
                 "fill them in with {missing=mean} or leave out their features with "
                 "{missing=drop-feature}"});
  }
  std::vector<Index> dropped;
  for (const Index feature : bad.features) {
    const bool is_dropped = policy == Missing::drop_feature || !has_finite(dataset, feature);
    auto& names = is_dropped ? report.dropped : report.filled_features;
    names.push_back(dataset.feature_names[feature]);
    if (is_dropped) {
      dropped.push_back(feature);
    } else {
      fill_with_mean(dataset, feature);
    }
  }
  if (!dropped.empty()) drop(dataset, dropped);
  return report;
}

}  // namespace sfg
