#pragma once

#include "sfg/pursuit.hpp"

namespace sfg::detail {

/// The features as an engine works on them: sparse for the sparse one, dense for the others. They
/// themselves if they are so already, else `converted`, which then holds them.
[[nodiscard]] const UnitFeatures& in_engine_form(const UnitFeatures& features, Engine engine,
                                                 UnitFeatures& converted);

}  // namespace sfg::detail
