#include "sfg/positions.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "core/text.hpp"
#include "sfg/error.hpp"
#include "sfg/files.hpp"
#include "sfg/text.hpp"

namespace sfg {

namespace {

/// Which cell of a line says what; no chromosome: all features are on one line.
struct PositionColumns {
  std::size_t n_cells;
  std::size_t feature;
  std::optional<std::size_t> chromosome;
  std::size_t position;
};

constexpr std::array kPositionLayouts{
    PositionColumns{2, 0, {}, 1}, PositionColumns{3, 0, 1, 2},  // our own
    PositionColumns{4, 1, 0, 3}, PositionColumns{6, 1, 0, 3}};  // .map and .bim

using PositionCells = std::vector<std::string_view>;

PositionCells cells_of(std::string_view line, char separator) {
  PositionCells cells;
  const bool by_blanks = separator == ' ';
  const char* ends = by_blanks ? " \t" : separator == ',' ? "," : "\t";
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find_first_of(ends, at), line.size());
    const auto cell = detail::trimmed(line.substr(at, end - at));
    if (!by_blanks || !cell.empty()) cells.push_back(cell);
    at = end + 1;
  }
  return cells;
}

class PositionReader {
 public:
  PositionReader(std::string path, const std::vector<std::string>& feature_names)
      : path_(std::move(path)), feature_names_(feature_names) {
    for (std::size_t i = 0; i < feature_names.size(); ++i) {
      numbers_.emplace(feature_names[i], static_cast<Index>(i));
    }
    for (std::size_t i = 0; i < feature_names.size(); ++i) {
      numbers_.emplace(escaped(feature_names[i]), static_cast<Index>(i));
    }
    positions_.chromosome.assign(feature_names.size(), kNone);
    positions_.position.assign(feature_names.size(), 0.0);
  }

  void take(std::string_view line);
  [[nodiscard]] FeaturePositions finished();

 private:
  static constexpr Index kNone = -1;

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorCode::malformed_input, what, fmt::format("{}:{}", path_, line_));
  }
  void choose_layout(std::string_view line);

  std::string path_;
  const std::vector<std::string>& feature_names_;
  std::unordered_map<std::string, Index> numbers_;
  std::unordered_map<std::string, Index> chromosomes_;
  FeaturePositions positions_;
  std::size_t line_ = 0;
  char separator_ = '\t';
  const PositionColumns* columns_ = nullptr;  ///< null before the first line with cells
};

/// By the first line.
void PositionReader::choose_layout(std::string_view line) {
  const auto has = [&](char c) { return line.find(c) != std::string_view::npos; };
  separator_ = has('\t') ? '\t' : has(',') ? ',' : ' ';
  const std::size_t n_cells = cells_of(line, separator_).size();
  for (const PositionColumns& columns : kPositionLayouts) {
    if (columns.n_cells == n_cells) columns_ = &columns;
  }
  if (columns_ != nullptr) return;
  refuse(
      fmt::format("{} cells in a line of positions: it takes feature, chromosome and position "
                  "(or feature and position), or the columns of plink's .map or .bim",
                  n_cells));
}

void PositionReader::take(std::string_view line) {
  ++line_;
  if (line.empty() || line.starts_with('#')) return;
  const bool is_first = columns_ == nullptr;
  if (is_first) choose_layout(line);
  const PositionCells cells = cells_of(line, separator_);
  if (cells.size() != columns_->n_cells) {
    refuse(fmt::format("{} cells, but {} in the lines before", cells.size(), columns_->n_cells));
  }
  const std::string_view text = cells[columns_->position];
  const auto position = parse_number(text);
  if (!position && is_first) return;  // a heading
  const std::string name(cells[columns_->feature]);
  if (!position || !std::isfinite(*position)) {
    refuse(fmt::format("the position of '{}' is '{}', which is not a number", escaped(name),
                       escaped(text)));
  }
  const auto found = numbers_.find(name);
  if (found == numbers_.end()) return;
  Index& chromosome = positions_.chromosome[found->second];
  if (chromosome != kNone) refuse(fmt::format("a second position of '{}'", escaped(name)));
  const std::string on(columns_->chromosome ? cells[*columns_->chromosome] : std::string_view());
  // Numbered as they come: which is first changes no group.
  chromosome = chromosomes_.emplace(on, static_cast<Index>(chromosomes_.size())).first->second;
  positions_.position[found->second] = *position;
}

FeaturePositions PositionReader::finished() {
  std::string examples;
  std::size_t n_missing = 0;
  constexpr std::size_t kShown = 3;
  for (std::size_t i = 0; i < feature_names_.size(); ++i) {
    if (positions_.chromosome[i] != kNone || ++n_missing > kShown) continue;
    examples += fmt::format("{}'{}'", examples.empty() ? "" : ", ", escaped(feature_names_[i]));
  }
  if (n_missing > 0) {
    throw Error(ErrorCode::inconsistent_input,
                fmt::format("no position of {}{}{}: every feature of the data needs one", examples,
                            n_missing > kShown ? " and " : "",
                            n_missing > kShown ? fmt::format("{} more", n_missing - kShown) : ""),
                path_);
  }
  return std::move(positions_);
}

}  // namespace

FeaturePositions read_positions(const std::filesystem::path& path,
                                const std::vector<std::string>& feature_names,
                                const RunContext& run) {
  PositionReader reader(path.string(), feature_names);
  // Blank lines count, so that messages name the line.
  for (const std::string& line : read_labels(path, run)) reader.take(line);
  return reader.finished();
}

}  // namespace sfg
