// What stands in files beside a header and rows, and cells that are numbers with something around
// them.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "read_text.hpp"
#include "sfg/check.hpp"

namespace sfg {
namespace {

using Names = std::vector<std::string>;
using testing::expect_error;
using testing::expect_note;
using testing::read_text;
using testing::value_at;

constexpr const char* kRows = "a,b,c\n1.5,2,3\n4,5.5,6\n7,8,9.5\n";

TEST(OddTable, titles_above_the_header_are_left_out_and_said) {
  for (const std::string above :
       {"My experiment of 2019\n", "My experiment\n\n", "My experiment,,\n,,\n",
        "Source: WHO\nDate: 2020-01-01\n", "% made by x\n", "// made by x\n"}) {
    const Dataset data = read_text(above + kRows);
    EXPECT_EQ(data.feature_names, (Names{"a", "b", "c"})) << above;
    EXPECT_EQ(n_samples(data.matrix), 3) << above;
    expect_note(data, {"above the header", "left out"});
  }
}

TEST(OddTable, counts_above_the_header_of_a_gct_file_are_left_out) {
  const Dataset data = read_text(
      "#1.2\n3\t3\nNAME\tDescription\ts1\ts2\ts3\ng1\tx\t1\t2\t3\ng2\ty\t4\t5\t6\ng3\tx\t7\t8\t9\n",
      {}, "x.gct");
  EXPECT_EQ(data.feature_names, (Names{"s1", "s2", "s3"}));
  EXPECT_EQ(data.sample_names, (Names{"g1", "g2", "g3"}));
}

TEST(OddTable, a_short_line_above_rows_without_a_header_is_a_fault) {
  for (const char* text : {"a b c\n1,2,3\n4,5,6\n7,8,9\n", "3,x\n1,2,3,4\n4,5,6,7\n7,8,9,1\n"}) {
    expect_error(ErrorCode::malformed_input, {"line 1", "over rows of", "title"},
                 [&] { static_cast<void>(read_text(text)); });
  }
}

TEST(OddTable, counts_in_the_first_cells_above_the_header_are_left_out) {
  const Dataset data = read_text("3,4,,,\nCRIM,ZN,AGE,TAX,MEDV\n1,2,3,4,5\n6,7,8,9,1\n2,3,5,7,9\n");
  EXPECT_EQ(data.feature_names.front(), "CRIM");
  EXPECT_EQ(n_samples(data.matrix), 3);
  expect_note(data, {"1 line above the header is left out: \"3 4\""});
}

TEST(OddTable, units_below_the_header_are_left_out_and_said) {
  const Dataset data = read_text("id,a,b,c\n,mm,kg,-\ns1,1,2,3\ns2,4,5,6\ns3,7,8,10\n");
  EXPECT_EQ(n_samples(data.matrix), 3);
  EXPECT_EQ(data.sample_names, (Names{"s1", "s2", "s3"}));
  expect_note(data, {"units", "mm, kg"});
}

TEST(OddTable, a_first_row_of_bounds_or_of_one_odd_cell_is_a_sample) {
  EXPECT_EQ(
      n_samples(read_text("a,b\n<5,<3\n1,2\n3,4\n5,6\n5,7\n1,2\n3,4\n5,6\n5,7\n8,3\n").matrix), 10);
  EXPECT_EQ(n_samples(read_text("a,b\nx,3\n1,2\n3,4\n5,6\n5,7\n1,2\n3,4\n5,6\n5,7\n8,3\n").matrix),
            10);
}

TEST(OddTable, the_line_that_tells_excel_the_separator_is_followed) {
  for (const std::string line : {"sep=;\n", "SEP=;\r\n"}) {
    const Dataset data = read_text(line + "a;b;c\n1,5;2;3\n4;5,5;6\n");
    EXPECT_EQ(data.feature_names, (Names{"a", "b", "c"}));
    EXPECT_EQ(value_at(data, 0, 0), 1.5);
  }
}

TEST(OddTable, lines_around_a_series_matrix_are_left_out_and_said) {
  const Dataset data = read_text(
      "!Series_title\t\"x\"\n!Sample_title\t\"y\"\t\"z\"\n!series_matrix_table_begin\n"
      "\"ID_REF\"\t\"GSM1\"\t\"GSM2\"\n\"1007_s_at\"\t1.5\t3.25\n\"1053_at\"\t4\t2\n"
      "!series_matrix_table_end\n",
      {}, "x.txt");
  EXPECT_EQ(data.feature_names, (Names{"GSM1", "GSM2"}));
  EXPECT_EQ(data.sample_names, (Names{"1007_s_at", "1053_at"}));
  expect_note(data, {"start with !", "{comment}"});
}

TEST(OddTable, of_comments_alone_has_no_rows) {
  ReadOptions options;
  options.comment = "#";
  expect_error(ErrorCode::malformed_input, {"only comments"},
               [&] { static_cast<void>(read_text("#a,b\n#1,2\n", options)); });
  expect_error(ErrorCode::malformed_input, {"only comments"},
               [&] { static_cast<void>(read_text("!Series_title\tx\n!Series_y\tz\n")); });
  EXPECT_EQ(read_text("!a,b\n1,2\n3,4\n").feature_names, (Names{"!a", "b"}));
}

TEST(OddTable, empty_columns_without_a_name_are_left_out_wherever_they_stand) {
  const Dataset data = read_text("a,,c\n1,,3\n4,,6\n");
  EXPECT_EQ(data.feature_names, (Names{"a", "c"}));
  expect_note(data, {"1 empty column without a name is left out"});
  // Without a header the place is the name.
  EXPECT_EQ(n_features(read_text("1,,3\n4,,6\n").matrix), 3);
  EXPECT_EQ(n_features(read_text("1,3,\n4,6,\n").matrix), 2);
}

TEST(OddTable, a_comment_among_the_rows_is_told_with_the_option_for_it) {
  expect_error(ErrorCode::malformed_input, {"line 3", "# note", "name its mark by comment"},
               [] { static_cast<void>(read_text("a,b\n1,2\n# note\n3,4\n")); });
  expect_error(ErrorCode::malformed_input, {"line 4", "an empty line", "footnotes"},
               [] { static_cast<void>(read_text("a,b\n1,2\n3,4\n\nSource: WHO\n")); });
}

TEST(OddTable, columns_without_a_header_can_be_named_by_their_places) {
  constexpr const char* kText = "1,0.5,7.5\n2,0.25,8\n3,1.5,2\n4,3.5,9.25\n";
  ReadOptions options;
  options.sample_ids = {"f0"};
  const Dataset data = read_text(kText, options);
  EXPECT_EQ(data.sample_names, (Names{"1", "2", "3", "4"}));
  EXPECT_EQ(data.feature_names, (Names{"f1", "f2"}));
  ReadOptions dropping;
  dropping.drop = {"f1"};
  EXPECT_EQ(read_text(kText, dropping).feature_names, (Names{"f0", "f2"}));
}

TEST(OddTable, one_heading_over_two_cells_is_said_where_commas_may_be_decimal) {
  expect_note(read_text("x\n1,5\n2,5\n3,75\n"), {"one heading over two cells", "{decimal=,}"});
}

TEST(OddCell, amounts_of_money_are_numbers) {
  const Dataset data = read_text("a,b,c\n$5.10,3 €,-£1\n\"$1,600\",4€,£ 2\n$3,9 €,£4\n");
  ASSERT_EQ(n_features(data.matrix), 3);
  EXPECT_EQ(value_at(data, 0, 0), 5.1);
  EXPECT_EQ(value_at(data, 1, 0), 1600);
  EXPECT_EQ(value_at(data, 0, 1), 3);
  EXPECT_EQ(value_at(data, 0, 2), -1);
  expect_note(data, {"signs of currencies are left out in a, b, c"});
}

TEST(OddCell, minus_signs_of_print_and_exponents_of_fortran_are_understood) {
  const Dataset data = read_text(
      "a,b\n\xe2\x88\x92"
      "1.5,1.0D+01\n2.5,2.5d-1\n3.5,3\n");
  ASSERT_EQ(n_features(data.matrix), 2);
  EXPECT_EQ(value_at(data, 0, 0), -1.5);
  EXPECT_EQ(value_at(data, 0, 1), 10);
  EXPECT_EQ(value_at(data, 1, 1), 0.25);
  // Without a point it may be a name.
  EXPECT_EQ(n_features(read_text("a,b\n1,3D2\n2,4D1\n3,5D7\n").matrix), 1);
}

TEST(OddCell, infinite_numbers_of_windows_are_infinite) {
  const Dataset data = read_text("a,b\n1.#INF,1\n-1.#INF,2\n-1.#IND,3\n5,4\n");
  ASSERT_EQ(n_features(data.matrix), 2);
  EXPECT_EQ(value_at(data, 0, 0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(value_at(data, 1, 0), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(value_at(data, 2, 0)));
}

TEST(FirstColumn, of_values_with_units_does_not_name_the_samples) {
  for (const std::string behind : {" mm",
                                   "\xc2\xb1"
                                   "0.1",
                                   "kg", " (0.2)"}) {
    const Dataset data =
        read_text("a,b\n10.5" + behind + ",1\n11.25" + behind + ",2\n12.5" + behind + ",4\n");
    EXPECT_TRUE(data.sample_names.empty()) << behind;
    EXPECT_EQ(data.texts.size(), 1U) << behind;
    expect_note(data, {"a has numbers with other text", "10.5", "{sample_ids}"});
  }
  EXPECT_EQ(read_text("sample,b\n1.1A,1\n1.2A,2\n1.3A,4\n").sample_names.size(), 3U);
  EXPECT_EQ(read_text("day,b\n10.03.2004,1\n11.03.2004,2\n12.03.2004,4\n").sample_names.size(), 3U);
}

TEST(TextColumns, dates_with_months_by_name_and_times_of_half_days_are_known) {
  const Dataset data = read_text(
      "a,d,e,t\n1,1 Jan 2020,05-Feb-20,10:05:00 AM\n2,2 Mar 2020,06-Feb-20,1:05 pm\n"
      "3,2 Mar 2020,07-Feb-20,10:07:00 AM\n");
  ASSERT_EQ(data.texts.size(), 3U);
  EXPECT_EQ(data.texts[0].kind, TextKind::date);
  EXPECT_EQ(data.texts[1].kind, TextKind::date);
  EXPECT_EQ(data.texts[2].kind, TextKind::time);
  EXPECT_EQ(read_text("a,d\n1,May 1\n2,Mark 2\n3,Dec 3\n").texts.at(0).kind, TextKind::name);
}

TEST(OtherKinds, documents_are_named_whatever_blanks_stand_before_them) {
  const auto expect_kind = [](std::string_view text, std::string_view kind) {
    expect_error(ErrorCode::malformed_input, {kind}, [&] { static_cast<void>(read_text(text)); });
  };
  expect_kind("\n<!doctype html>\n<html></html>", "an HTML page");
  expect_kind("<?xml version=\"1.0\"?>\n<r/>\n", "an XML document");
  expect_kind("[\n  {\"a\": 1},\n  {\"a\": 2}\n]\n", "a JSON document");
  expect_kind("[[1,2],[3,4]]", "a JSON document");
  expect_kind("{\"a\":1}\n{\"a\":2}\n", "lines=True");
  expect_kind("version https://git-lfs.github.com/spec/v1\nsize 1\n", "Git LFS");
  expect_kind(std::string_view("a\0,\0b\0\n\0001\0,\0002\0\n\0", 16), "UTF-16");
  EXPECT_EQ(read_text("[mm],[kg]\n1,2\n3,4\n").feature_names, (Names{"[mm]", "[kg]"}));
}

TEST(Check, finds_equations_among_columns_with_gaps) {
  std::string text = "a,b,total,gaps\n";
  for (int i = 0; i < 60; ++i) {
    const int a = i * 37 % 101;
    const int b = i * i % 89;
    const bool is_gap = i % 10 == 3;
    text += std::to_string(a) + "," + (is_gap ? "" : std::to_string(b)) + "," +
            (is_gap ? "" : std::to_string(a + b)) + "," + (i % 3 == 0 ? "1" : "") + "\n";
  }
  const TableCheck check = check_table(read_text(text));
  ASSERT_EQ(check.equations.size(), 1U);
  EXPECT_EQ(check.equations[0].feature, 2);
  EXPECT_EQ(check.n_equation_samples, 54);
}

}  // namespace
}  // namespace sfg
