#pragma once

#include <matio.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "read/readers.hpp"
#include "sfg/dataset.hpp"

namespace sfg::testing {

/// Makes MAT files with matio for the tests.
class MatMaker {
 public:
  MatMaker(const std::filesystem::path& path, mat_ft version)
      : file_(Mat_CreateVer(path.c_str(), "MATLAB 5.0 MAT-file", version)) {}

  template <typename Value>
  MatMaker& add(const char* name, matio_classes kind, matio_types type,
                std::vector<std::size_t> extents, std::vector<Value> values, int flags = 0) {
    matvar_t* variable = Mat_VarCreate(name, kind, type, static_cast<int>(extents.size()),
                                       extents.data(), values.data(), flags);
    Mat_VarWrite(file_.get(), variable, MAT_COMPRESSION_NONE);
    Mat_VarFree(variable);
    return *this;
  }

  MatMaker& add_doubles(const char* name, std::size_t rows, std::size_t columns,
                        std::vector<double> values) {
    return add(name, MAT_C_DOUBLE, MAT_T_DOUBLE, {rows, columns}, std::move(values));
  }

  MatMaker& add_cell_of_numbers(const char* name, std::size_t count) {
    std::size_t extents[] = {count, 1};
    std::size_t one[] = {1, 1};
    double value = 1;
    matvar_t* cells = Mat_VarCreate(name, MAT_C_CELL, MAT_T_CELL, 2, extents, nullptr, 0);
    for (std::size_t i = 0; i < count; ++i) {
      Mat_VarSetCell(cells, static_cast<int>(i),
                     Mat_VarCreate(nullptr, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, one, &value, 0));
    }
    Mat_VarWrite(file_.get(), cells, MAT_COMPRESSION_NONE);
    Mat_VarFree(cells);
    return *this;
  }

  MatMaker& add_sparse(const char* name, std::size_t rows, std::size_t columns,
                       std::vector<mat_uint32_t> starts, std::vector<mat_uint32_t> indices,
                       std::vector<double> values) {
    std::size_t extents[] = {rows, columns};
    mat_sparse_t sparse{};
    sparse.nzmax = sparse.nir = sparse.ndata = static_cast<mat_uint32_t>(indices.size());
    sparse.njc = static_cast<mat_uint32_t>(starts.size());
    sparse.ir = indices.data();
    sparse.jc = starts.data();
    sparse.data = values.data();
    matvar_t* variable =
        Mat_VarCreate(name, MAT_C_SPARSE, MAT_T_DOUBLE, 2, extents, &sparse, MAT_F_DONT_COPY_DATA);
    Mat_VarWrite(file_.get(), variable, MAT_COMPRESSION_NONE);
    Mat_VarFree(variable);
    return *this;
  }

 private:
  struct CloseFile {
    void operator()(mat_t* file) const { Mat_Close(file); }
  };
  std::unique_ptr<mat_t, CloseFile> file_;
};

/// A MAT file of version 5 or 7.3, by the reader that it needs.
inline detail::RawTable read_mat(const std::filesystem::path& path, const ReadOptions& options,
                                 const RunContext& run) {
  const detail::InputBytes input(path, run.memory_limit);
  return detail::is_mat73(input.bytes()) ? detail::read_mat73(path, options, run)
                                         : detail::read_mat(input, options, run);
}

/// Three samples, two features, names and labels that are not all plain ASCII.
inline Dataset small_dataset() {
  Dataset dataset;
  DenseMatrix matrix(3, 2);
  for (Index i = 0; i < 6; ++i) matrix.data()[i] = 0.1 * i;
  dataset.matrix = matrix;
  dataset.feature_names = {"gene \xce\xb1", "\xf0\x9f\xa7\xac"};
  dataset.name_source = NameSource::file;
  dataset.labels = Labels{"kind", {"a", "", "long label"}};
  return dataset;
}

}  // namespace sfg::testing
