#include "convert.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <limits>
#include <span>

#include "sfg/error.hpp"

namespace sfg::python {

namespace {

using Values = py::array_t<double, py::array::f_style>;
template <typename Value>
using Contiguous = py::array_t<Value, py::array::c_style>;

/// What messages call data that came from Python.
constexpr const char* kSource = "X";

Index as_index(py::ssize_t size, const char* what) {
  if (size > std::numeric_limits<Index>::max()) {
    throw Error(ErrorCode::invalid_option, fmt::format("X has {} {}: at most {} are possible", size,
                                                       what, std::numeric_limits<Index>::max()));
  }
  return static_cast<Index>(size);
}

DenseMatrix borrow_dense(const py::object& data) {
  if (!Values::check_(data)) {
    throw py::type_error("X must be a float64 array in Fortran order");
  }
  const auto values = py::reinterpret_borrow<Values>(data);
  if (values.ndim() != 2) throw py::value_error("X must have two dimensions");
  return {as_index(values.shape(0), "samples"), as_index(values.shape(1), "features"),
          Buffer<double>::borrow({values.data(), static_cast<std::size_t>(values.size())})};
}

/// Whether every column is what SparseMatrix promises: rows in range, ascending, each once.
bool is_canonical(const SparseMatrix& matrix) {
  if (matrix.starts.size() != static_cast<std::size_t>(matrix.n_features) + 1 ||
      matrix.starts.front() != 0 ||
      matrix.starts.back() != static_cast<Offset>(matrix.rows.size()) ||
      matrix.rows.size() != matrix.values.size() || !std::ranges::is_sorted(matrix.starts)) {
    return false;
  }
  for (Index feature = 0; feature < matrix.n_features; ++feature) {
    Index last = -1;
    for (const Index row : matrix.column_rows(feature)) {
      if (row <= last || row >= matrix.n_samples) return false;
      last = row;
    }
  }
  return true;
}

/// The array itself, never a copy of it: that would be gone before the matrix is used.
template <typename Value>
std::span<const Value> borrow_array(const py::handle& array) {
  if (!Contiguous<Value>::check_(array)) {
    throw py::type_error("X must hold float64 values and int32 indices, without gaps");
  }
  const auto values = py::reinterpret_borrow<Contiguous<Value>>(array);
  return {values.data(), static_cast<std::size_t>(values.size())};
}

SparseMatrix borrow_sparse(const py::tuple& parts) {
  const auto starts =
      parts[2].cast<py::array_t<Offset, py::array::c_style | py::array::forcecast>>();
  const auto [n_samples, n_features] = parts[3].cast<std::pair<py::ssize_t, py::ssize_t>>();
  SparseMatrix matrix;
  matrix.n_samples = as_index(n_samples, "samples");
  matrix.n_features = as_index(n_features, "features");
  matrix.starts.assign(starts.data(), starts.data() + starts.size());
  matrix.rows = Buffer<Index>::borrow(borrow_array<Index>(parts[1]));
  matrix.values = Buffer<double>::borrow(borrow_array<double>(parts[0]));
  if (!is_canonical(matrix)) {
    throw Error(ErrorCode::malformed_input,
                "the indices of the sparse matrix X contradict its shape: call "
                "X.check_format() to see where");
  }
  return matrix;
}

}  // namespace

py::array_t<double> array_of(DenseMatrix&& matrix) {
  auto owner = std::make_unique<DenseMatrix>(std::move(matrix));
  const py::ssize_t n = owner->n_samples();
  const py::ssize_t d = owner->n_features();
  const double* data = std::as_const(*owner).data();
  const py::capsule free(owner.release(),
                         [](void* held) { delete static_cast<DenseMatrix*>(held); });
  constexpr auto kSize = static_cast<py::ssize_t>(sizeof(double));
  return py::array_t<double>({n, d}, {kSize, kSize * n}, data, free);
}

py::tuple csc_of(SparseMatrix&& matrix) {
  return py::make_tuple(array_of(std::move(matrix.values.own())),
                        array_of(std::move(matrix.rows.own())), array_of(std::move(matrix.starts)),
                        py::make_tuple(matrix.n_samples, matrix.n_features));
}

Matrix borrow_matrix(const py::object& data) {
  if (py::isinstance<py::tuple>(data)) return borrow_sparse(data);
  return borrow_dense(data);
}

Dataset borrow_dataset(const py::object& data, std::vector<std::string> names) {
  Dataset dataset;
  dataset.matrix = borrow_matrix(data);
  dataset.feature_names = std::move(names);
  dataset.name_source = NameSource::file;
  dataset.source = kSource;
  if (static_cast<Index>(dataset.feature_names.size()) != n_features(dataset.matrix)) {
    throw Error(ErrorCode::inconsistent_input,
                fmt::format("there are {} names for {} features", dataset.feature_names.size(),
                            n_features(dataset.matrix)));
  }
  return dataset;
}

Dataset borrow_dataset(const py::object& data, std::vector<std::string> names,
                       const py::object& batch) {
  Dataset dataset = borrow_dataset(data, std::move(names));
  if (!batch.is_none()) dataset.batch = Labels{"batch", batch.cast<std::vector<std::string>>()};
  return dataset;
}

}  // namespace sfg::python
