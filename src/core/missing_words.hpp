#pragma once

#include <string_view>

namespace sfg::detail {

/// Whether a trimmed text is one of the words by which programs say that a value is missing: those
/// of pandas and R (empty, NA, nan, null, None, <NA>, n/a, -1.#IND, ...), of Weka ("?"), of SAS
/// ("."), a dash, and what spreadsheets write where a formula failed (#DIV/0!, #N/A, #VALUE!, ...).
[[nodiscard]] bool is_missing_word(std::string_view text) noexcept;

/// The words among them that no class is called by. "-" may be a strand, "none" a treatment.
[[nodiscard]] bool is_missing_class(std::string_view text) noexcept;

}  // namespace sfg::detail
