#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/input_bytes.hpp"
#include "io/size_check.hpp"
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
  std::optional<Labels> batch;            ///< what `batch` names, if it is found inside the file
  std::vector<TextColumn> texts;          ///< columns that are not numbers
  std::vector<Note> notes;                ///< what was assumed
  std::int64_t n_empty_columns = 0;       ///< without name and value, left out
  bool has_chosen_columns = false;        ///< `columns` and `drop` are already seen to
};

/// read/dialect.hpp, read/header_rule.hpp and read/column_roles.hpp have the rules.
[[nodiscard]] RawTable read_delimited(const InputBytes& input, Format format,
                                      const ReadOptions& options, const RunContext& run);
[[nodiscard]] RawTable read_matrix_market(const InputBytes& input, const RunContext& run);
[[nodiscard]] RawTable read_svmlight(const InputBytes& input, const RunContext& run);
[[nodiscard]] RawTable read_npy(const InputBytes& input, const RunContext& run);
/// MAT files of version 4 and 5 (7 is 5, packed). Throws malformed_input for anything else.
[[nodiscard]] RawTable read_mat(const InputBytes& input, const ReadOptions& options,
                                const RunContext& run);
/// Whether a MAT file says that it is of version 7.3.
[[nodiscard]] bool is_mat73(std::string_view bytes);
/// matio and HDF5 open files by path: standard input is copied to a temporary file first.
[[nodiscard]] RawTable read_mat73(const std::filesystem::path& path, const ReadOptions& options,
                                  const RunContext& run);
[[nodiscard]] RawTable read_h5ad(const std::filesystem::path& path, const ReadOptions& options,
                                 const RunContext& run);

}  // namespace sfg::detail
