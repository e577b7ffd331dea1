// Sparse arrays as files hold them: line by line, in any order within a line.
#include "read/compressed.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace sfg {
namespace {

TEST(CompressedLines, entries_of_every_line_are_sorted_and_keep_their_values) {
  const SparseMatrix sorted = detail::checked_sparse(
      "x", SparseMatrix{5, 3, {0, 2, 4, 7}, {3, 1, 4, 0, 4, 2, 3}, {31, 11, 42, 2, 43, 23, 33}},
      detail::Compressed::by_columns);
  EXPECT_EQ(sorted.starts, (std::vector<Offset>{0, 2, 4, 7}));
  EXPECT_EQ(sorted.rows, (std::vector<Index>{1, 3, 0, 4, 2, 3, 4}));
  EXPECT_EQ(sorted.values, (std::vector<double>{11, 31, 2, 42, 23, 33, 43}));
}

TEST(CompressedLines, zeros_go_and_later_lines_stay_where_they_are) {
  const SparseMatrix rest = detail::checked_sparse(
      "x", SparseMatrix{3, 3, {0, 2, 3, 5}, {0, 2, 1, 0, 1}, {0, 1, 0, 2, 3}},
      detail::Compressed::by_columns);
  EXPECT_EQ(rest.starts, (std::vector<Offset>{0, 1, 1, 3}));
  EXPECT_EQ(rest.rows, (std::vector<Index>{2, 0, 1}));
  EXPECT_EQ(rest.values, (std::vector<double>{1, 2, 3}));
}

}  // namespace
}  // namespace sfg
