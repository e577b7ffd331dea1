#include "read/compressed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// What lines and places in them are called in messages.
struct AxisNames {
  const char* line;
  const char* place;
};

AxisNames names_for(Compressed compressed) {
  return compressed == Compressed::by_columns ? AxisNames{"column", "row"}
                                              : AxisNames{"row", "column"};
}

void check_starts(const std::string& what, const SparseMatrix& arrays, const AxisNames& names) {
  const auto fail = [&](const std::string& reason) {
    throw Error(ErrorCode::malformed_input,
                fmt::format("{}: broken sparse matrix: {}; save it again", what, reason));
  };
  const auto& starts = arrays.starts;
  if (starts.size() != static_cast<std::size_t>(arrays.n_features) + 1) {
    fail(fmt::format("{} starts for {} {}s, expected one more than {}s", starts.size(),
                     arrays.n_features, names.line, names.line));
  }
  if (starts.front() != 0) fail(fmt::format("its first start is {}, not 0", starts.front()));
  const auto drop = std::ranges::adjacent_find(starts, std::ranges::greater{});
  if (drop != starts.end()) {
    fail(fmt::format("the starts fall after {} {}", names.line, drop - starts.begin() + 1));
  }
  const auto n_indices = static_cast<Offset>(arrays.rows.size());
  const auto n_values = static_cast<Offset>(arrays.values.size());
  if (starts.back() != n_indices || n_values != n_indices) {
    fail(fmt::format("its starts promise {} entries, there are {} indices and {} values",
                     starts.back(), n_indices, n_values));
  }
}

/// Sorts the entries of one line; most files have them sorted already.
void sort_line(std::span<Index> indices, std::span<double> values,
               std::vector<std::pair<Index, double>>& workspace) {
  if (std::ranges::is_sorted(indices)) return;
  workspace.clear();
  for (std::size_t k = 0; k < indices.size(); ++k) workspace.emplace_back(indices[k], values[k]);
  std::ranges::stable_sort(workspace, {}, &std::pair<Index, double>::first);
  for (std::size_t k = 0; k < indices.size(); ++k) {
    std::tie(indices[k], values[k]) = workspace[k];
  }
}

void check_line(const std::string& what, std::span<const Index> indices, Index line, Index n_places,
                const AxisNames& names) {
  if (indices.empty()) return;
  const Index wrong = indices.front() < 0 ? indices.front() : indices.back();
  if (wrong < 0 || wrong >= n_places) {
    throw Error(ErrorCode::malformed_input,
                fmt::format("{}: broken sparse matrix: {} {} has an entry in {} {} of {}; save it "
                            "again",
                            what, names.line, line + 1, names.place, Offset{wrong} + 1, n_places));
  }
  const auto repeated = std::ranges::adjacent_find(indices);
  if (repeated != indices.end()) {
    throw Error(ErrorCode::malformed_input,
                fmt::format("{}: the entry in {} {}, {} {} is given twice; add repeated entries up "
                            "and save it again",
                            what, names.line, line + 1, names.place, *repeated + 1));
  }
}

void drop_zeros(SparseMatrix& matrix) {
  std::size_t kept = 0;
  std::size_t next = 0;
  for (std::size_t line = 0; line + 1 < matrix.starts.size(); ++line) {
    const auto end = static_cast<std::size_t>(matrix.starts[line + 1]);
    for (; next < end; ++next) {
      if (matrix.values[next] == 0) continue;
      matrix.rows[kept] = matrix.rows[next];
      matrix.values[kept] = matrix.values[next];
      ++kept;
    }
    matrix.starts[line + 1] = static_cast<Offset>(kept);
  }
  matrix.rows.resize(kept);
  matrix.values.resize(kept);
}

}  // namespace

SparseMatrix checked_sparse(const std::string& what, SparseMatrix arrays, Compressed compressed) {
  const AxisNames names = names_for(compressed);
  check_starts(what, arrays, names);
  std::vector<std::pair<Index, double>> workspace;
  for (Index line = 0; line < arrays.n_features; ++line) {
    const auto begin = static_cast<std::size_t>(arrays.starts[line]);
    const auto end = static_cast<std::size_t>(arrays.starts[line + 1]);
    const std::span<Index> indices(arrays.rows.data() + begin, end - begin);
    sort_line(indices, {arrays.values.data() + begin, end - begin}, workspace);
    check_line(what, indices, line, arrays.n_samples, names);
  }
  drop_zeros(arrays);
  if (compressed == Compressed::by_columns) return arrays;
  return std::get<SparseMatrix>(transpose(std::move(arrays)));
}

}  // namespace sfg::detail
