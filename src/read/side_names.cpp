#include "read/side_names.hpp"

#include <string_view>
#include <unordered_set>

#include "core/text.hpp"

namespace sfg::detail {

namespace {

using Names = std::vector<std::string>;

/// The lines of the first of these files that is there, packed or not.
Names lines_of_first(const std::filesystem::path& folder,
                     std::initializer_list<std::string> names) {
  for (const auto& name : names) {
    for (const auto* packed : {"", ".gz"}) {
      const auto path = folder / (name + packed);
      std::error_code ignored;
      if (std::filesystem::is_regular_file(path, ignored)) return read_lines(path);
    }
  }
  return {};
}

/// Cell number `column` of a tab-separated line; empty if the line is shorter.
std::string tab_cell(std::string_view line, int column) {
  for (; column > 0; --column) {
    const auto tab = line.find('\t');
    if (tab == std::string_view::npos) return {};
    line.remove_prefix(tab + 1);
  }
  return std::string(trimmed(line.substr(0, line.find('\t'))));
}

Names tab_column(const Names& lines, int column) {
  Names cells;
  cells.reserve(lines.size());
  for (const auto& line : lines) cells.push_back(tab_cell(line, column));
  return cells;
}

bool are_usable(const Names& names) {
  const std::unordered_set<std::string_view> different(names.begin(), names.end());
  return different.size() == names.size() && !different.contains("");
}

/// The gene's name is the second column of a 10x file; the first, its id, where names repeat.
Names gene_names(const Names& lines) {
  auto names = tab_column(lines, 1);
  return are_usable(names) ? names : tab_column(lines, 0);
}

void use_if_fitting(Names names, Index n_wanted, Names& target) {
  if (!names.empty() && names.size() == static_cast<std::size_t>(n_wanted)) {
    target = std::move(names);
  }
}

}  // namespace

void add_side_names(const std::filesystem::path& path, const ReadOptions& options,
                    RawTable& table) {
  constexpr std::string_view kTenxName = "matrix.mtx";
  auto name = path.filename().string();
  if (name.ends_with(".gz")) name.resize(name.size() - std::string_view(".gz").size());
  const auto folder = path.parent_path();
  const Index n_rows = n_samples(table.matrix);
  const Index n_columns = n_features(table.matrix);
  if (name.ends_with(kTenxName)) {
    const auto prefix = name.substr(0, name.size() - kTenxName.size());
    const auto genes = lines_of_first(folder, {prefix + "features.tsv", prefix + "genes.tsv"});
    const auto barcodes = lines_of_first(folder, {prefix + "barcodes.tsv"});
    use_if_fitting(gene_names(genes), n_rows, table.row_names);
    use_if_fitting(tab_column(barcodes, 0), n_columns, table.column_names);
  }
  const auto stem = name.substr(0, name.rfind('.'));
  const bool by_rows = options.features_in_rows;
  auto& feature_names = by_rows ? table.row_names : table.column_names;
  auto& sample_names = by_rows ? table.column_names : table.row_names;
  use_if_fitting(lines_of_first(folder, {stem + ".features.txt"}), by_rows ? n_rows : n_columns,
                 feature_names);
  use_if_fitting(lines_of_first(folder, {stem + ".samples.txt"}), by_rows ? n_columns : n_rows,
                 sample_names);
}

}  // namespace sfg::detail
