#include "reduce/suspects.hpp"

#include <algorithm>
#include <map>

namespace sfg::detail {

namespace {

/// By feature the numbers of the broken relations that it is in.
using Places = std::map<Index, std::vector<std::size_t>>;

Places places_of(const std::vector<WatchedFeatures>& broken, const std::vector<char>& is_open) {
  Places places;
  for (std::size_t r = 0; r < broken.size(); ++r) {
    if (is_open[r] == 0) continue;
    for (const Index feature : broken[r]) places[feature].push_back(r);
  }
  return places;
}

}  // namespace

std::vector<Suspect> find_suspects(const std::vector<WatchedFeatures>& broken,
                                   const std::vector<WatchedFeatures>& whole,
                                   std::size_t n_features) {
  std::vector<std::ptrdiff_t> n_whole(n_features, 0);
  for (const auto& features : whole) {
    for (const Index feature : features) ++n_whole[feature];
  }
  std::vector<Suspect> suspects;
  std::vector<char> is_open(broken.size(), 1);
  for (;;) {
    const Places places = places_of(broken, is_open);
    const auto score = [&](const Places::value_type& one) {
      return static_cast<std::ptrdiff_t>(one.second.size()) - n_whole[one.first];
    };
    const auto best = std::ranges::max_element(places, {}, score);
    if (best == places.end() || score(*best) <= 0) break;
    Suspect suspect{.n_broken = static_cast<Index>(best->second.size())};
    for (const auto& one : places) {
      const bool is_as_good = one.second == best->second && score(one) == score(*best);
      if (is_as_good) suspect.features.push_back(one.first);
    }
    for (const std::size_t r : best->second) is_open[r] = 0;
    suspects.push_back(std::move(suspect));
  }
  std::ranges::stable_sort(suspects, std::ranges::greater{}, &Suspect::n_broken);
  return suspects;
}

}  // namespace sfg::detail
