#include "read/readers.hpp"

#include <fmt/format.h>

#include "core/text.hpp"
#include "io/hdf5.hpp"
#include "read/h5ad_matrix.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

#ifdef SFG_WITH_HDF5

namespace {

/// One of the tables "obs" and "var": a group with a dataset per column or, in files of old
/// versions, a dataset with a field per column.
class Annotations {
 public:
  Annotations(const Hdf5Node& root, const std::string& name, const RunContext& run)
      : root_(root), node_(find_node(root, name)), run_(run) {}

  /// The names of the lines; none if the file has none.
  [[nodiscard]] std::vector<std::string> names() const {
    if (!node_) return {};
    if (const auto attribute = text_attribute(*node_, "_index")) {
      if (const auto column = find_column(*attribute)) return *column;
    }
    for (const char* name : {"_index", "index"}) {
      if (auto column = find_column(name)) return std::move(*column);
    }
    return {};
  }

  /// A column as texts, nothing if there is none of that name. Missing values are empty.
  [[nodiscard]] std::optional<std::vector<std::string>> find_column(const std::string& name) const {
    if (!node_) return std::nullopt;
    if (node_->is_dataset()) return find_field(name);
    const auto column = find_node(*node_, name);
    if (!column) return std::nullopt;
    if (column->is_group()) return read_encoded(*column);
    if (const auto categories = find_node(*node_, "__categories")) {
      if (const auto texts = find_node(*categories, name)) {
        return decoded(column->what, read_int64s(*column, run_), read_texts(*texts, "", run_));
      }
    }
    return read_texts(*column, "", run_);
  }

 private:
  /// A column of a table that is one dataset; categories lie in uns under "<name>_categories".
  [[nodiscard]] std::optional<std::vector<std::string>> find_field(const std::string& name) const {
    const Hdf5Handle type(H5Dget_type(node_->id()), H5Tclose);
    if (H5Tget_class(type.id()) != H5T_COMPOUND || name.empty()) return std::nullopt;
    if (H5Tget_member_index(type.id(), name.c_str()) < 0) return std::nullopt;
    std::vector<std::string> texts = read_texts(*node_, name, run_);
    const auto extras = find_node(root_, "uns");
    const auto categories =
        extras ? find_node(*extras, name + "_categories") : std::optional<Hdf5Node>();
    if (!categories || !categories->is_dataset()) return texts;
    std::vector<std::int64_t> codes;
    codes.reserve(texts.size());
    for (const std::string& text : texts) {
      // Anything that cannot be a code becomes one that decoded() refuses.
      constexpr double kMostCategories = 1e9;
      const double code = parse_number(text).value_or(-1);
      const bool possible = code >= -1 && code < kMostCategories;
      codes.push_back(possible ? static_cast<std::int64_t>(code) : -2);
    }
    return decoded(node_->what, codes, read_texts(*categories, "", run_));
  }

  /// Columns that are groups: codes with categories, or values with a mask of the missing ones.
  [[nodiscard]] std::vector<std::string> read_encoded(const Hdf5Node& column) const {
    const auto codes = find_node(column, "codes");
    const auto categories = find_node(column, "categories");
    if (codes && categories) {
      return decoded(column.what, read_int64s(*codes, run_), read_texts(*categories, "", run_));
    }
    const auto values = find_node(column, "values");
    const auto mask = find_node(column, "mask");
    if (!values || !mask) {
      throw Error(ErrorCode::malformed_input,
                  fmt::format("{}: is neither a list nor categories; save it as text or numbers",
                              column.what));
    }
    std::vector<std::string> texts = read_texts(*values, "", run_);
    const std::vector<double> missing = read_doubles(*mask, run_);
    if (missing.size() != texts.size()) {
      throw Error(ErrorCode::malformed_input,
                  fmt::format("{}: has {} values and {} marks of missing ones; save it again",
                              column.what, texts.size(), missing.size()));
    }
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (missing[i] != 0) texts[i].clear();
    }
    return texts;
  }

  /// The text of each code; -1 stands for a missing value.
  static std::vector<std::string> decoded(const std::string& what,
                                          const std::vector<std::int64_t>& codes,
                                          const std::vector<std::string>& categories) {
    std::vector<std::string> texts;
    texts.reserve(codes.size());
    for (const std::int64_t code : codes) {
      if (code < -1 || code >= static_cast<std::int64_t>(categories.size())) {
        throw Error(
            ErrorCode::malformed_input,
            fmt::format("{}: line {} has the category {}, but there are only {}; save it again",
                        what, texts.size() + 1, code, categories.size()));
      }
      texts.push_back(code == -1 ? std::string() : categories[code]);
    }
    return texts;
  }

  const Hdf5Node& root_;
  std::optional<Hdf5Node> node_;
  const RunContext& run_;
};

