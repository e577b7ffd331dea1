#pragma once

#include <limits>

#include "sfg/pursuit.hpp"

namespace sfg::detail {

/// The features as an engine works on them: sparse for the sparse one, dense for the others. They
/// themselves if they are so already, else `converted`, which then holds them.
[[nodiscard]] const UnitFeatures& in_engine_form(const UnitFeatures& features, Engine engine,
                                                 UnitFeatures& converted);

/// Entries that the sparse form of the features stores; counting ends where there are `enough`.
[[nodiscard]] Offset n_sparse_entries(const UnitFeatures& features,
                                      Offset enough = std::numeric_limits<Offset>::max());

}  // namespace sfg::detail
