#pragma once

#ifdef SFG_WITH_MAT

#include <matio.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sfg/matrix.hpp"

// From matio's variables (version 7.3), read with their data, to ours. `what` starts messages; data
// that do not fit the variable's own description throw malformed_input.
namespace sfg::detail {

/// Throws unless there are `out.size()` numbers.
void mat_numbers(const std::string& what, const matvar_t& variable, std::span<double> out);

[[nodiscard]] SparseMatrix mat_sparse(const std::string& what, const matvar_t& variable);

/// Texts of a character array (one per row, blanks at the end cut off if there are several rows) or
/// of a cell array of character arrays; nothing for other variables.
[[nodiscard]] std::optional<std::vector<std::string>> mat_texts(const matvar_t& variable);

}  // namespace sfg::detail

#endif
