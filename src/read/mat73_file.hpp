#pragma once

#ifdef SFG_WITH_MAT

#include <matio.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <set>

#include "io/hdf5.hpp"
#include "read/mat_file.hpp"

namespace sfg::detail {

/// A MAT file of version 7.3 (an HDF5 file), read by matio. matio takes damaged files for whole
/// ones and crashes on some: use it in a child process.
class Mat73File final : public MatFile {
 public:
  /// Throws cannot_read or malformed_input.
  explicit Mat73File(const std::filesystem::path& path);

 private:
  struct CloseFile {
    void operator()(mat_t* file) const { Mat_Close(file); }
  };
  struct FreeVariable {
    void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
  };
  using LoadedVariable = std::unique_ptr<matvar_t, FreeVariable>;

  void list_variables();
  [[nodiscard]] LoadedVariable load(const MatVariable& variable) const;
  [[nodiscard]] DenseMatrix load_dense(const MatVariable& variable,
                                       const RunContext& run) const override;
  [[nodiscard]] SparseMatrix load_sparse(const MatVariable& variable,
                                         const RunContext& run) const override;
  [[nodiscard]] std::optional<std::vector<std::string>> load_texts(
      const MatVariable& variable, const RunContext& run) const override;

  std::unique_ptr<mat_t, CloseFile> file_;
#ifdef SFG_WITH_HDF5
  /// The dataset of a variable that matio does not understand, nothing for others.
  [[nodiscard]] std::optional<Hdf5Node> plain_node(const MatVariable& variable) const;

  Hdf5Node root_;
  std::set<std::size_t> plain_;  ///< numbers of such variables
#endif
};

}  // namespace sfg::detail

#endif
