#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "read/mat_file.hpp"

namespace sfg::detail {

/// Whether a file without a header looks like MAT version 4: it starts with five numbers that
/// describe its first variable, and that variable's name.
[[nodiscard]] bool looks_like_mat4(std::string_view bytes);

/// A MAT file of version 4: one variable after the other, each a head of five numbers, its name and
/// its numbers. Texts are numbers too, and a sparse matrix is a list of (row, column, value) whose
/// last line has the size. Making one looks at every head: none may promise more than the file has.
/// Throws malformed_input.
class Mat4File final : public MatFile {
 public:
  /// `bytes` must stay as long as this object.
  Mat4File(const std::string& name, std::string_view bytes);

 private:
  /// Where the numbers of a variable are.
  struct Place {
    std::size_t start = 0;
    std::size_t n_rows = 0;  ///< as stored
    std::size_t n_columns = 0;
    int number_type = 0;
    bool is_swapped = false;
  };

  [[nodiscard]] DenseMatrix load_dense(const MatVariable& variable,
                                       const RunContext& run) const override;
  [[nodiscard]] SparseMatrix load_sparse(const MatVariable& variable,
                                         const RunContext& run) const override;
  [[nodiscard]] std::optional<std::vector<std::string>> load_texts(
      const MatVariable& variable, const RunContext& run) const override;

  [[nodiscard]] double number_at(const Place& place, std::size_t row, std::size_t column) const;
  void set_sparse(const Place& place, MatVariable& variable) const;
  [[noreturn]] void fail(const std::string& reason) const;

  std::string_view bytes_;
  std::vector<Place> places_;
};

}  // namespace sfg::detail
