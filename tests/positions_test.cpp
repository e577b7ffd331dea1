// Where features lie, from a file.
#include "sfg/positions.hpp"

#include <gtest/gtest.h>

#include "helpers.hpp"

namespace sfg {
namespace {

using testing::expect_error;
using testing::TemporaryFolder;

FeaturePositions positions_in(const std::string& text) {
  const TemporaryFolder folder;
  return read_positions(folder.write("p.txt", text), {"a", "b", "c"});
}

void refuse_positions(const std::string& text, ErrorCode code,
                      std::initializer_list<std::string_view> words) {
  expect_error(code, words, [&] { static_cast<void>(positions_in(text)); });
}

TEST(Positions, are_read_with_a_heading_and_without_by_tab_comma_or_blanks) {
  for (const std::string text :
       {"feature\tchrom\tpos\nb\tX\t2.5\na\t1\t1e3\nc\tX\t-4\n", "b\tX\t2.5\na\t1\t1e3\nc\tX\t-4",
        "b, X ,2.5\r\na,1,1000\r\nc,X,-4",
        "# made by hand\nb X  2.5\na 1 1000\n\nc X -4\nelsewhere X 9\n"}) {
    const FeaturePositions found = positions_in(text);
    EXPECT_EQ(found.position, (std::vector<double>{1000, 2.5, -4})) << text;
    EXPECT_EQ(found.chromosome[1], found.chromosome[2]);
    EXPECT_NE(found.chromosome[0], found.chromosome[1]);
  }
}

TEST(Positions, without_a_chromosome_all_are_on_one) {
  const FeaturePositions found = positions_in("name,wavelength\nc,3\na,1\nb,2\n");
  EXPECT_EQ(found.position, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(found.chromosome, (std::vector<Index>{0, 0, 0}));
}

TEST(Positions, files_of_plink_are_read_as_they_are) {
  const FeaturePositions bim =
      positions_in("1\ta\t0\t500\tA\tG\n1\tb\t0.1\t700\tC\tT\n2\tc\t0\t500\tA\tG\n");
  EXPECT_EQ(bim.position, (std::vector<double>{500, 700, 500}));
  EXPECT_EQ(bim.chromosome, (std::vector<Index>{0, 0, 1}));
  EXPECT_EQ(positions_in("1 a 0 500\n1 b 0.1 700\n2 c 0 500\n").position, bim.position);
}

TEST(Positions, what_is_wrong_is_named_with_its_line) {
  using enum ErrorCode;
  refuse_positions("a\t1\t5\nb\t1\tfive\n", malformed_input, {"p.txt:2", "'b'", "'five'"});
  refuse_positions("a\t1\t5\n\nb\t1\tinf\n", malformed_input, {"p.txt:3", "'b'", "inf"});
  refuse_positions("a\t1\t5\nb\t1\n", malformed_input, {"p.txt:2", "2 cells, but 3"});
  refuse_positions("a\t1\t5\na\t1\t6\n", malformed_input, {"p.txt:2", "second position of 'a'"});
  refuse_positions("a\t1\t5\t6\t7\n", malformed_input, {"p.txt:1", "5 cells", ".bim"});
  refuse_positions("b\t1\t5\n", inconsistent_input, {"no position of 'a', 'c'"});
  refuse_positions("", inconsistent_input, {"no position of 'a', 'b', 'c'"});
}

TEST(Positions, of_many_features_without_one_three_are_named) {
  const TemporaryFolder folder;
  const auto path = folder.write("p.txt", "a\t1\t5\n");
  expect_error(ErrorCode::inconsistent_input, {"'b', 'c', 'd' and 2 more"}, [&] {
    static_cast<void>(read_positions(path, {"a", "b", "c", "d", "e", "f"}));
  });
}

}  // namespace
}  // namespace sfg
