#pragma once

#include <pybind11/pybind11.h>

namespace sfg::python {

namespace py = pybind11;

/// The numbers of a table that comes through the Arrow C stream interface (a capsule named
/// "arrow_array_stream"; polars, pyarrow, DuckDB and others make them), as (float64 array of
/// samples x features in Fortran order, names). Missing values become NaN. Uses the stream up.
/// Throws malformed_input for columns that hold no numbers.
[[nodiscard]] py::tuple arrow_table(const py::capsule& capsule);

}  // namespace sfg::python
