// Quoted cells of CSV and TSV with blanks before the quote, as some programs write them.
#include <gtest/gtest.h>

#include <cmath>

#include "read_text.hpp"
#include "sfg/read.hpp"

namespace sfg {
namespace {

using Names = std::vector<std::string>;
using testing::read_text;

double cell_value(const Dataset& dataset, Index sample, Index feature) {
  return std::get<DenseMatrix>(dataset.matrix)(sample, feature);
}

TEST(QuotedCell, may_have_blanks_before_its_quote_and_separators_inside) {
  const auto data = read_text("a, \"b, c\",\t \"d\"\n1,  \"2\",3\n4,5, \"6\" \n");
  EXPECT_EQ(data.feature_names, (Names{"a", "b, c", "d"}));
  EXPECT_EQ(cell_value(data, 0, 1), 2);
  EXPECT_EQ(cell_value(data, 1, 2), 6);
}

TEST(QuotedCell, may_have_blanks_before_its_quote_and_line_ends_inside) {
  const auto data = read_text("  \"a\nx\", \"b\nc\"\n1,2\n3,4\n");
  EXPECT_EQ(data.feature_names, (Names{"a\nx", "b\nc"}));
  ASSERT_EQ(n_samples(data.matrix), 2);
  EXPECT_EQ(cell_value(data, 1, 1), 4);
}

TEST(QuotedCell, after_an_empty_cell_of_a_tsv_is_a_cell_of_its_own) {
  const auto data = read_text("\"a\"\t\t \"c\td\"\n1\t\t\"3\"\n4\t5\t6\n", {}, "x.tsv");
  EXPECT_EQ(data.feature_names, (Names{"a", "f1", "c\td"}));
  EXPECT_EQ(cell_value(data, 0, 2), 3);
  EXPECT_TRUE(std::isnan(cell_value(data, 0, 1)));
}

TEST(QuotedCell, has_no_blanks_around_what_it_says) {
  EXPECT_EQ(read_text("\" a \",\"b \"\n1,2\n").feature_names, (Names{"a", "b"}));
}

TEST(QuotedCell, with_a_decimal_comma_tells_no_more_of_the_first_column_than_of_the_others) {
  const auto data = read_text("\"a\";\"b\"\n\"NA\";\"0,5\"\n\"1,5\";\"2,5\"\n\"3,5\";\"4,5\"\n");
  EXPECT_EQ(data.feature_names, (Names{"a", "b"}));
  EXPECT_TRUE(data.sample_names.empty());
}

}  // namespace
}  // namespace sfg
