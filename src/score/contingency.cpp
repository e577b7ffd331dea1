#include "score/contingency.hpp"

#include <algorithm>

namespace sfg::detail {

Contingency count_pairs(std::span<const Index> rows, std::span<const Index> columns, Index n_rows,
                        Index n_columns) {
  Contingency table;
  table.row_sums.assign(static_cast<std::size_t>(n_rows), 0);
  table.column_sums.assign(static_cast<std::size_t>(n_columns), 0);
  std::vector<std::pair<Index, Index>> pairs(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    pairs[i] = {rows[i], columns[i]};
    ++table.row_sums[rows[i]];
    ++table.column_sums[columns[i]];
  }
  std::ranges::sort(pairs);
  std::size_t at = 0;
  for (Index row = 0; row < n_rows; ++row) {
    while (at < pairs.size() && pairs[at].first == row) {
      const std::size_t begin = at;
      while (at < pairs.size() && pairs[at] == pairs[begin]) ++at;
      table.columns.push_back(pairs[begin].second);
      table.counts.push_back(static_cast<Index>(at - begin));
    }
    table.starts.push_back(static_cast<Offset>(table.columns.size()));
  }
  return table;
}

}  // namespace sfg::detail
