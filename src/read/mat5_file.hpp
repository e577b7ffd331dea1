#pragma once

#include <string>
#include <string_view>

#include "io/mat5_archive.hpp"
#include "read/mat_file.hpp"

namespace sfg::detail {

/// A MAT file of version 5: its numbers, sparse matrices and texts as ours.
class Mat5File final : public MatFile {
 public:
  /// `bytes` must stay as long as this object. Throws malformed_input.
  Mat5File(const std::string& name, std::string_view bytes);

 private:
  [[nodiscard]] DenseMatrix load_dense(const MatVariable& variable,
                                       const RunContext& run) const override;
  [[nodiscard]] SparseMatrix load_sparse(const MatVariable& variable,
                                         const RunContext& run) const override;
  [[nodiscard]] std::optional<std::vector<std::string>> load_texts(
      const MatVariable& variable, const RunContext& run) const override;

  Mat5Archive archive_;
};

}  // namespace sfg::detail
