#ifdef SFG_WITH_MAT

#include "read/mat_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/text.hpp"
#include "core/threads.hpp"
#include "io/hdf5.hpp"
#include "io/input_bytes.hpp"
#include "read/mat5_check.hpp"
#include "read/mat73_check.hpp"
#include "read/mat_decode.hpp"
#include "read/readers.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

constexpr std::size_t kHeaderSize = 128;
constexpr std::size_t kVersionPlace = 124;

enum class MatVersion { v5, v73 };

/// By the version number and byte order mark at the end of the header. matio would also take files
/// of version 4, which have no header and are easily mistaken.
MatVersion version_of(const std::string& name, std::string_view bytes) {
  if (bytes.size() >= kHeaderSize) {
    const std::string_view mark = bytes.substr(kVersionPlace, 4);
    using namespace std::string_view_literals;
    if (mark == "\x00\x01IM"sv || mark == "\x01\x00MI"sv) return MatVersion::v5;
    if (mark == "\x00\x02IM"sv || mark == "\x02\x00MI"sv) return MatVersion::v73;
  }
  throw Error(ErrorCode::malformed_input,
              fmt::format("{}: not a MAT file of version 5 or 7.3 ({} bytes): save it again with "
                          "save -v7",
                          name, bytes.size()));
}

std::string_view class_name(matio_classes kind) {
  constexpr std::array<std::string_view, 18> kNames{
      "empty", "cell",  "struct", "object", "char",   "sparse", "double", "single",   "int8",
      "uint8", "int16", "uint16", "int32",  "uint32", "int64",  "uint64", "function", "opaque"};
  const auto number = static_cast<std::size_t>(kind);
  return number < kNames.size() ? kNames[number] : "unknown";
}

bool is_dense_numeric(matio_classes kind) {
  return kind >= MAT_C_DOUBLE && kind <= MAT_C_UINT64;
}

}  // namespace

bool MatVariable::is_numeric_matrix() const {
  return extents.size() == 2 && (is_dense_numeric(kind) || kind == MAT_C_SPARSE);
}

std::string MatVariable::description() const {
  return fmt::format("{} ({} {}{})", escaped(name), fmt::join(extents, " x "),
                     is_complex ? "complex " : "", class_name(kind));
}

double MatVariable::n_items() const {
  double count = 1;
  for (const std::size_t extent : extents) count *= static_cast<double>(extent);
  return count;
}

MatFile::MatFile(const std::filesystem::path& path) : name_(path.string()) {
  std::vector<std::uint64_t> unpacked_bytes;
  {
    const InputBytes input(path, 0);
    if (!input.is_plain_file()) {
      throw Error(
          ErrorCode::cannot_read,
          fmt::format("{}: MAT files are read from unpacked files only: unpack it first", name_));
    }
    if (version_of(name_, input.bytes()) == MatVersion::v5) {
      unpacked_bytes = check_mat5(name_, input.bytes());
    } else {
      check_mat73(path);
    }
  }
  file_.reset(Mat_Open(path.c_str(), MAT_ACC_RDONLY));
  if (!file_) {
    throw Error(ErrorCode::malformed_input,
                fmt::format("{}: not a MAT file that can be read: copy or save it again", name_));
  }
  list_variables(unpacked_bytes);
}

void MatFile::list_variables(const std::vector<std::uint64_t>& unpacked_bytes) {
  // Version 5 has as many variables as were counted; for 7.3 a number no real file reaches ends the
  // search in a file that runs in circles.
  constexpr std::size_t kMostVariables = 1000000;
  for (std::size_t i = 0; i < kMostVariables; ++i) {
    const LoadedVariable info(Mat_VarReadNextInfo(file_.get()));
    if (!info) break;
    MatVariable variable;
    if (info->name != nullptr) variable.name = info->name;
    if (info->dims != nullptr && info->rank > 0) {
      variable.extents.assign(info->dims, info->dims + info->rank);
    }
    variable.kind = info->class_type;
    variable.is_complex = info->isComplex != 0;
    if (i < unpacked_bytes.size()) variable.unpacked_bytes = unpacked_bytes[i];
    variables_.push_back(std::move(variable));
  }
  if (variables_.size() < unpacked_bytes.size()) {
    throw Error(ErrorCode::malformed_input,
                fmt::format("{}: broken MAT file: variable {} of {} cannot be read: save it again",
                            name_, variables_.size() + 1, unpacked_bytes.size()));
  }
}

