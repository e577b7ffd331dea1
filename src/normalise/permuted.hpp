#pragma once

#include <span>

#include "core/random.hpp"
#include "sfg/normalise.hpp"

namespace sfg::detail {

/// Some features with their samples in random order, each in its own: what no other feature can
/// know. They say how much seems to be known by chance.
[[nodiscard]] UnitFeatures permuted(const UnitFeatures& features, std::span<const Index> chosen,
                                    Random& random);

}  // namespace sfg::detail
