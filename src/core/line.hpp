#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "sfg/window.hpp"

namespace sfg::detail {

/// Numbers of a list: [first, end).
struct Run {
  std::size_t first = 0;
  std::size_t end = 0;

  [[nodiscard]] std::size_t size() const noexcept { return end - first; }
};

/// Some features in the order of the line, or as given where there is no window (null). Those near
/// a feature are a run of them; along the line the runs never move back.
class Line {
 public:
  Line(std::span<const Index> features, const Window* window)
      : window_(window),
        features_(window != nullptr ? window->along_line(features)
                                    : std::vector<Index>(features.begin(), features.end())) {}

  [[nodiscard]] std::span<const Index> features() const noexcept { return features_; }
  [[nodiscard]] std::size_t size() const noexcept { return features_.size(); }
  [[nodiscard]] bool has_window() const noexcept { return window_ != nullptr; }

  /// Of the list those near a feature, which need not be in it.
  [[nodiscard]] Run near(Index feature) const {
    if (window_ == nullptr) return {0, features_.size()};
    const Index place = window_->place_of(feature);
    return {number_of(window_->first_near(place)), number_of(window_->end_near(place))};
  }
  /// Of the list those near some of these features, which are in the order of the line.
  [[nodiscard]] Run near_any(std::span<const Index> some) const {
    return {near(some.front()).first, near(some.back()).end};
  }

 private:
  [[nodiscard]] std::size_t number_of(Index place) const {
    const auto found = std::ranges::lower_bound(
        features_, place, {}, [&](Index feature) { return window_->place_of(feature); });
    return static_cast<std::size_t>(found - features_.begin());
  }

  const Window* window_;
  std::vector<Index> features_;
};

}  // namespace sfg::detail