const MatVariable* MatFile::find(const std::string& name) const noexcept {
  const auto found = std::ranges::find(variables_, name, &MatVariable::name);
  return name.empty() || found == variables_.end() ? nullptr : &*found;
}

void MatFile::check_memory(const MatVariable& variable, const RunContext& run) const {
  const std::string what = fmt::format("{}: {}", name_, variable.description());
  // matio's copy stands beside ours for a moment; both are 8 bytes per number at most.
  constexpr double kBothCopies = 2 * sizeof(double);
  if (is_dense_numeric(variable.kind)) {
    const double rows = variable.extents.empty() ? 0 : static_cast<double>(variable.extents[0]);
    const double items = variable.n_items();
    check_size(what, rows, rows > 0 ? items / rows : 0, items, kBothCopies, run);
  } else {
    check_size(what, 1, 1, static_cast<double>(variable.unpacked_bytes), 2, run);
  }
}

MatFile::LoadedVariable MatFile::load(const MatVariable& variable, const RunContext& run) const {
  check_stop(run);
  check_memory(variable, run);
  LoadedVariable loaded(Mat_VarRead(file_.get(), variable.name.c_str()));
  const bool complete =
      loaded && loaded->class_type == variable.kind && loaded->dims != nullptr &&
      std::ranges::equal(
          std::span(loaded->dims, static_cast<std::size_t>(std::max(0, loaded->rank))),
          variable.extents);
  if (!complete) {
    throw Error(ErrorCode::malformed_input,
                fmt::format("{}: the variable {} cannot be read: copy or save the file again",
                            name_, variable.description()));
  }
  return loaded;
}

Matrix MatFile::read_matrix(const MatVariable& variable, const RunContext& run) const {
  const std::string what = fmt::format("{}: {}", name_, variable.description());
  if (variable.is_complex) {
    throw Error(ErrorCode::malformed_input,
                fmt::format("{}: complex numbers are not read: save its real part, its imaginary "
                            "part or its absolute values",
                            what));
  }
  if (!variable.is_numeric_matrix()) {
    throw Error(ErrorCode::malformed_input, "is not a numeric matrix of 2 dimensions", what,
                {"variable", "choose another with {variable=NAME}"});
  }
  check_size(what, static_cast<double>(variable.extents[0]),
             static_cast<double>(variable.extents[1]), 0, 0, run);
  const LoadedVariable loaded = load(variable, run);
  if (variable.kind == MAT_C_SPARSE) return mat_sparse(what, *loaded);
  DenseMatrix matrix(static_cast<Index>(variable.extents[0]),
                     static_cast<Index>(variable.extents[1]));
  const auto count = static_cast<std::size_t>(variable.n_items());
  mat_numbers(what, *loaded, {matrix.data(), count});
  return matrix;
}

std::optional<std::vector<std::string>> MatFile::read_texts(const MatVariable& variable,
                                                            const RunContext& run) const {
  if (variable.kind == MAT_C_CHAR || variable.kind == MAT_C_CELL) {
    return mat_texts(*load(variable, run));
  }
  const bool is_vector =
      variable.is_numeric_matrix() && (variable.extents[0] == 1 || variable.extents[1] == 1);
  if (!is_vector || variable.is_complex || variable.kind == MAT_C_SPARSE) return std::nullopt;
  std::vector<double> numbers(static_cast<std::size_t>(variable.n_items()));
  const LoadedVariable loaded = load(variable, run);
  mat_numbers(fmt::format("{}: {}", name_, variable.description()), *loaded, numbers);
  std::vector<std::string> texts;
  texts.reserve(numbers.size());
  // A missing label is an empty text, as in a CSV file.
  for (const double number : numbers) {
    texts.push_back(std::isnan(number) ? std::string() : format_number(number));
  }
  return texts;
}

}  // namespace sfg::detail

#endif
