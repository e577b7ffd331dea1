#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "sfg/drift.hpp"
#include "sfg/pipeline.hpp"
#include "sfg/synth.hpp"

namespace sfg::testing {

/// Rows [from, to) of a table.
inline Dataset rows_between(const Dataset& data, Index from, Index to) {
  std::vector<Index> rows(static_cast<std::size_t>(to - from));
  std::iota(rows.begin(), rows.end(), from);
  return select_samples(data, rows);
}

/// What `sfg reduce` would write as a model.
inline Model model_of(const Dataset& data, const MethodOptions& options = {}) {
  return make_model(data, options, reduce(data, options), Missing::refuse);
}

/// A weather station: temp_in in tenths, temp_f and kelvin exact sums of it up to the last digit,
/// dew and glass predictions with noise; pressure and wind on their own, and a copy of wind.
inline Dataset station(Index n_samples, std::uint64_t seed) {
  detail::Random random(seed);
  Dataset data;
  data.feature_names = {"temp_in",  "temp_f", "kelvin",     "dew",
                        "pressure", "wind",   "wind_again", "glass"};
  data.name_source = NameSource::file;
  data.source = "station.csv";
  DenseMatrix matrix(n_samples, 8);
  for (Index i = 0; i < n_samples; ++i) {
    const double tenths = std::round(200 + 50 * random.normal());
    const double temperature = tenths / 10;
    const double wind = std::round(100 * random.uniform(0, 20)) / 100;
    const double pressure = std::round(10 * (1013 + 8 * random.normal())) / 10;
    const std::array<double, 8> row{temperature,
                                    std::round(18 * temperature + 320) / 10,
                                    std::round(100 * (temperature + 273.15)) / 100,
                                    0.9 * temperature - 4 + 0.5 * random.normal(),
                                    pressure,
                                    wind,
                                    wind,
                                    2 * pressure - 30 + 3 * random.normal()};
    for (Index f = 0; f < 8; ++f) matrix(i, f) = row[f];
  }
  data.matrix = std::move(matrix);
  return data;
}

/// Of a station keep temp_in, pressure and wind.
inline MethodOptions three_features() {
  MethodOptions options;
  options.keep = {{0, 4, 5}};
  options.grouping = CompactOptions{.level = {.n_features = 3}};
  return options;
}

/// The table with one column changed, value by value, from a row on.
inline Dataset with_changed(Dataset data, const std::string& name,
                            const std::function<double(double)>& change, Index from = 0) {
  const auto place = std::ranges::find(data.feature_names, name) - data.feature_names.begin();
  auto& matrix = std::get<DenseMatrix>(data.matrix);
  for (Index i = from; i < matrix.n_samples(); ++i) {
    matrix(i, static_cast<Index>(place)) = change(matrix(i, static_cast<Index>(place)));
  }
  return data;
}

inline std::vector<std::string> names_in(const Model& model, const std::vector<Index>& features) {
  std::vector<std::string> names;
  for (const Index feature : features) names.push_back(model.feature_names[feature]);
  return names;
}

}  // namespace sfg::testing
