#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sfg/matrix.hpp"
#include "sfg/options.hpp"

// Features along a line: markers on chromosomes, wavelengths, hours. There only neighbours may
// stand for each other, and only neighbours are compared, so that time and memory grow with the
// number of features and not with its square.
namespace sfg {

/// What the groupings have that know of neighbours.
struct WindowOptions {
  /// Features that are farther from each other than this do not stand for each other. In features
  /// in the order of the table or, with positions, in their unit.
  std::optional<double> window = {};
  FeaturePositions positions = {};
};

template <OptionsOf<WindowOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({.name = "window",
         .help = "Only features at most this far from each other stand for each other: in features "
                 "of the table's order or, with {positions}, in their unit",
         .limits = above(0),
         .form = "NUMBER[k|M]",
         .takes_suffix = true},
        options.window);
  visit({"positions", "Where features lie: feature, chromosome and position"}, options.positions);
}

/// Throws invalid_option for positions without a window.
void check(const WindowOptions& options);

/// ", among neighbours within 500 features"; nothing without a window.
[[nodiscard]] std::string describe(const WindowOptions& options);

/// Who is near whom. Features are in the order of the line: by chromosome, position and number. A
/// *place* is a feature's number in that order. What is near one place is a run of places, and the
/// runs move on with the place.
class Window {
 public:
  /// O(d log d). Throws inconsistent_input if the positions are not of so many features.
  Window(const WindowOptions& options, Index n_features);

  [[nodiscard]] std::span<const Index> order() const noexcept { return order_; }
  [[nodiscard]] Index place_of(Index feature) const noexcept { return place_[feature]; }
  /// The places near a place, itself among them: [first_near, end_near).
  [[nodiscard]] Index first_near(Index place) const noexcept { return first_[place]; }
  [[nodiscard]] Index end_near(Index place) const noexcept { return end_[place]; }
  [[nodiscard]] bool near(Index a, Index b) const noexcept {
    return place_[b] >= first_[place_[a]] && place_[b] < end_[place_[a]];
  }
  /// Places from the first to the last of those that are near one: the most of any.
  [[nodiscard]] Index widest() const noexcept;

  /// The features in the order of the line.
  [[nodiscard]] std::vector<Index> along_line(std::span<const Index> features) const;

 private:
  std::vector<Index> order_;
  std::vector<Index> place_;
  std::vector<Index> first_;
  std::vector<Index> end_;
};

/// Null where the options ask for no window: then every feature is near every other.
[[nodiscard]] std::shared_ptr<const Window> make_window(const WindowOptions& options,
                                                        Index n_features);

}  // namespace sfg
