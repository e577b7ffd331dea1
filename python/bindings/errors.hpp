#pragma once

#include <string>
#include <string_view>

namespace sfg::python {

/// An option of the library as in a call: missing='mean', features_in_rows=True.
[[nodiscard]] std::string spell_parameter(std::string_view field, std::string_view value);

/// From here on sfg::Error becomes the class of sfg.errors that belongs to its code.
void translate_errors();

}  // namespace sfg::python
