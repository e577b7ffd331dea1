#include "normalise/observed_table.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "normalise/products.hpp"

namespace sfg::detail {

namespace {

/// Samples without any of these gaps, ascending.
std::vector<Index> common_samples(const UnitFeatures& features, std::span<const Index> chosen) {
  std::vector<Index> common(static_cast<std::size_t>(features.n_samples()));
  std::iota(common.begin(), common.end(), Index{0});
  for (const Index feature : chosen) {
    std::vector<Index> left;
    std::ranges::set_difference(common, features.gaps->of(feature), std::back_inserter(left));
    common = std::move(left);
  }
  return common;
}

UnitFeatures over_samples(const UnitFeatures& centred, std::span<const Index> chosen,
                          const std::vector<Index>& samples) {
  DenseMatrix values(static_cast<Index>(samples.size()), static_cast<Index>(chosen.size()));
  std::vector<double> column(static_cast<std::size_t>(centred.n_samples()));
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    expand(centred, chosen[k], column.data());
    const auto to = values.column(static_cast<Index>(k));
    for (std::size_t i = 0; i < samples.size(); ++i) to[i] = column[samples[i]];
  }
  RunContext alone;
  alone.threads = 1;
  UnitFeatures together = normalise(Matrix(std::move(values)), {Centering::mean}, alone);
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    // x = mean + norm f and f = m + s g: x = (mean + norm m) + (norm s) g.
    const double norm = centred.norm[chosen[k]];
    const int exponent = centred.norm_exponent[chosen[k]];
    together.mean[k] = centred.mean[chosen[k]] + std::ldexp(norm * together.mean[k], exponent);
    together.norm[k] = norm * std::ldexp(together.norm[k], together.norm_exponent[k]);
    together.norm_exponent[k] = exponent;
  }
  return together;
}

}  // namespace

ObservedTable::ObservedTable(const UnitFeatures& centred, Index target,
                             std::span<const Index> features)
    : centred_(centred), chosen_{target} {
  chosen_.insert(chosen_.end(), features.begin(), features.end());
  const auto has_gaps = [&](Index feature) { return !centred.gaps->of(feature).empty(); };
  if (centred.gaps == nullptr || std::ranges::none_of(chosen_, has_gaps)) return;
  places_.resize(chosen_.size());
  std::iota(places_.begin(), places_.end(), Index{0});
  own_ = over_samples(centred, chosen_, common_samples(centred, chosen_));
}

double ObservedTable::weight_outside(Index feature, double weight) const {
  if (!own_) return weight;
  const auto scale = [&](Index place) { return own_->norm[place] / centred_.norm[chosen_[place]]; };
  return weight * scale(0) / scale(feature);
}

bool ObservedTable::has_samples(Index per_feature) const {
  const auto needed = static_cast<Index>(chosen_.size() - 1) * per_feature;
  return !own_ || own_->n_samples() >= std::max(kFewestCommon, needed);
}

}  // namespace sfg::detail
