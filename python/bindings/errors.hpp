#pragma once

namespace sfg::python {

/// From here on sfg::Error becomes the class of sfg.errors that belongs to its code.
void translate_errors();

}  // namespace sfg::python
