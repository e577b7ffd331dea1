#include "sfg/published.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "sfg/error.hpp"

namespace sfg {

namespace {

using nlohmann::json;

/// Thetas in files are decimals: closer than this they are the same.
constexpr double kSameTheta = 1e-9;
/// Papers print two digits: whether a score reaches another is asked of these, for ours as well.
constexpr double kPrinted = 100;

[[noreturn]] void malformed(const std::filesystem::path& path, const std::string& what) {
  throw Error(ErrorCode::malformed_input,
              fmt::format("{}: {}; docs/COMMANDS.md describes the form of published tables",
                          path.string(), what));
}

json parse_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path)) {
    throw Error(ErrorCode::cannot_read,
                fmt::format("{}: cannot be opened; check the path", path.string()));
  }
  json document = json::parse(in, nullptr, false);
  if (document.is_discarded()) malformed(path, "is not JSON");
  if (!document.is_object() || !document.contains("theta") || !document.contains("datasets") ||
      !document["theta"].is_array() || !document["datasets"].is_object()) {
    malformed(path, "needs a list 'theta' and an object 'datasets'");
  }
  return document;
}

std::vector<Index> numbers(const std::filesystem::path& path, const std::string& name,
                           const json& table, const char* key) {
  if (!table.is_object() || !table.contains(key) || !table[key].is_array()) {
    malformed(path, fmt::format("'{}' has no list '{}'", name, key));
  }
  std::vector<Index> values;
  for (const json& value : table[key]) {
    if (!value.is_number_integer() || value.get<std::int64_t>() < 0 ||
        value.get<std::int64_t>() > std::numeric_limits<Index>::max()) {
      malformed(path,
                fmt::format("'{}', '{}': {} is not a number of features", name, key, value.dump()));
    }
    values.push_back(value.get<Index>());
  }
  return values;
}

std::vector<std::vector<std::optional<double>>> scores(const std::filesystem::path& path,
                                                       const std::string& name, const json& table,
                                                       const char* key, std::size_t n_rows,
                                                       std::size_t n_columns) {
  const auto wrong_shape = [&] {
    malformed(path, fmt::format("'{}', '{}' must be {} lists of {} scores", name, key, n_rows,
                                n_columns));
  };
  if (!table.contains(key) || !table[key].is_array() || table[key].size() != n_rows) wrong_shape();
  std::vector<std::vector<std::optional<double>>> rows;
  for (const json& row : table[key]) {
    if (!row.is_array() || row.size() != n_columns) wrong_shape();
    rows.emplace_back();
    for (const json& value : row) {
      if (!value.is_null() && !value.is_number()) {
        malformed(path, fmt::format("'{}', '{}': {} is not a score", name, key, value.dump()));
      }
      rows.back().push_back(value.is_null() ? std::nullopt
                                            : std::optional<double>(value.get<double>()));
    }
  }
  return rows;
}

std::vector<std::optional<double>> thetas(const std::filesystem::path& path, const json& list) {
  std::vector<std::optional<double>> values;
  for (const json& value : list) {
    if (value.is_null() || value == "none") {
      values.emplace_back();
    } else if (value.is_number()) {
      values.emplace_back(value.get<double>());
    } else {
      malformed(path, fmt::format("theta {} is neither a number nor \"none\"", value.dump()));
    }
  }
  return values;
}

std::string lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

/// By name, else by the number of features if that is unmistakable.
const std::pair<const std::string, PublishedTable>* table_for(const ExperimentResult& result,
                                                              const PublishedTables& published) {
  for (const auto& entry : published.tables) {
    if (lower_case(entry.first) == lower_case(result.name)) return &entry;
  }
  const std::pair<const std::string, PublishedTable>* only = nullptr;
  for (const auto& entry : published.tables) {
    const auto& counts = entry.second.counts;
    if (counts.empty() || *std::ranges::max_element(counts) != result.n_features) continue;
    if (only != nullptr) return nullptr;
    only = &entry;
  }
  return only;
}

bool is_same(std::optional<double> a, std::optional<double> b) {
  return a.has_value() == b.has_value() && (!a || std::fabs(*a - *b) < kSameTheta);
}

