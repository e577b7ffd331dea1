#pragma once

#include <span>
#include <vector>

#include "sfg/matrix.hpp"

namespace sfg::detail {

/// How often each pair of labels occurs: classes x clusters, only the pairs that do occur. Row r
/// has the entries [starts[r], starts[r+1]), columns ascending.
struct Contingency {
  std::vector<Offset> starts{0};
  std::vector<Index> columns;
  std::vector<Index> counts;
  std::vector<Index> row_sums;
  std::vector<Index> column_sums;

  [[nodiscard]] Index n_rows() const noexcept { return static_cast<Index>(row_sums.size()); }
  [[nodiscard]] Index n_columns() const noexcept { return static_cast<Index>(column_sums.size()); }
};

/// From labels that are numbers in [0, n_rows) and [0, n_columns).
[[nodiscard]] Contingency count_pairs(std::span<const Index> rows, std::span<const Index> columns,
                                      Index n_rows, Index n_columns);

/// The largest sum of counts with at most one entry per row and per column.
[[nodiscard]] Offset largest_matching(const Contingency& table);

}  // namespace sfg::detail
