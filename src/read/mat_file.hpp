#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/mat5_elements.hpp"
#include "sfg/matrix.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {

/// What a MAT file says about one of its variables before any data are read.
struct MatVariable {
  std::string name;
  std::vector<std::size_t> extents;
  MatClass kind = MatClass::empty;
  bool is_complex = false;
  std::size_t number = 0;  ///< its place in the file

  [[nodiscard]] bool is_numeric_matrix() const;
  /// "X (7 x 5 double)"
  [[nodiscard]] std::string description() const;
  /// Product of the extents.
  [[nodiscard]] double n_items() const;
};

/// The variables of a MAT file, whichever its version.
class MatFile {
 public:
  explicit MatFile(std::string name) : name_(std::move(name)) {}
  virtual ~MatFile() = default;
  MatFile(const MatFile&) = delete;
  MatFile& operator=(const MatFile&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const std::vector<MatVariable>& variables() const noexcept { return variables_; }
  [[nodiscard]] const MatVariable* find(const std::string& name) const noexcept;

  /// A numeric variable of two dimensions, dense or sparse as it is stored.
  [[nodiscard]] Matrix read_matrix(const MatVariable& variable, const RunContext& run) const;

  /// The items of a vector of numbers, a cell array of texts or a character array (a text per row),
  /// as texts; nothing for other variables.
  [[nodiscard]] std::optional<std::vector<std::string>> read_texts(const MatVariable& variable,
                                                                   const RunContext& run) const;

 protected:
  void add(MatVariable variable);
  /// How messages about a variable start: "a.mat: X (7 x 5 double)".
  [[nodiscard]] std::string what(const MatVariable& variable) const;

 private:
  // Real numbers of two dimensions, and cells or characters, by the version that it is. Memory is
  // checked before it is taken.
  [[nodiscard]] virtual DenseMatrix load_dense(const MatVariable& variable,
                                               const RunContext& run) const = 0;
  [[nodiscard]] virtual SparseMatrix load_sparse(const MatVariable& variable,
                                                 const RunContext& run) const = 0;
  [[nodiscard]] virtual std::optional<std::vector<std::string>> load_texts(
      const MatVariable& variable, const RunContext& run) const = 0;

  std::string name_;
  std::vector<MatVariable> variables_;
};

/// Texts of a character array: one per row, blanks at the end cut off if there are several rows.
/// Nothing if the characters do not fill the array.
[[nodiscard]] std::optional<std::vector<std::string>> mat_text_rows(
    const MatCharacters& characters, const std::vector<std::size_t>& extents);

}  // namespace sfg::detail
