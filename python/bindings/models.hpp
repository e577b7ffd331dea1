#pragma once

#include <pybind11/pybind11.h>

// The class _core.Model: a model file in memory.
namespace sfg::python {

void add_model_class(pybind11::module_& module);

}  // namespace sfg::python
