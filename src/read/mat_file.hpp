#pragma once

#ifdef SFG_WITH_MAT

#include <matio.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sfg/matrix.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {

/// What a MAT file says about one of its variables before any data are read.
struct MatVariable {
  std::string name;
  std::vector<std::size_t> extents;
  matio_classes kind = MAT_C_EMPTY;
  bool is_complex = false;
  /// Bytes of the variable once unpacked; 0 if not known (version 7.3).
  std::uint64_t unpacked_bytes = 0;

  [[nodiscard]] bool is_numeric_matrix() const;
  /// "X (7 x 5 double)"
  [[nodiscard]] std::string description() const;
  /// Product of the extents.
  [[nodiscard]] double n_items() const;
};

/// A MAT file of version 5 or 7.3, open for reading.
class MatFile {
 public:
  /// Throws cannot_read or malformed_input.
  explicit MatFile(const std::filesystem::path& path);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const std::vector<MatVariable>& variables() const noexcept { return variables_; }
  [[nodiscard]] const MatVariable* find(const std::string& name) const noexcept;

  /// A numeric variable of two dimensions, dense or sparse as it is stored.
  [[nodiscard]] Matrix read_matrix(const MatVariable& variable, const RunContext& run) const;

  /// The items of a vector of numbers, a cell array of texts or a character array (a text per row),
  /// as texts; nothing for other variables.
  [[nodiscard]] std::optional<std::vector<std::string>> read_texts(const MatVariable& variable,
                                                                   const RunContext& run) const;

 private:
  struct CloseFile {
    void operator()(mat_t* file) const { Mat_Close(file); }
  };
  struct FreeVariable {
    void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
  };
  using LoadedVariable = std::unique_ptr<matvar_t, FreeVariable>;

  void list_variables(const std::vector<std::uint64_t>& unpacked_bytes);
  void check_memory(const MatVariable& variable, const RunContext& run) const;
  [[nodiscard]] LoadedVariable load(const MatVariable& variable, const RunContext& run) const;

  std::string name_;
  std::unique_ptr<mat_t, CloseFile> file_;
  std::vector<MatVariable> variables_;
};

}  // namespace sfg::detail

#endif
