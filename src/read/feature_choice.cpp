#include "read/feature_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/missing_words.hpp"
#include "read/chosen_columns.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// One feature of 0 and 1.
struct Category {
  const TextColumn* column;
  std::string value;
};

std::vector<Category> categories_of(const std::vector<TextColumn>& texts) {
  std::vector<Category> categories;
  for (const TextColumn& column : texts) {
    if (column.kind != TextKind::category) continue;
    // In the order of the values: the same whatever the order of the rows.
    std::map<std::string_view, int> values;
    for (const std::string& value : column.values) {
      if (!is_missing_word(value)) ++values[value];
    }
    for (const auto& [value, count] : values) categories.push_back({&column, std::string(value)});
  }
  return categories;
}

}  // namespace

void choose_features(const std::string& source, const ReadOptions& options, RawTable& table) {
  if (table.has_chosen_columns || (options.columns.empty() && options.drop.empty())) return;
  const Index n_columns = n_features(table.matrix);
  const auto names = table.column_names.empty() ? generated_names(n_columns) : table.column_names;
  std::vector<bool> is_kept(names.size(), options.columns.empty());
  for (const std::size_t j : find_columns(source, names, options.columns, "columns")) {
    is_kept[j] = true;
  }
  for (const std::size_t j : find_columns(source, names, options.drop, "drop")) is_kept[j] = false;
  std::vector<Index> kept;
  std::vector<std::string> kept_names;
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (!is_kept[j]) continue;
    kept.push_back(static_cast<Index>(j));
    kept_names.push_back(names[j]);
  }
  if (kept.empty()) {
    throw Error(ErrorCode::invalid_option, "no feature is left", source,
                {"drop", "check {columns} and {drop}"});
  }
  table.matrix = select_features(table.matrix, kept);
  table.column_names = std::move(kept_names);
}

void encode_texts(const std::string& source, const ReadOptions& options, const RunContext& run,
                  RawTable& table) {
  if (options.encode == Encoding::none || options.features_in_rows) return;
  const auto categories = categories_of(table.texts);
  const auto* numbers = std::get_if<DenseMatrix>(&table.matrix);
  if (categories.empty() || numbers == nullptr) return;
  const Index n = numbers->n_samples();
  const Index n_numbers = numbers->n_features();
  const auto n_all = static_cast<double>(n_numbers) + static_cast<double>(categories.size());
  check_size(source, n, n_all, n_all * n, sizeof(double), run);
  DenseMatrix all(n, static_cast<Index>(n_all));
  for (Index j = 0; j < n_numbers; ++j) {
    std::ranges::copy(numbers->column(j), all.column(j).begin());
  }
  if (table.column_names.empty()) table.column_names = generated_names(n_numbers);
  for (std::size_t k = 0; k < categories.size(); ++k) {
    const auto& [column, value] = categories[k];
    const auto target = all.column(n_numbers + static_cast<Index>(k));
    for (std::size_t i = 0; i < target.size(); ++i) {
      target[i] = column->values[i] == value ? 1 : 0;
    }
    table.column_names.push_back(fmt::format("{}={}", column->name, value));
  }
  table.matrix = std::move(all);
}

}  // namespace sfg::detail
