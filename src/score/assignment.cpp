// The assignment problem by shortest augmenting paths (Jonker and Volgenant), for tables with more
// columns than rows.
#include <algorithm>
#include <limits>

#include "score/contingency.hpp"

namespace sfg::detail {

namespace {

constexpr Index kNone = -1;

/// The table with rows and columns swapped.
Contingency transposed(const Contingency& table) {
  std::vector<Index> rows;
  std::vector<Index> columns;
  for (Index r = 0; r < table.n_rows(); ++r) {
    for (auto k = table.starts[r]; k < table.starts[r + 1]; ++k) {
      const auto count = static_cast<std::size_t>(table.counts[k]);
      rows.insert(rows.end(), count, r);
      columns.insert(columns.end(), count, table.columns[k]);
    }
  }
  return count_pairs(columns, rows, table.n_columns(), table.n_rows());
}

/// Cost of a pair is minus its count. Duals u (rows) and v (columns) keep every reduced cost
/// c_rj - u_r - v_j >= 0, and = 0 on matched pairs; each row is added along the shortest path in
/// reduced costs that ends at a free column. Costs of a row are spread out when it is reached, so
/// that the table stays as sparse as it is.
class Assignment {
 public:
  explicit Assignment(const Contingency& table)
      : table_(table),
        row_dual_(static_cast<std::size_t>(table.n_rows()), 0),
        column_dual_(static_cast<std::size_t>(table.n_columns()), 0),
        row_of_(column_dual_.size(), kNone),
        cost_(column_dual_.size(), 0),
        distance_(column_dual_.size()),
        reached_from_(column_dual_.size()),
        done_(column_dual_.size()) {}

  Offset solve() {
    for (Index row = 0; row < table_.n_rows(); ++row) add(row);
    Offset sum = 0;
    for (std::size_t column = 0; column < row_of_.size(); ++column) {
      if (row_of_[column] == kNone) continue;
      spread(row_of_[column], 1);
      sum -= cost_[column];
      spread(row_of_[column], 0);
    }
    return sum;
  }

 private:
  /// Writes the costs of a row into cost_ (factor 1), or clears them again (factor 0).
  void spread(Index row, Offset factor) {
    const auto r = static_cast<std::size_t>(row);
    for (Offset k = table_.starts[r]; k < table_.starts[r + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      cost_[table_.columns[at]] = -factor * table_.counts[at];
    }
  }

  /// Shortens distances by paths through `row`, which is `so_far` away itself. Returns the nearest
  /// column that is not done, the lowest one if there are several.
  Index relax(Index row, Index from_column, Offset so_far) {
    spread(row, 1);
    Index nearest = kNone;
    for (std::size_t j = 0; j < cost_.size(); ++j) {
      if (done_[j] != 0) continue;
      const Offset through = so_far + cost_[j] - row_dual_[row] - column_dual_[j];
      if (through < distance_[j]) {
        distance_[j] = through;
        reached_from_[j] = from_column;
      }
      if (nearest == kNone || distance_[j] < distance_[nearest]) {
        nearest = static_cast<Index>(j);
      }
    }
    spread(row, 0);
    return nearest;
  }

  void add(Index new_row) {
    std::ranges::fill(distance_, std::numeric_limits<Offset>::max());
    std::ranges::fill(done_, 0);
    Index column = relax(new_row, kNone, 0);
    while (row_of_[column] != kNone) {
      const auto j = static_cast<std::size_t>(column);
      done_[j] = 1;
      column = relax(row_of_[j], column, distance_[j]);
    }
    const Offset length = distance_[column];
    row_dual_[new_row] += length;
    for (std::size_t j = 0; j < done_.size(); ++j) {
      if (done_[j] == 0) continue;
      row_dual_[row_of_[j]] += length - distance_[j];
      column_dual_[j] -= length - distance_[j];
    }
    // Turn the path round: each column takes the row of the one before it.
    while (reached_from_[column] != kNone) {
      const Index before = reached_from_[column];
      row_of_[column] = row_of_[before];
      column = before;
    }
    row_of_[column] = new_row;
  }

  const Contingency& table_;
  std::vector<Offset> row_dual_;
  std::vector<Offset> column_dual_;
  std::vector<Index> row_of_;  ///< the row matched with a column
  std::vector<Offset> cost_;
  std::vector<Offset> distance_;
  std::vector<Index> reached_from_;  ///< column before this one on the shortest path
  std::vector<char> done_;
};

}  // namespace

Offset largest_matching(const Contingency& table) {
  if (table.n_rows() > table.n_columns()) return largest_matching(transposed(table));
  return Assignment(table).solve();
}

}  // namespace sfg::detail
