#include "read/mat_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/text.hpp"
#include "core/threads.hpp"
#include "core/unicode.hpp"
#include "io/size_check.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

std::string_view class_name(MatClass kind) {
  constexpr std::array<std::string_view, 18> kNames{
      "empty", "cell",  "struct", "object", "char",   "sparse", "double", "single",   "int8",
      "uint8", "int16", "uint16", "int32",  "uint32", "int64",  "uint64", "function", "opaque"};
  const auto number = static_cast<std::size_t>(kind);
  return number < kNames.size() ? kNames[number] : "unknown";
}

std::string text_of(const std::u32string& units, bool is_utf16) {
  if (!is_utf16) return encode_utf8(units);
  return encode_utf8(decode_utf16(std::u16string(units.begin(), units.end())));
}

}  // namespace

bool MatVariable::is_numeric_matrix() const {
  return extents.size() == 2 && kind >= MatClass::sparse && kind <= MatClass::uint64;
}

std::string MatVariable::description() const {
  return fmt::format("{} ({}{}{}{})", escaped(name), fmt::join(extents, " x "),
                     extents.empty() ? "" : " ", is_complex ? "complex " : "", class_name(kind));
}

double MatVariable::n_items() const {
  double count = 1;
  for (const std::size_t extent : extents) count *= static_cast<double>(extent);
  return count;
}

const MatVariable* MatFile::find(const std::string& name) const noexcept {
  const auto found = std::ranges::find(variables_, name, &MatVariable::name);
  return name.empty() || found == variables_.end() ? nullptr : &*found;
}

void MatFile::add(MatVariable variable) {
  variable.number = variables_.size();
  variables_.push_back(std::move(variable));
}

std::string MatFile::what(const MatVariable& variable) const {
  return fmt::format("{}: {}", name_, variable.description());
}

Matrix MatFile::read_matrix(const MatVariable& variable, const RunContext& run) const {
  if (variable.is_complex) {
    throw Error(ErrorCode::malformed_input,
                "complex numbers are not read; save the real part, the imaginary part or the "
                "absolute values",
                what(variable));
  }
  if (!variable.is_numeric_matrix()) {
    throw Error(ErrorCode::malformed_input, "is not a numeric matrix of 2 dimensions",
                what(variable), {"variable", "choose another with {variable=NAME}"});
  }
  check_stop(run);
  check_size(what(variable), static_cast<double>(variable.extents[0]),
             static_cast<double>(variable.extents[1]), 0, 0, run);
  if (variable.kind == MatClass::sparse) return load_sparse(variable, run);
  return load_dense(variable, run);
}

std::optional<std::vector<std::string>> MatFile::read_texts(const MatVariable& variable,
                                                            const RunContext& run) const {
  check_stop(run);
  if (variable.kind == MatClass::character || variable.kind == MatClass::cell) {
    return load_texts(variable, run);
  }
  const bool is_vector =
      variable.is_numeric_matrix() && (variable.extents[0] == 1 || variable.extents[1] == 1);
  if (!is_vector || variable.is_complex || variable.kind == MatClass::sparse) return std::nullopt;
  check_size(what(variable), 1, 1, variable.n_items(), sizeof(double) + sizeof(std::string), run);
  const DenseMatrix numbers = load_dense(variable, run);
  std::vector<std::string> texts;
  texts.reserve(static_cast<std::size_t>(variable.n_items()));
  // A missing label is an empty text, as in a CSV file.
  std::for_each_n(numbers.data(), static_cast<std::size_t>(variable.n_items()), [&](double number) {
    texts.push_back(std::isnan(number) ? std::string() : format_number(number));
  });
  return texts;
}

std::optional<std::vector<std::string>> mat_text_rows(const MatCharacters& characters,
                                                      const std::vector<std::size_t>& extents) {
  if (extents.size() != 2) return std::nullopt;
  const std::u32string& units = characters.units;
  const std::size_t n_rows = extents[0];
  // One row may have fewer characters than bytes; the empty text has no row at all.
  if (n_rows <= 1) return std::vector{text_of(units, characters.is_utf16)};
  // As many rows as anybody claims have no characters.
  if (units.empty()) return std::nullopt;
  if (units.size() % n_rows != 0 || units.size() / n_rows != extents[1]) return std::nullopt;
  std::vector<std::string> texts;
  texts.reserve(n_rows);
  for (std::size_t row = 0; row < n_rows; ++row) {
    std::u32string line;
    for (std::size_t place = row; place < units.size(); place += n_rows) line += units[place];
    const auto last = line.find_last_not_of(std::u32string_view(U" \0", 2));
    line.resize(last == std::u32string::npos ? 0 : last + 1);
    texts.push_back(text_of(line, characters.is_utf16));
  }
  return texts;
}

}  // namespace sfg::detail