/// The cells of one column that both have.
std::vector<PublishedCell> common_cells(const ExperimentTable& ours, const ExperimentColumn& column,
                                        const PublishedTable& theirs, std::size_t their_column) {
  std::vector<PublishedCell> cells;
  for (std::size_t row = 0; row < ours.sizes.size(); ++row) {
    const auto found = std::ranges::find(theirs.sizes, ours.sizes[row]);
    if (found == theirs.sizes.end()) continue;
    const auto their_row = static_cast<std::size_t>(found - theirs.sizes.begin());
    const auto& scores = column.selected[row].scores;
    const auto nmi = theirs.nmi[their_row][their_column];
    const auto acc = theirs.acc[their_row][their_column];
    if (!scores || !nmi || !acc) continue;
    cells.push_back({column.theta, ours.sizes[row], scores->nmi, *nmi, scores->acc, *acc});
  }
  return cells;
}

bool is_baseline(const PublishedCell& cell) {
  return !cell.theta;
}

bool is_after_removal(const PublishedCell& cell) {
  return cell.theta.has_value();
}

PublishedDifference difference(const std::vector<PublishedCell>& cells,
                               bool (*counts)(const PublishedCell&)) {
  PublishedDifference sum;
  for (const PublishedCell& cell : cells) {
    if (!counts(cell)) continue;
    ++sum.n_cells;
    sum.nmi += std::fabs(cell.ours_nmi - cell.published_nmi);
    sum.acc += std::fabs(cell.ours_acc - cell.published_acc);
  }
  const double n = std::max<Index>(1, sum.n_cells);
  return {sum.n_cells, sum.nmi / n, sum.acc / n};
}

/// Of the cells after removal, the share whose NMI reaches that of all features at the same size.
double share_at_baseline(const std::vector<PublishedCell>& cells, double PublishedCell::*nmi) {
  std::map<Index, double> baseline;
  for (const PublishedCell& cell : cells) {
    if (!cell.theta) baseline[cell.n_selected] = cell.*nmi;
  }
  double n_cells = 0;
  double n_reached = 0;
  for (const PublishedCell& cell : cells) {
    if (!cell.theta || !baseline.contains(cell.n_selected)) continue;
    n_cells += 1;
    const double least = baseline[cell.n_selected];
    n_reached += std::lround(cell.*nmi * kPrinted) >= std::lround(least * kPrinted) ? 1 : 0;
  }
  return n_cells > 0 ? n_reached / n_cells : 0;
}

}  // namespace

PublishedTables read_published(const std::filesystem::path& path) {
  const json document = parse_file(path);
  PublishedTables published;
  published.thetas = thetas(path, document["theta"]);
  for (const auto& [name, table] : document["datasets"].items()) {
    PublishedTable one;
    one.counts = numbers(path, name, table, "counts");
    one.sizes = numbers(path, name, table, "n_selected");
    if (one.counts.size() != published.thetas.size()) {
      malformed(path, fmt::format("'{}' has {} counts for {} thetas", name, one.counts.size(),
                                  published.thetas.size()));
    }
    one.nmi = scores(path, name, table, "nmi", one.sizes.size(), one.counts.size());
    one.acc = scores(path, name, table, "acc", one.sizes.size(), one.counts.size());
    published.tables.emplace(name, std::move(one));
  }
  return published;
}

std::optional<PublishedComparison> compare_with_published(const ExperimentResult& result,
                                                          const PublishedTables& published) {
  const auto ours =
      std::ranges::find(result.tables, GroupingKind::components, &ExperimentTable::grouping);
  const auto* theirs = table_for(result, published);
  if (ours == result.tables.end() || theirs == nullptr) return std::nullopt;
  PublishedComparison comparison;
  comparison.name = result.name;
  comparison.published_name = theirs->first;
  for (const ExperimentColumn& column : ours->columns) {
    for (std::size_t k = 0; k < published.thetas.size(); ++k) {
      if (!is_same(column.theta, published.thetas[k])) continue;
      comparison.ours_counts.push_back(column.n_kept);
      comparison.published_counts.push_back(theirs->second.counts[k]);
      const auto cells = common_cells(*ours, column, theirs->second, k);
      comparison.cells.insert(comparison.cells.end(), cells.begin(), cells.end());
      break;
    }
  }
  comparison.baseline = difference(comparison.cells, is_baseline);
  comparison.after_removal = difference(comparison.cells, is_after_removal);
  comparison.ours_share_at_baseline = share_at_baseline(comparison.cells, &PublishedCell::ours_nmi);
  comparison.published_share_at_baseline =
      share_at_baseline(comparison.cells, &PublishedCell::published_nmi);
  return comparison;
}

}  // namespace sfg
