#pragma once

#include <pybind11/pybind11.h>

#include "sfg/pipeline.hpp"

// Results of the library as dictionaries of arrays.
namespace sfg::python {

namespace py = pybind11;

[[nodiscard]] py::dict result_of(MethodResult&& result, const MethodOptions& options);
/// What a model file says of the features, in the same words.
[[nodiscard]] py::dict model_dict(const Model& model);
/// The levels that were judged, from fine to coarse, by column.
[[nodiscard]] py::dict levels_tried(const MethodResult& result);
[[nodiscard]] py::dict seconds_of(const StageSeconds& seconds);

}  // namespace sfg::python
