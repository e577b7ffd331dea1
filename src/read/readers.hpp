#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/input_bytes.hpp"
#include "sfg/read.hpp"

// One reader per format. A reader turns the bytes of a file into a RawTable, oriented as the file
// is; read.cpp turns that into a Dataset (orientation, names, labels).
namespace sfg::detail {

/// A table as its file has it: rows of the file are rows here, whatever they mean.
struct RawTable {
  Matrix matrix;                          ///< "samples" are the file's rows
  std::vector<std::string> row_names;     ///< one per row, or none
  std::vector<std::string> column_names;  ///< one per column, or none
  std::string row_heading;                ///< heading of the row names, if there is one
  std::optional<Labels> labels;           ///< labels found inside the file, one per sample
};

/// Separator ',' or '\t' (for Format::csv it is guessed from the first line: ',' ';' or tab).
[[nodiscard]] RawTable read_delimited(const InputBytes& input, Format format,
                                      const ReadOptions& options, const RunContext& run);
[[nodiscard]] RawTable read_matrix_market(const InputBytes& input, const RunContext& run);
[[nodiscard]] RawTable read_svmlight(const InputBytes& input, const RunContext& run);
[[nodiscard]] RawTable read_npy(const InputBytes& input, const RunContext& run);
/// matio and HDF5 open files by path: standard input is copied to a temporary file first.
[[nodiscard]] RawTable read_mat(const std::filesystem::path& path, const ReadOptions& options,
                                const RunContext& run);
[[nodiscard]] RawTable read_h5ad(const std::filesystem::path& path, const ReadOptions& options,
                                 const RunContext& run);

/// Throws malformed_input if rows or columns are negative or above the range of Index, over_memory
/// if `bytes_per_entry * entries` is above the run's memory limit (or above what the machine has,
/// if there is no limit), before anything is allocated. `what` starts the message ("X.npy").
void check_size(const std::string& what, double rows, double columns, double entries,
                double bytes_per_entry, const RunContext& run);

}  // namespace sfg::detail
