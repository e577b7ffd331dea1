#ifdef SFG_WITH_MAT

#include "read/mat73_decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/unicode.hpp"
#include "read/compressed.hpp"
#include "read/mat_file.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

[[noreturn]] void fail(const std::string& what, const std::string& reason) {
  throw Error(ErrorCode::malformed_input, fmt::format("{}; copy or save the file again", reason),
              what);
}

template <typename Stored>
void widen(const void* data, std::span<double> out) {
  const auto* bytes = static_cast<const char*>(data);
  for (double& value : out) {
    Stored stored;
    std::memcpy(&stored, bytes, sizeof stored);
    value = static_cast<double>(stored);
    bytes += sizeof stored;
  }
}

/// Numbers of one of matio's types as doubles.
void convert(const std::string& what, matio_types type, const void* data, std::span<double> out) {
  if (out.empty()) return;
  if (data == nullptr) fail(what, "its numbers are missing");
  switch (type) {
    case MAT_T_DOUBLE:
      return widen<double>(data, out);
    case MAT_T_SINGLE:
      return widen<float>(data, out);
    case MAT_T_INT8:
      return widen<std::int8_t>(data, out);
    case MAT_T_UINT8:
      return widen<std::uint8_t>(data, out);
    case MAT_T_INT16:
      return widen<std::int16_t>(data, out);
    case MAT_T_UINT16:
      return widen<std::uint16_t>(data, out);
    case MAT_T_INT32:
      return widen<std::int32_t>(data, out);
    case MAT_T_UINT32:
      return widen<std::uint32_t>(data, out);
    case MAT_T_INT64:
      return widen<std::int64_t>(data, out);
    case MAT_T_UINT64:
      return widen<std::uint64_t>(data, out);
    default:
      fail(what, fmt::format("its numbers have the unknown type {}", static_cast<int>(type)));
  }
}

/// Characters of matio's char arrays, whatever their width.
MatCharacters characters_of(const matvar_t& variable) {
  MatCharacters result;
  const auto size = static_cast<std::size_t>(variable.data_size);
  if (variable.data == nullptr || size == 0 || size > sizeof(char32_t)) return result;
  const std::size_t count = variable.nbytes / size;
  const auto* bytes = static_cast<const char*>(variable.data);
  result.is_utf16 = size == sizeof(char16_t);
  if (size == 1) {
    result.units = decode_utf8({bytes, count});
  } else {
    result.units.resize(count);
    for (std::size_t i = 0; i < count; ++i) std::memcpy(&result.units[i], bytes + i * size, size);
  }
  return result;
}

std::optional<std::vector<std::string>> rows_of_characters(const matvar_t& variable) {
  if (variable.rank != 2) return std::nullopt;
  return mat_text_rows(characters_of(variable), {variable.dims[0], variable.dims[1]});
}

std::optional<std::vector<std::string>> texts_of_cells(const matvar_t& variable) {
  const auto count = variable.nbytes / sizeof(matvar_t*);
  const auto* cells = static_cast<matvar_t* const*>(variable.data);
  std::vector<std::string> texts;
  texts.reserve(count);
  for (std::size_t i = 0; i < count && cells != nullptr; ++i) {
    const matvar_t* cell = cells[i];
    const bool is_empty = cell == nullptr || cell->class_type == MAT_C_EMPTY || cell->nbytes == 0;
    if (is_empty) {
      texts.emplace_back();
      continue;
    }
    if (cell->class_type != MAT_C_CHAR) return std::nullopt;
    auto rows = rows_of_characters(*cell);
    if (!rows || rows->size() != 1) return std::nullopt;
    texts.push_back(std::move(rows->front()));
  }
  return texts;
}

}  // namespace

void mat_numbers(const std::string& what, const matvar_t& variable, std::span<double> out) {
  const std::size_t item_size = Mat_SizeOf(variable.data_type);
  if (!out.empty() && (item_size == 0 || variable.nbytes / item_size != out.size())) {
    fail(what,
         fmt::format("expected {} numbers, found {} bytes of them", out.size(), variable.nbytes));
  }
  convert(what, variable.data_type, variable.data, out);
}

SparseMatrix mat_sparse(const std::string& what, const matvar_t& variable) {
  const auto* sparse = static_cast<const mat_sparse_t*>(variable.data);
  if (sparse == nullptr || (sparse->jc == nullptr && sparse->njc > 0)) {
    fail(what, "its sparse data are missing");
  }
  SparseMatrix arrays;
  arrays.n_samples = static_cast<Index>(variable.dims[0]);
  arrays.n_features = static_cast<Index>(variable.dims[1]);
  arrays.starts.assign(sparse->jc, sparse->jc + sparse->njc);
  // A matrix without entries may be stored without starts; arrays may have spare room at their end.
  if (arrays.starts.empty()) arrays.starts.assign(variable.dims[1] + 1, 0);
  const auto n_entries = static_cast<std::size_t>(arrays.starts.back());
  if (n_entries > sparse->nir || n_entries > sparse->ndata ||
      (n_entries > 0 && sparse->ir == nullptr)) {
    fail(what, fmt::format("its column starts promise {} entries, there are {} rows and {} values",
                           n_entries, sparse->nir, sparse->ndata));
  }
  static constexpr std::uint32_t kLargestIndex = std::numeric_limits<Index>::max();
  arrays.rows.resize(n_entries);
  // Indices beyond the range of Index are out of range in any case: checked_sparse() refuses them.
  std::transform(sparse->ir, sparse->ir + n_entries, arrays.rows.begin(), [](std::uint32_t row) {
    return static_cast<Index>(std::min(row, kLargestIndex));
  });
  arrays.values.resize(n_entries);
  convert(what, variable.data_type, sparse->data, arrays.values);
  return checked_sparse(what, std::move(arrays), Compressed::by_columns);
}

std::optional<std::vector<std::string>> mat_texts(const matvar_t& variable) {
  if (variable.class_type == MAT_C_CHAR) return rows_of_characters(variable);
  if (variable.class_type == MAT_C_CELL) return texts_of_cells(variable);
  return std::nullopt;
}

}  // namespace sfg::detail

#endif
