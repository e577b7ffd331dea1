#pragma once

#include <string>

#include "sfg/stability.hpp"

namespace sfg {

/// SVG: in which share of the repeats each kept feature is kept, and its family, highest first;
/// beside them what chance would give a family, and the share that makes a family stable. The title
/// names the data. Names are escaped.
[[nodiscard]] std::string stability_figure(const std::string& name, const StabilityOptions& options,
                                           const StabilityResult& result);

}  // namespace sfg
