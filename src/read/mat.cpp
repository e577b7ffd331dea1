#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"
#include "io/hdf5.hpp"
#include "read/mat4_file.hpp"
#include "read/mat5_file.hpp"
#include "read/mat73_file.hpp"
#include "read/readers.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

std::string listing(const std::vector<MatVariable>& variables) {
  constexpr std::size_t kMostNames = 20;
  if (variables.empty()) return "no variables";
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(variables.size(), kMostNames); ++i) {
    names.push_back(variables[i].description());
  }
  if (variables.size() > kMostNames) {
    names.push_back(fmt::format("and {} more", variables.size() - kMostNames));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

const MatVariable& choose_matrix(const MatFile& file, const std::string& wanted) {
  if (!wanted.empty()) {
    if (const MatVariable* variable = file.find(wanted)) return *variable;
    throw Error(
        ErrorCode::inconsistent_input,
        fmt::format("has no variable '{}', it has {}", escaped(wanted), listing(file.variables())),
        file.name(), {"variable", "choose one with {variable=NAME}"});
  }
  for (const char* usual : {"X", "fea"}) {
    const MatVariable* variable = file.find(usual);
    if (variable != nullptr && variable->is_numeric_matrix()) return *variable;
  }
  std::vector<const MatVariable*> matrices;
  for (const MatVariable& variable : file.variables()) {
    const bool is_table = variable.is_numeric_matrix() && variable.extents[0] > 1 &&
                          variable.extents[1] > 1 && !variable.name.empty();
    if (is_table) matrices.push_back(&variable);
  }
  if (matrices.size() == 1) return *matrices.front();
  throw Error(ErrorCode::malformed_input,
              fmt::format("{}; the file has {}",
                          matrices.empty()
                              ? "no variable is a numeric matrix of several rows and columns"
                              : "several variables are numeric matrices, none is called X or fea",
                          listing(file.variables())),
              file.name(), {"variable", "choose one with {variable=NAME}"});
}

/// Whether a variable may hold one item per sample (or feature): tells it before it is read.
bool may_hold(const MatVariable& variable, Index count) {
  if (variable.extents.size() != 2) return false;
  const auto wanted = static_cast<std::size_t>(count);
  // Character arrays have one text per row.
  if (variable.kind == MatClass::character) return variable.extents[0] == wanted;
  const auto [rows, columns] = std::pair(variable.extents[0], variable.extents[1]);
  return (rows == wanted && columns == 1) || (columns == wanted && rows == 1);
}

std::optional<std::vector<std::string>> read_if_fits(const MatFile& file, const std::string& name,
                                                     Index count, const RunContext& run) {
  const MatVariable* variable = file.find(name);
  if (variable == nullptr || !may_hold(*variable, count)) return std::nullopt;
  auto texts = file.read_texts(*variable, run);
  if (texts && texts->size() != static_cast<std::size_t>(count)) return std::nullopt;
  return texts;
}

/// A variable that is asked for; nothing if the file has none of that name.
std::optional<Labels> read_wanted(const MatFile& file, const std::string& wanted, Index n_samples,
                                  const RunContext& run) {
  const MatVariable* variable = file.find(wanted);
  if (variable == nullptr) return std::nullopt;
  auto values = read_if_fits(file, wanted, n_samples, run);
  if (values) return Labels{wanted, std::move(*values)};
  throw Error(ErrorCode::inconsistent_input,
              fmt::format("the variable {} does not hold one label for each of {} samples; "
                          "give a vector of numbers or a cell array of texts",
                          variable->description(), n_samples),
              file.name());
}

std::optional<Labels> read_labels(const MatFile& file, const std::string& wanted,
                                  const MatVariable& matrix, Index n_samples,
                                  const RunContext& run) {
  if (auto labels = read_wanted(file, wanted, n_samples, run)) return labels;
  for (const char* usual : {"Y", "gnd"}) {
    if (matrix.name == usual) continue;
    if (auto values = read_if_fits(file, usual, n_samples, run)) {
      return Labels{usual, std::move(*values)};
    }
  }
  return std::nullopt;
}

std::vector<std::string> read_feature_names(const MatFile& file, Index n_features,
                                            const RunContext& run) {
  for (const char* usual : {"feature_names", "featureNames", "names", "var_names", "genes"}) {
    const MatVariable* variable = file.find(usual);
    const bool is_text = variable != nullptr && (variable->kind == MatClass::cell ||
                                                 variable->kind == MatClass::character);
    if (!is_text) continue;
    if (auto names = read_if_fits(file, usual, n_features, run)) return std::move(*names);
  }
  return {};
}

RawTable read_variables(const MatFile& file, const ReadOptions& options, const RunContext& run) {
  const MatVariable& matrix = choose_matrix(file, options.variable);
  RawTable table;
  table.matrix = file.read_matrix(matrix, run);

  Index samples = n_samples(table.matrix);
  Index features = n_features(table.matrix);
  if (options.features_in_rows) std::swap(samples, features);
  table.labels = read_labels(file, options.labels, matrix, samples, run);
  table.batch = read_wanted(file, options.batch, samples, run);
  auto names = read_feature_names(file, features, run);
  (options.features_in_rows ? table.row_names : table.column_names) = std::move(names);
  return table;
}

constexpr std::size_t kHeaderSize = 128;
constexpr std::size_t kVersionPlace = 124;

/// The version number and byte order mark at the end of the header.
std::string_view version_mark(std::string_view bytes) {
  return bytes.size() < kHeaderSize ? std::string_view() : bytes.substr(kVersionPlace, 4);
}

}  // namespace

bool is_mat73(std::string_view bytes) {
  using namespace std::string_view_literals;
  const std::string_view mark = version_mark(bytes);
  return mark == "\x00\x02IM"sv || mark == "\x02\x00MI"sv;
}

RawTable read_mat(const InputBytes& input, const ReadOptions& options, const RunContext& run) {
  using namespace std::string_view_literals;
  const std::string_view mark = version_mark(input.bytes());
  if (mark == "\x00\x01IM"sv || mark == "\x01\x00MI"sv) {
    return read_variables(Mat5File(input.name(), input.bytes()), options, run);
  }
  if (looks_like_mat4(input.bytes())) {
    return read_variables(Mat4File(input.name(), input.bytes()), options, run);
  }
  throw Error(ErrorCode::malformed_input,
              fmt::format("not a MAT file of version 4, 5 or 7.3 ({} bytes); save it again with "
                          "save -v7",
                          input.bytes().size()),
              input.name());
}

#ifdef SFG_WITH_MAT

RawTable read_mat73(const std::filesystem::path& path, const ReadOptions& options,
                    const RunContext& run) {
  const QuietHdf5 quiet;
  return read_variables(Mat73File(path), options, run);
}

#else

RawTable read_mat73(const std::filesystem::path& path, const ReadOptions&, const RunContext&) {
  throw Error(ErrorCode::cannot_read,
              "built without support for MAT version 7.3; install libmatio-dev and build again, or "
              "save the file with save -v7",
              path.string());
}

#endif

}  // namespace sfg::detail
