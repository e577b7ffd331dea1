#ifdef SFG_WITH_HDF5

#include "read/h5ad_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/threads.hpp"
#include "read/compressed.hpp"
#include "read/readers.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// Rows and columns of a block of a dense dataset.
struct Block {
  std::array<hsize_t, 2> start;
  std::array<hsize_t, 2> count;
};

/// Blocks of whole chunks, so that no chunk is unpacked twice, of this many values if chunks allow.
constexpr hsize_t kBlockValues = hsize_t{1} << 20;

std::array<hsize_t, 2> block_shape(const Hdf5Node& dataset, std::array<hsize_t, 2> extents,
                                   std::size_t rank, const RunContext& run) {
  std::array<hsize_t, 2> shape{1, 1};
  const Hdf5Handle creation(H5Dget_create_plist(dataset.id()), H5Pclose);
  if (H5Pget_layout(creation.id()) == H5D_CHUNKED) {
    if (H5Pget_chunk(creation.id(), static_cast<int>(rank), shape.data()) < 0) {
      throw_damaged(dataset.what);
    }
    const Hdf5Handle type(H5Dget_type(dataset.id()), H5Tclose);
    check_size(dataset.what + ", one chunk of it", 1, 1,
               static_cast<double>(shape[0]) * static_cast<double>(shape[1]),
               static_cast<double>(H5Tget_size(type.id())), run);
  }
  for (const std::size_t axis : {0, 1}) {
    extents[axis] = std::max<hsize_t>(extents[axis], 1);
    shape[axis] = std::clamp<hsize_t>(shape[axis], 1, extents[axis]);
  }
  // Grow along the rows first: they are contiguous.
  for (const std::size_t axis : {1, 0}) {
    const hsize_t times = std::max<hsize_t>(1, kBlockValues / (shape[0] * shape[1]));
    shape[axis] = std::min(shape[axis] * times, extents[axis]);
  }
  return shape;
}

/// Reads one block into `buffer` (row by row) and from there into the matrix.
class BlockReader {
 public:
  BlockReader(const Hdf5Node& dataset, std::size_t most_values)
      : dataset_(dataset),
        type_(H5Dget_type(dataset.id()), H5Tclose),
        file_space_(H5Dget_space(dataset.id()), H5Sclose) {
    const H5T_class_t kind = H5Tget_class(type_.id());
    is_boolean_ = kind == H5T_ENUM && H5Tget_size(type_.id()) == 1;
    if (kind != H5T_INTEGER && kind != H5T_FLOAT && !is_boolean_) {
      throw Error(
          ErrorCode::malformed_input,
          fmt::format("{}: holds something other than numbers; save it as float64", dataset.what));
    }
    values_.resize(most_values);
    if (is_boolean_) booleans_.resize(most_values);
  }

  void read_into(const Block& block, DenseMatrix& matrix) {
    const hsize_t total = block.count[0] * block.count[1];
    const Hdf5Handle memory_space(H5Screate_simple(1, &total, nullptr), H5Sclose);
    const herr_t selected = H5Sselect_hyperslab(
        file_space_.id(), H5S_SELECT_SET, block.start.data(), nullptr, block.count.data(), nullptr);
    void* target = is_boolean_ ? static_cast<void*>(booleans_.data()) : values_.data();
    const hid_t memory_type = is_boolean_ ? type_.id() : H5T_NATIVE_DOUBLE;
    if (selected < 0 || H5Dread(dataset_.id(), memory_type, memory_space.id(), file_space_.id(),
                                H5P_DEFAULT, target) < 0) {
      throw_damaged(dataset_.what);
    }
    if (is_boolean_) std::ranges::copy(booleans_, values_.begin());
    scatter(block, matrix);
  }

 private:
  void scatter(const Block& block, DenseMatrix& matrix) const {
    constexpr std::size_t kTile = 64;
    const std::size_t n_rows = block.count[0];
    const std::size_t n_columns = block.count[1];
    for (std::size_t row0 = 0; row0 < n_rows; row0 += kTile) {
      const std::size_t row_end = std::min(n_rows, row0 + kTile);
      for (std::size_t column = 0; column < n_columns; ++column) {
        const auto target = matrix.column(static_cast<Index>(block.start[1] + column));
        for (std::size_t row = row0; row < row_end; ++row) {
          target[block.start[0] + row] = values_[row * n_columns + column];
        }
      }
    }
  }

