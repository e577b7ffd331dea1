#include "read/mat73_plain.hpp"

#ifdef SFG_WITH_HDF5

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "io/size_check.hpp"
#include "read/h5ad_matrix.hpp"

namespace sfg::detail {

namespace {

/// What MATLAB calls its classes; logical values are bytes.
constexpr std::array<std::pair<std::string_view, MatClass>, 13> kClasses{{
    {"double", MatClass::float64},
    {"single", MatClass::float32},
    {"int8", MatClass::int8},
    {"uint8", MatClass::uint8},
    {"int16", MatClass::int16},
    {"uint16", MatClass::uint16},
    {"int32", MatClass::int32},
    {"uint32", MatClass::uint32},
    {"int64", MatClass::int64},
    {"uint64", MatClass::uint64},
    {"logical", MatClass::uint8},
    {"char", MatClass::character},
    {"cell", MatClass::cell},
}};

H5T_class_t item_kind(const Hdf5Node& dataset) {
  const Hdf5Handle type(H5Dget_type(dataset.id()), H5Tclose);
  return H5Tget_class(type.id());
}

bool is_number(H5T_class_t kind) {
  return kind == H5T_INTEGER || kind == H5T_FLOAT;
}

/// The characters of an array, in the order of the file, which is down MATLAB's columns.
std::optional<std::vector<std::string>> text_rows(const Hdf5Node& dataset,
                                                  const std::vector<std::size_t>& extents,
                                                  const RunContext& run) {
  if (item_kind(dataset) != H5T_INTEGER) return std::nullopt;
  const DenseMatrix codes = plain_numbers(dataset, run);
  MatCharacters characters;
  characters.is_utf16 = true;
  constexpr double kLargestUnit = 0xFFFF;
  const auto count =
      static_cast<std::size_t>(codes.n_samples()) * static_cast<std::size_t>(codes.n_features());
  for (std::size_t i = 0; i < count; ++i) {
    const double code = codes.data()[i];
    characters.units += code >= 0 && code <= kLargestUnit ? static_cast<char32_t>(code) : U'?';
  }
  return mat_text_rows(characters, extents);
}

/// The text of one cell. An empty one holds its size instead of characters.
std::optional<std::string> cell_text(const Hdf5Node& cell, const RunContext& run) {
  if (!cell.is_dataset()) return std::nullopt;
  if (H5Aexists(cell.id(), "MATLAB_empty") > 0) return std::string();
  const auto extents = checked_extents(cell);
  if (text_attribute(cell, "MATLAB_class") != "char" || extents.size() != 2) return std::nullopt;
  auto rows = text_rows(cell, {extents[1], extents[0]}, run);
  if (!rows || rows->size() != 1) return std::nullopt;
  return std::move(rows->front());
}

std::optional<std::vector<std::string>> cell_texts(const Hdf5Node& dataset, double n_items,
                                                   const RunContext& run) {
  if (item_kind(dataset) != H5T_REFERENCE) return std::nullopt;
  check_size(dataset.what, 1, 1, n_items, sizeof(hobj_ref_t) + sizeof(std::string), run);
  std::vector<hobj_ref_t> references(static_cast<std::size_t>(n_items));
  if (H5Dread(dataset.id(), H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, references.data()) <
      0) {
    throw_damaged(dataset.what);
  }
  std::vector<std::string> texts;
  for (const hobj_ref_t& reference : references) {
    const Hdf5Node cell{
        fmt::format("{}, item {}", dataset.what, texts.size() + 1),
        Hdf5Handle(H5Rdereference2(dataset.id(), H5P_DEFAULT, H5R_OBJECT, &reference), H5Oclose)};
    if (!cell.handle.valid()) throw_damaged(cell.what);
    auto text = cell_text(cell, run);
    if (!text) return std::nullopt;
    texts.push_back(std::move(*text));
  }
  return texts;
}

}  // namespace

void describe_plain(const Hdf5Node& dataset, MatVariable& variable) {
  if (!dataset.is_dataset() || H5Aexists(dataset.id(), "MATLAB_empty") > 0) return;
  const H5T_class_t kind = item_kind(dataset);
  // Complex numbers are pairs.
  variable.is_complex = kind == H5T_COMPOUND;
  const auto name = text_attribute(dataset, "MATLAB_class");
  if (!name && is_number(kind)) variable.kind = MatClass::float64;
  for (const auto& [known, mat_class] : kClasses) {
    if (name == known) variable.kind = mat_class;
  }
}

DenseMatrix plain_numbers(const Hdf5Node& dataset, const RunContext& run) {
  const Matrix turned = transpose(read_h5ad_matrix(dataset, run));
  return std::get<DenseMatrix>(turned);
}

std::optional<std::vector<std::string>> plain_texts(const Hdf5Node& dataset,
                                                    const MatVariable& variable,
                                                    const RunContext& run) {
  if (variable.kind == MatClass::cell) return cell_texts(dataset, variable.n_items(), run);
  return text_rows(dataset, variable.extents, run);
}

}  // namespace sfg::detail

#endif
