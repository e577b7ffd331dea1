#include "predict/sample_folds.hpp"

#include <numeric>

#include "core/random.hpp"
#include "normalise/products.hpp"

namespace sfg::detail {

SampleFolds::SampleFolds(std::size_t n_samples, std::size_t n_folds, std::uint64_t seed) {
  std::vector<std::size_t> shuffled(n_samples);
  std::iota(shuffled.begin(), shuffled.end(), std::size_t{0});
  Random random(seed);
  shuffle(shuffled, random);
  for (std::size_t fold = 0; fold < n_folds; ++fold) {
    for (std::size_t k = fold; k < n_samples; k += n_folds) order_.push_back(shuffled[k]);
    fold_at_.resize(order_.size(), fold);
    starts_.push_back(order_.size());
  }
}

void expand_by_place(const UnitFeatures& centred, const HeldOutTarget& target,
                     const SampleFolds& folds, std::vector<double>& samples, double* out) {
  samples.resize(folds.n_samples());
  expand(centred, target.feature, samples.data());
  if (target.permuted_by) {
    Random random(*target.permuted_by);
    shuffle(samples, random);
  }
  for (std::size_t place = 0; place < samples.size(); ++place) {
    out[place] = samples[folds.sample_at(place)];
  }
}

std::vector<char> gaps_by_place(const UnitFeatures& centred, const HeldOutTarget& target,
                                const SampleFolds& folds) {
  if (centred.gaps == nullptr || centred.gaps->of(target.feature).empty()) return {};
  std::vector<char> samples(folds.n_samples(), 0);
  for (const Index sample : centred.gaps->of(target.feature)) samples[sample] = 1;
  if (target.permuted_by) {
    Random random(*target.permuted_by);
    shuffle(samples, random);
  }
  std::vector<char> places(samples.size());
  for (std::size_t place = 0; place < samples.size(); ++place) {
    places[place] = samples[folds.sample_at(place)];
  }
  return places;
}

}  // namespace sfg::detail