  const Hdf5Node& dataset_;
  Hdf5Handle type_;
  Hdf5Handle file_space_;
  bool is_boolean_ = false;
  std::vector<double> values_;
  std::vector<std::int8_t> booleans_;
};

DenseMatrix read_dense(const Hdf5Node& dataset, const RunContext& run) {
  const auto given = checked_extents(dataset);
  if (given.empty() || given.size() > 2) {
    throw Error(
        ErrorCode::malformed_input,
        fmt::format("{}: has {} dimensions, but a table has 2; save it as samples x features",
                    dataset.what, given.size()));
  }
  const std::array<hsize_t, 2> extents{given[0], given.size() == 2 ? given[1] : 1};
  const auto rows = static_cast<double>(extents[0]);
  const auto columns = static_cast<double>(extents[1]);
  check_size(dataset.what, rows, columns, rows * columns, sizeof(double), run);

  const auto shape = block_shape(dataset, extents, given.size(), run);
  BlockReader reader(dataset, static_cast<std::size_t>(shape[0] * shape[1]));
  DenseMatrix matrix(static_cast<Index>(extents[0]), static_cast<Index>(extents[1]));
  for (hsize_t row = 0; row < extents[0]; row += shape[0]) {
    for (hsize_t column = 0; column < extents[1]; column += shape[1]) {
      check_stop(run);
      reader.read_into(
          {{row, column},
           {std::min(shape[0], extents[0] - row), std::min(shape[1], extents[1] - column)}},
          matrix);
    }
  }
  return matrix;
}

Compressed compression_of(const Hdf5Node& group) {
  for (const char* attribute : {"encoding-type", "h5sparse_format"}) {
    const auto text = text_attribute(group, attribute);
    if (!text) continue;
    if (*text == "csr_matrix" || *text == "csr") return Compressed::by_rows;
    if (*text == "csc_matrix" || *text == "csc") return Compressed::by_columns;
  }
  throw Error(ErrorCode::malformed_input,
              fmt::format("{}: is a group without the attribute encoding-type 'csr_matrix' or "
                          "'csc_matrix'; save it with a recent anndata",
                          group.what));
}

std::pair<std::int64_t, std::int64_t> shape_of(const Hdf5Node& group) {
  for (const char* attribute : {"shape", "h5sparse_shape"}) {
    const auto shape = integer_attribute(group, attribute);
    if (shape && shape->size() == 2) return {(*shape)[0], (*shape)[1]};
  }
  throw Error(
      ErrorCode::malformed_input,
      fmt::format("{}: has no attribute 'shape' with two numbers; save it again", group.what));
}

Hdf5Node require_dataset(const Hdf5Node& group, const std::string& name) {
  auto node = find_node(group, name);
  if (node && node->is_dataset()) return std::move(*node);
  throw Error(ErrorCode::malformed_input,
              fmt::format("{}: has no dataset '{}', which sparse matrices need; save it again",
                          group.what, name));
}

SparseMatrix read_sparse(const Hdf5Node& group, const RunContext& run) {
  const Compressed compressed = compression_of(group);
  const auto [n_rows, n_columns] = shape_of(group);
  const Hdf5Node data = require_dataset(group, "data");
  const Hdf5Node indices = require_dataset(group, "indices");
  const Hdf5Node starts = require_dataset(group, "indptr");
  const auto extents = checked_extents(data);
  const double n_entries = extents.empty() ? 1 : static_cast<double>(extents[0]);
  // Compressed rows are turned into columns, for which both must be in memory.
  const double copies = compressed == Compressed::by_rows ? 2 : 1;
  check_size(group.what, static_cast<double>(n_rows), static_cast<double>(n_columns), n_entries,
             copies * (sizeof(double) + sizeof(Index)), run);

  SparseMatrix arrays;
  const bool by_rows = compressed == Compressed::by_rows;
  arrays.n_samples = static_cast<Index>(by_rows ? n_columns : n_rows);
  arrays.n_features = static_cast<Index>(by_rows ? n_rows : n_columns);
  arrays.starts = read_int64s(starts, run);
  arrays.rows = read_int32s(indices, run);
  arrays.values = read_doubles(data, run);
  check_stop(run);
  return checked_sparse(group.what, std::move(arrays), compressed);
}

}  // namespace

Matrix read_h5ad_matrix(const Hdf5Node& node, const RunContext& run) {
  if (node.is_dataset()) return read_dense(node, run);
  return read_sparse(node, run);
}

}  // namespace sfg::detail

#endif
