#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sfg/dataset.hpp"

// Data and results on their way between numpy and the library. Numbers are never copied where
// memory can be shared.
namespace sfg::python {

namespace py = pybind11;

/// An array that takes the vector's memory over.
template <typename Value>
[[nodiscard]] py::array_t<Value> array_of(std::vector<Value>&& values) {
  auto owner = std::make_unique<std::vector<Value>>(std::move(values));
  const auto size = static_cast<py::ssize_t>(owner->size());
  const Value* data = owner->data();
  const py::capsule free(owner.release(),
                         [](void* held) { delete static_cast<std::vector<Value>*>(held); });
  return py::array_t<Value>({size}, {static_cast<py::ssize_t>(sizeof(Value))}, data, free);
}

/// One number of each item, in an array.
template <typename Value, typename Items, typename Part>
[[nodiscard]] py::array_t<Value> array_of_each(const Items& items, Part part) {
  std::vector<Value> values;
  values.reserve(items.size());
  for (const auto& item : items) values.push_back(part(item));
  return array_of(std::move(values));
}

/// Samples x features, in Fortran order, in the matrix's memory.
[[nodiscard]] py::array_t<double> array_of(DenseMatrix&& matrix);

/// (data, indices, indptr, shape) as scipy.sparse.csc_matrix takes them.
[[nodiscard]] py::tuple csc_of(SparseMatrix&& matrix);

/// A table in the memory of the caller: float64 arrays in Fortran order, or (data, indices, indptr,
/// shape) of a CSC matrix in canonical form without stored zeros. The Python side has made sure
/// that the values are finite, or NaN where gaps are welcome; the shapes are checked here.
[[nodiscard]] Matrix borrow_matrix(const py::object& data);

/// borrow_matrix with names, for stages that want a whole data set.
[[nodiscard]] Dataset borrow_dataset(const py::object& data, std::vector<std::string> names);
/// The same with the batch of each sample, or None.
[[nodiscard]] Dataset borrow_dataset(const py::object& data, std::vector<std::string> names,
                                     const py::object& batch);

}  // namespace sfg::python
