#include "sfg/window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "sfg/error.hpp"

namespace sfg {

void check(const WindowOptions& options) {
  check_fields(options);
  if (options.positions.empty() || options.window) return;
  throw Error(ErrorCode::invalid_option, "", "",
              {"positions",
               "{positions} say where features lie, but not how far they may be from "
               "each other: add {window}"});
}

std::string describe(const WindowOptions& options) {
  if (!options.window) return {};
  return fmt::format(", among neighbours within {:.15g}{}", *options.window,
                     options.positions.empty() ? " features" : " along positions");
}

Window::Window(const WindowOptions& options, Index n_features)
    : order_(static_cast<std::size_t>(n_features)),
      place_(order_.size()),
      first_(order_.size()),
      end_(order_.size()) {
  const FeaturePositions& given = options.positions;
  const bool has_positions = !given.empty();
  if (has_positions &&
      (given.size() != order_.size() || given.chromosome.size() != order_.size() ||
       !std::ranges::all_of(given.position, [](double x) { return std::isfinite(x); }))) {
    throw Error(ErrorCode::inconsistent_input,
                fmt::format("{} positions of {} features: each needs one, and a chromosome",
                            given.size(), n_features));
  }
  const auto chromosome = [&](Index i) { return has_positions ? given.chromosome[i] : 0; };
  const auto position = [&](Index i) { return has_positions ? given.position[i] : double(i); };
  std::iota(order_.begin(), order_.end(), Index{0});
  if (has_positions) {
    std::ranges::stable_sort(order_, [&](Index a, Index b) {
      return std::tuple(chromosome(a), position(a)) < std::tuple(chromosome(b), position(b));
    });
  }
  const double width = options.window.value_or(0);
  Index first = 0;
  for (Index place = 0; place < n_features; ++place) {
    const Index feature = order_[place];
    place_[feature] = place;
    // The difference of two doubles grows with the first one: who is near is one run of places.
    while (chromosome(order_[first]) != chromosome(feature) ||
           position(feature) - position(order_[first]) > width) {
      end_[first++] = place;
    }
    first_[place] = first;
  }
  std::fill(end_.begin() + first, end_.end(), n_features);
}

Index Window::widest() const noexcept {
  Index widest = 0;
  for (std::size_t p = 0; p < order_.size(); ++p) widest = std::max(widest, end_[p] - first_[p]);
  return widest;
}

std::vector<Index> Window::along_line(std::span<const Index> features) const {
  std::vector<Index> sorted(features.begin(), features.end());
  std::ranges::sort(sorted, {}, [&](Index feature) { return place_[feature]; });
  return sorted;
}

std::shared_ptr<const Window> make_window(const WindowOptions& options, Index n_features) {
  return options.window ? std::make_shared<const Window>(options, n_features) : nullptr;
}

}  // namespace sfg
