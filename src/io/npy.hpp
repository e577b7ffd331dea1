#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sfg::detail {

/// The header of an npy file (versions 1 to 3) and where its data start.
struct NpyHeader {
  char kind = 'f';  ///< 'f' float, 'i' signed, 'u' unsigned, 'b' bool, 'S' bytes, 'U' text
  std::int64_t item_size = 8;  ///< bytes; four per character for 'U'
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::size_t data_start = 0;
};

/// Throws malformed_input (message starts with `name`) unless header and length fit each other and
/// the items are of one of the kinds above (floats of 2, 4 or 8 bytes).
[[nodiscard]] NpyHeader parse_npy_header(const std::string& name, std::string_view bytes);

/// Number of items: the product of the shape.
[[nodiscard]] std::int64_t npy_size(const NpyHeader& header);

/// Throws malformed_input unless the items are numbers or booleans (kinds f, i, u, b).
void check_npy_numeric(const std::string& name, const NpyHeader& header);

/// Items [first, first + out.size()) as doubles, in file order; the items must be numeric and
/// there.
void npy_decode(const NpyHeader& header, std::string_view bytes, std::int64_t first,
                std::span<double> out);

/// All items as doubles, in file order (kinds f of 2, 4 or 8 bytes, i, u, b).
[[nodiscard]] std::vector<double> npy_numbers(const std::string& name, const NpyHeader& header,
                                              std::string_view bytes);

/// A header (version 1.0, padded as numpy does) for little-endian C-ordered data, e.g. "<f8".
[[nodiscard]] std::string npy_header(std::string_view type, std::span<const std::int64_t> shape,
                                     bool fortran_order);

/// A whole npy file of a vector: "<f8", "<i8", "<i4".
[[nodiscard]] std::string npy_vector(std::span<const double> values);
[[nodiscard]] std::string npy_vector(std::span<const std::int64_t> values);
[[nodiscard]] std::string npy_vector(std::span<const std::int32_t> values);
/// A whole npy file of a text array ("<U..", from UTF-8).
[[nodiscard]] std::string npy_texts(std::span<const std::string> texts);

/// All items of a text array (kind U) as UTF-8. Throws malformed_input for another kind.
[[nodiscard]] std::vector<std::string> npy_text_values(const std::string& name,
                                                       const NpyHeader& header,
                                                       std::string_view bytes);

}  // namespace sfg::detail
