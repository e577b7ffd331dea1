#pragma once

#include <concepts>
#include <cstddef>
#include <vector>

#include "sfg/matrix.hpp"

// Options that are about features of the data.
namespace sfg {

/// Features of the user's choice, by number. Outside of C++ they are given by name.
struct FeatureList : std::vector<Index> {
  using std::vector<Index>::vector;
};

/// One number per feature of the user's choice; NaN where none is given. Outside of C++ they are
/// given by name.
struct FeatureNumbers : std::vector<double> {
  using std::vector<double>::vector;
};

/// Where each feature of the user's lies on a line, such as a chromosome, a spectrum or a time
/// axis. Outside of C++ they are given by name.
struct FeaturePositions {
  std::vector<Index> chromosome;  ///< by feature; features of two of them are never near
  std::vector<double> position;   ///< by feature, within its chromosome

  [[nodiscard]] bool empty() const noexcept { return position.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return position.size(); }
};

namespace detail {

/// Whether a value is given by the names of features.
template <typename Value>
inline constexpr bool is_by_feature =
    std::same_as<Value, FeatureList> || std::same_as<Value, FeatureNumbers> ||
    std::same_as<Value, FeaturePositions>;

}  // namespace detail

}  // namespace sfg
