#pragma once

#include "sfg/pipeline.hpp"
#include "words.hpp"

namespace sfg::python {

/// Options of the whole method from the parameters of SparseFeatureGraph. Combinations that have no
/// meaning are refused on the Python side, ranges by the library.
[[nodiscard]] MethodOptions method_options(const Words& words);

}  // namespace sfg::python
