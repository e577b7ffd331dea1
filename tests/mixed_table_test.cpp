// Tables as people have them: columns that are not numbers, other marks, odd cells, empty ends.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "read_text.hpp"
#include "sfg/check.hpp"
#include "sfg/survey.hpp"

namespace sfg {
namespace {

using Names = std::vector<std::string>;
using testing::expect_error;
using testing::expect_note;
using testing::read_text;
using testing::TemporaryFolder;
using testing::value_at;

Names text_names(const Dataset& dataset) {
  Names names;
  for (const TextColumn& column : dataset.texts) names.push_back(column.name);
  return names;
}

TEST(MixedTable, columns_that_are_not_numbers_stay_beside_the_features_and_are_noted) {
  const Dataset data =
      read_text("a,street,b,when\n1,Pave,2,10/03/2004\n3,Grvl,4,11/03/2004\n5,Pave,6,11/03/2004\n");
  EXPECT_EQ(data.feature_names, (Names{"a", "b"}));
  EXPECT_EQ(text_names(data), (Names{"street", "when"}));
  EXPECT_EQ(data.texts[0].values, (Names{"Pave", "Grvl", "Pave"}));
  expect_note(data, {"2 of 4 columns", "street", "when (dates)", "{encode=onehot}"});
}

TEST(MixedTable, a_few_odd_cells_are_missing_and_named) {
  std::string text = "a,b\n";
  for (int i = 0; i < 30; ++i) text += i == 7 ? "7,<5\n" : "1,2\n";
  const Dataset data = read_text(text);
  EXPECT_EQ(n_features(data.matrix), 2);
  EXPECT_TRUE(std::isnan(value_at(data, 7, 1)));
  EXPECT_EQ(value_at(data, 8, 1), 2);
  expect_note(data, {"1 cell is no number", "b: \"<5\" in line 9"});
}

TEST(MixedTable, a_column_with_many_odd_cells_is_text_and_has_a_word_of_its_own) {
  std::string text = "a,b\n";
  for (int i = 0; i < 30; ++i) text += i % 3 == 0 ? "7,<5\n" : "1,2\n";
  const Dataset data = read_text(text);
  EXPECT_EQ(data.feature_names, Names{"a"});
  expect_note(data, {"b would be numbers but for 10 cells such as \"<5\"", "{na_values}"});
  ReadOptions options;
  options.na_values = {"<5"};
  EXPECT_EQ(read_text(text, options).feature_names, (Names{"a", "b"}));
}

TEST(MixedTable, text_that_only_shows_far_into_the_file_is_text) {
  std::string text = "a,b,c\n";
  for (int i = 0; i < 3000; ++i)
    text += i < 1000 ? "1,2,3\n" : "1,word" + std::to_string(i) + ",3\n";
  for (const int threads : {1, 4}) {
    const TemporaryFolder folder;
    const Dataset data =
        read_dataset(folder.write("x.csv", text), {}, testing::with_threads(threads));
    EXPECT_EQ(data.feature_names, (Names{"a", "c"}));
    EXPECT_EQ(data.texts[0].values[1000], "word1000");
    EXPECT_EQ(data.texts[0].values[0], "2");
  }
}

TEST(MixedTable, numbers_that_only_show_far_into_the_file_are_numbers) {
  std::string text = "a,b\n";
  for (int i = 0; i < 3000; ++i) text += i < 100 ? "1,none yet\n" : "1,2.5\n";
  const Dataset data = read_text(text);
  EXPECT_EQ(data.feature_names, (Names{"a", "b"}));
  EXPECT_EQ(value_at(data, 2999, 1), 2.5);
  expect_note(data, {"100 cells are no numbers", "\"none yet\" in line 2"});
}

TEST(MixedTable, flags_shares_thousands_and_failed_formulas_are_read_as_meant) {
  const Dataset data =
      read_text("a,b,c,d\nTrue,50.1%,\"1,234.5\",1\nFALSE,3 %,\"12,345\",#DIV/0!\ntrue,-,999,-\n");
  EXPECT_EQ(value_at(data, 0, 0), 1);
  EXPECT_EQ(value_at(data, 1, 0), 0);
  EXPECT_DOUBLE_EQ(value_at(data, 0, 1), 0.501);
  EXPECT_DOUBLE_EQ(value_at(data, 1, 1), 0.03);
  EXPECT_TRUE(std::isnan(value_at(data, 2, 1)));
  EXPECT_EQ(value_at(data, 0, 2), 1234.5);
  EXPECT_EQ(value_at(data, 1, 2), 12345);
  EXPECT_TRUE(std::isnan(value_at(data, 1, 3)));
  expect_note(data, {"true and false are read as 1 and 0 in a", "50% is read as 0.5 in b"});
}

TEST(MixedTable, decimal_commas_go_with_points_between_thousands) {
  const Dataset data = read_text("a;b\n1.234,5;2\n0,123;-1,5e3\n7;1 000,5\n");
  EXPECT_EQ(value_at(data, 0, 0), 1234.5);
  EXPECT_EQ(value_at(data, 1, 0), 0.123);
  EXPECT_EQ(value_at(data, 1, 1), -1500);
  EXPECT_EQ(value_at(data, 2, 1), 1000.5);
}

TEST(MixedTable, decimal_commas_that_only_show_far_into_the_file_are_understood) {
  std::string text = "a;b\n";
  for (int i = 0; i < 500; ++i) text += i < 300 ? "1;2\n" : "1,5;2\n";
  EXPECT_EQ(value_at(read_text(text), 499, 0), 1.5);
}

TEST(MixedTable, one_column_with_decimal_commas_is_one_column) {
  const Dataset data = read_text("x\n3,5\n1,25\n7\n");
  EXPECT_EQ(data.feature_names, Names{"x"});
  EXPECT_TRUE(data.sample_names.empty());
  EXPECT_EQ(value_at(data, 1, 0), 1.25);
  EXPECT_EQ(read_text("x\n1,5\n2,6\n3,9\n").sample_names, (Names{"1", "2", "3"}));
}

TEST(MixedTable, separator_and_decimal_mark_can_be_given) {
  ReadOptions options;
  options.sep = ":";
  EXPECT_EQ(value_at(read_text("a:b\n1:2\n", options), 0, 1), 2);
  options.sep = "tab";
  EXPECT_EQ(value_at(read_text("a\tb\n1\t2\n", options), 0, 1), 2);
  options.sep = ";";
  options.decimal = ".";
  EXPECT_EQ(value_at(read_text("a;b\n1,234;2\n5,678;3\n", options), 0, 0), 1234);
  options.decimal = ",";
  EXPECT_EQ(value_at(read_text("a;b\n1,234;2\n5,678;3\n", options), 0, 0), 1.234);
  options.sep = "ab";
  expect_error(ErrorCode::invalid_option, {"\"ab\"", "sep"},
               [&] { (void)read_text("a;b\n1;2\n", options); });
  options.sep = "";
  options.decimal = "x";
  expect_error(ErrorCode::invalid_option, {"\"x\"", "decimal"},
               [&] { (void)read_text("a;b\n1;2\n", options); });
}

TEST(MixedTable, bars_and_blanks_separate_where_nothing_else_does) {
  EXPECT_EQ(value_at(read_text("a|b\n1|2\n"), 0, 1), 2);
  const Dataset data = read_text("a   b c\n1 2   3\n  4 5 6 \n");
  EXPECT_EQ(data.feature_names, (Names{"a", "b", "c"}));
  EXPECT_EQ(value_at(data, 1, 2), 6);
}

TEST(MixedTable, codes_for_missing_values_are_compared_by_value) {
  ReadOptions options;
  options.na_values = {"-200", "9999"};
  const Dataset data = read_text("a,b\n-200,1\n-200.0,9999\n3,4\n", options);
  EXPECT_TRUE(std::isnan(value_at(data, 0, 0)));
  EXPECT_TRUE(std::isnan(value_at(data, 1, 0)));
  EXPECT_TRUE(std::isnan(value_at(data, 1, 1)));
  EXPECT_EQ(value_at(data, 2, 0), 3);
}

TEST(MixedTable, comments_are_left_out_where_they_are_announced) {
  ReadOptions options;
  options.comment = "%";
  const Dataset data = read_text("% made by hand\na,b\n1,2\n% half\n3,4\n%\n", options);
  EXPECT_EQ(n_samples(data.matrix), 2);
  EXPECT_EQ(data.feature_names, (Names{"a", "b"}));
}

TEST(MixedTable, columns_can_be_chosen_dropped_and_taken_for_ids) {
  const std::string text = "id,nm1,nm2,\"x, y\",city\n7,1,2,3,Rome\n8,4,5,6,Oslo\n";
  ReadOptions options;
  options.columns = {"nm*"};
  EXPECT_EQ(read_text(text, options).feature_names, (Names{"nm1", "nm2"}));
  options.columns = {"x", " y"};
  EXPECT_EQ(read_text(text, options).feature_names, Names{"x, y"});
  options.columns = {"city"};
  expect_error(ErrorCode::inconsistent_input, {"city", "not numbers"},
               [&] { (void)read_text(text, options); });
  options.columns = {"nope"};
  expect_error(ErrorCode::inconsistent_input, {"nope", "columns"},
               [&] { (void)read_text(text, options); });
  options.columns.clear();
  options.drop = {"id", "nm1"};
  EXPECT_EQ(read_text(text, options).feature_names, (Names{"nm2", "x, y"}));
  options.drop.clear();
  options.sample_ids = {"id", "city"};
  const Dataset data = read_text(text, options);
  EXPECT_EQ(data.sample_names, (Names{"7", "8"}));
  EXPECT_EQ(text_names(data), Names{"city"});
}

TEST(MixedTable, categories_become_features_on_request) {
  ReadOptions options;
  options.encode = Encoding::onehot;
  const Dataset data = read_text("a,s\n1,x\n2,y\n3,x\n4,NA\n", options);
  EXPECT_EQ(data.feature_names, (Names{"a", "s=x", "s=y"}));
  EXPECT_EQ(value_at(data, 0, 1), 1);
  EXPECT_EQ(value_at(data, 1, 2), 1);
  EXPECT_EQ(value_at(data, 3, 1) + value_at(data, 3, 2), 0);
}

TEST(MixedTable, empty_rows_and_columns_at_the_end_are_left_out_and_noted) {
  const Dataset data = read_text("a;b,,,\n1,5;2;;\n3,5;4;;,\n;;;,,\n;;;\n");
  EXPECT_EQ(data.feature_names, (Names{"a", "b"}));
  EXPECT_EQ(n_samples(data.matrix), 2);
  expect_note(data, {"2 empty rows at the end", "empty cells behind the last column"});
  const Dataset wide = read_text("a,b,,\n1,2,,\n3,4,,\n");
  EXPECT_EQ(wide.feature_names, (Names{"a", "b"}));
  expect_note(wide, {"2 empty columns without a name"});
}

TEST(MixedTable, a_named_column_without_values_stays_a_feature) {
  const Dataset data = read_text("a,b,c\n1,,2\n3,,4\n");
  EXPECT_EQ(data.feature_names, (Names{"a", "b", "c"}));
}

TEST(MixedTable, without_any_number_is_read_only_where_that_is_asked_for) {
  expect_error(ErrorCode::malformed_input, {"no columns of numbers"},
               [] { (void)read_text("a,b\nx,y\nz,y\n"); });
  ReadOptions options;
  options.allow_no_features = true;
  const Dataset data = read_text("a,b\nx,y\nz,y\n", options);
  EXPECT_EQ(n_features(data.matrix), 0);
  EXPECT_EQ(check_table(data).columns.size(), 1U);
}

TEST(MixedTable, files_of_features_in_rows_may_describe_them) {
  ReadOptions options;
  options.features_in_rows = true;
  const Dataset data = read_text("gene,what,s1,s2\ng1,kinase,1,2\ng2,other,3,4\n", options);
  EXPECT_EQ(data.feature_names, (Names{"g1", "g2"}));
  EXPECT_EQ(data.sample_names, (Names{"s1", "s2"}));
  EXPECT_TRUE(data.texts.empty());
}

TEST(MissingCodes, stand_apart_and_again_and_again) {
  std::string text = "a,b,c\n";
  for (int i = 0; i < 40; ++i) {
    text +=
        i % 5 == 0 ? "-200,-200,7\n" : std::to_string(i) + "." + std::to_string(i) + ",1.5,-3\n";
  }
  const auto codes = find_missing_codes(read_text(text).matrix);
  ASSERT_EQ(codes.size(), 1U);
  EXPECT_EQ(codes[0].value, -200);
  EXPECT_EQ(codes[0].n_features, 2);
  EXPECT_EQ(codes[0].n_cells, 16);
}

TEST(MissingCodes, are_no_classes_and_no_counts) {
  EXPECT_TRUE(find_missing_codes(read_text("a,b\n-1,1\n1,-1\n-1,1\n1,-1\n").matrix).empty());
  EXPECT_TRUE(find_missing_codes(read_text("a,b\n0,1\n5,0\n0,0\n9,3\n").matrix).empty());
}

TEST(Check, finds_what_a_careful_reader_would) {
  std::string text = "Order,x,copy,one,tail,city\n";
  for (int i = 0; i < 40; ++i) {
    const std::string x = std::to_string((i * 37) % 11) + ".5";
    text += std::to_string(i + 1) + "," + x + "," + x + ",3," +
            (i == 5 ? "100000" : std::to_string(i % 7)) + "," + (i % 2 == 0 ? "Rome" : "") + "\n";
  }
  const TableCheck check = check_table(read_text(text));
  ASSERT_EQ(check.columns.size(), 6U);
  EXPECT_TRUE(check.columns[0].is_id);
  EXPECT_EQ(check.columns[2].copy_of, 1);
  EXPECT_EQ(check.columns[3].kind, ColumnKind::constant);
  EXPECT_EQ(check.columns[4].taming, Taming::log);
  EXPECT_EQ(check.columns[1].taming, Taming::none);
  EXPECT_EQ(check.columns[5].kind, ColumnKind::category);
  EXPECT_EQ(check.columns[5].n_missing, 20);
  ASSERT_EQ(check.advice.size(), 1U);
  EXPECT_EQ(check.advice[0], (std::pair<std::string, std::string>{"sample_ids", "Order"}));
}

TEST(Check, finds_exact_equations) {
  std::string text = "a,b,total\n";
  for (int i = 0; i < 40; ++i) {
    const int a = i * 37 % 101;
    const int b = i * i % 89;
    text += std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(a + b) + "\n";
  }
  const TableCheck check = check_table(read_text(text));
  ASSERT_EQ(check.equations.size(), 1U);
  EXPECT_EQ(check.equations[0].feature, 2);
  EXPECT_EQ(check.equations[0].combination.terms.size(), 2U);
}

TEST(Check, notices_genes_in_rows) {
  std::string text = "gene,s1,s2,s3\n";
  for (int i = 0; i < 200; ++i) {
    const auto value = [&](int shift) { return std::to_string((i * 31 + shift) % 97); };
    text += "g" + std::to_string(i) + "," + value(1) + "," + value(5) + "," + value(9) + "\n";
  }
  EXPECT_TRUE(looks_turned(read_text(text)));
  ReadOptions options;
  options.features_in_rows = true;
  EXPECT_FALSE(looks_turned(read_text(text, options)));
}

}  // namespace
}  // namespace sfg