/// The matrix to read, and where the table of its columns is.
struct MatrixPlace {
  Hdf5Node matrix;
  std::optional<Hdf5Node> group = {};  ///< that has the table; none: the file itself
  std::string columns = "var";
};

std::vector<std::string> layer_names(const Hdf5Node& root) {
  std::vector<std::string> names;
  const auto layers = find_node(root, "layers");
  if (layers && layers->is_group()) {
    for (const std::string& name : member_names(*layers)) names.push_back(escaped(name));
  }
  for (const char* raw : {"raw", "raw.X"}) {
    if (find_node(root, raw)) names.emplace_back("raw");
  }
  return names;
}

MatrixPlace find_x(const Hdf5Node& root) {
  auto node = find_node(root, "X");
  if (node && (node->is_dataset() || node->is_group())) return {std::move(*node)};
  if (const auto layers = layer_names(root); !layers.empty()) {
    throw Error(ErrorCode::malformed_input,
                fmt::format("has no matrix 'X', only the layers {}", fmt::join(layers, ", ")),
                root.what, {"layer", "choose one with {layer=NAME}"});
  }
  std::vector<std::string> names;
  for (const std::string& name : member_names(root)) names.push_back(escaped(name));
  throw Error(ErrorCode::malformed_input,
              fmt::format("{}: has no matrix 'X', only: {}; save the data with X set", root.what,
                          names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, ", "))));
}

/// "raw" holds a matrix and its columns; early versions had "raw.X" and "raw.var" beside the rest.
std::optional<MatrixPlace> find_raw(const Hdf5Node& root) {
  if (auto raw = find_node(root, "raw")) {
    auto matrix = find_node(*raw, "X");
    if (matrix) return MatrixPlace{std::move(*matrix), std::move(raw)};
  }
  auto matrix = find_node(root, "raw.X");
  if (matrix) return MatrixPlace{std::move(*matrix), {}, "raw.var"};
  return std::nullopt;
}

MatrixPlace find_matrix(const Hdf5Node& root, const std::string& layer) {
  if (layer.empty()) return find_x(root);
  if (const auto layers = find_node(root, "layers")) {
    if (auto matrix = find_node(*layers, layer)) return {std::move(*matrix)};
  }
  if (layer == "raw") {
    if (auto place = find_raw(root)) return std::move(*place);
  }
  const auto names = layer_names(root);
  throw Error(ErrorCode::inconsistent_input,
              fmt::format("there is no layer '{}'; the file has {}", escaped(layer),
                          names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))),
              root.what, {"layer", "check {layer}, or leave it out for X"});
}

void check_count(const std::string& where, std::string_view what, std::size_t found,
                 Index expected) {
  if (found == 0 || found == static_cast<std::size_t>(expected)) return;
  throw Error(ErrorCode::malformed_input,
              fmt::format("there are {} {}, but the matrix has {}; save the file again", found,
                          what, expected),
              where);
}

}  // namespace

RawTable read_h5ad(const std::filesystem::path& path, const ReadOptions& options,
                   const RunContext& run) {
  const QuietHdf5 quiet;
  Hdf5Node root{path.string(), open_hdf5(path)};
  RawTable table;
  const MatrixPlace place = find_matrix(root, options.layer);
  table.matrix = read_h5ad_matrix(place.matrix, run);

  const Annotations rows(root, "obs", run);
  const Annotations columns(place.group ? *place.group : root, place.columns, run);
  table.row_names = rows.names();
  table.column_names = columns.names();
  check_count(root.what, "names of rows (obs)", table.row_names.size(), n_samples(table.matrix));
  check_count(root.what, "names of columns (var)", table.column_names.size(),
              n_features(table.matrix));

  const Annotations& samples = options.features_in_rows ? columns : rows;
  const Index expected =
      options.features_in_rows ? n_features(table.matrix) : n_samples(table.matrix);
  if (auto labels = samples.find_column(options.labels)) {
    if (labels->size() != static_cast<std::size_t>(expected)) {
      throw Error(ErrorCode::inconsistent_input,
                  fmt::format("{}: the column '{}' has {} labels, there are {} samples", root.what,
                              escaped(options.labels), labels->size(), expected));
    }
    table.labels = Labels{options.labels, std::move(*labels)};
  }
  if (auto batch = samples.find_column(options.batch)) {
    table.batch = Labels{options.batch, std::move(*batch)};
  }
  return table;
}

#else

RawTable read_h5ad(const std::filesystem::path& path, const ReadOptions&, const RunContext&) {
  throw Error(ErrorCode::cannot_read,
              fmt::format("{}: built without h5ad support: install libhdf5-dev and build again",
                          path.string()));
}

#endif

}  // namespace sfg::detail
