#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>

#include "read_text.hpp"
#include "sfg/read.hpp"

namespace sfg {
namespace {

using Names = std::vector<std::string>;
using testing::expect_error;
using testing::read_text;
using testing::TemporaryFolder;

/// Reads a text as a file of that name.
double at(const Dataset& dataset, Index sample, Index feature) {
  return std::get<DenseMatrix>(dataset.matrix)(sample, feature);
}

void expect_malformed(std::string_view text, std::initializer_list<std::string_view> words,
                      const ReadOptions& options = {}) {
  expect_error(ErrorCode::malformed_input, words, [&] { (void)read_text(text, options); });
}

TEST(Csv, header_names_the_features) {
  const auto data = read_text("a,b,c\n1,2,3\n4,5,6.5\n");
  EXPECT_EQ(data.feature_names, (Names{"a", "b", "c"}));
  EXPECT_EQ(data.name_source, NameSource::file);
  EXPECT_EQ(data.format, Format::csv);
  EXPECT_TRUE(data.sample_names.empty());
  ASSERT_EQ(n_samples(data.matrix), 2);
  ASSERT_EQ(n_features(data.matrix), 3);
  EXPECT_EQ(at(data, 0, 1), 2);
  EXPECT_EQ(at(data, 1, 2), 6.5);
}

TEST(Csv, without_header_names_are_generated) {
  const auto data = read_text("1,2\n3,4");
  EXPECT_EQ(data.feature_names, (Names{"f0", "f1"}));
  EXPECT_EQ(data.name_source, NameSource::generated);
  EXPECT_EQ(n_samples(data.matrix), 2);
}

TEST(Csv, missing_cells_in_the_first_line_do_not_make_it_a_header) {
  const auto data = read_text("1,NA,\n3,4,5\n");
  EXPECT_EQ(n_samples(data.matrix), 2);
  EXPECT_TRUE(std::isnan(at(data, 0, 1)));
  EXPECT_TRUE(std::isnan(at(data, 0, 2)));
}

TEST(Csv, header_can_be_forced_either_way) {
  ReadOptions options;
  options.header = true;
  EXPECT_EQ(read_text("1,2\n3,4\n", options).feature_names, (Names{"1", "2"}));
  options.header = false;
  expect_malformed("a,b\n3,4\n", {"x.csv", "line 1", "column 2", "\"b\""}, options);
}

TEST(Csv, quoted_cells_may_contain_separators_and_line_ends) {
  const auto data = read_text("\"a,1\",\"b\n\"\"two\"\"\", c \r\n\"1\", \"2.5\" ,3\r\n4,5,6\r\n");
  EXPECT_EQ(data.feature_names, (Names{"a,1", "b\n\"two\"", "c"}));
  EXPECT_EQ(at(data, 0, 0), 1);
  EXPECT_EQ(at(data, 0, 1), 2.5);
  EXPECT_EQ(at(data, 1, 2), 6);
}

TEST(Csv, quotes_inside_a_cell_are_text) {
  const auto data = read_text("5\" pipe,b\n1,2\n");
  EXPECT_EQ(data.feature_names, (Names{"5\" pipe", "b"}));
}

TEST(Csv, lines_in_quotes_count_in_messages) {
  expect_malformed("a,\"b\nb\"\n1,2\n3\n", {"line 4", "1 cell"});
}

TEST(Csv, an_open_quote_is_refused_with_its_line) {
  expect_malformed("a,b\n1,2\n\"3,4\n5,6\n", {"line 3", "never closed"});
}

TEST(Csv, text_after_a_closing_quote_is_refused) {
  expect_malformed("a,b\n\"1\"2,3\n", {"line 2", "closing quote"});
}

TEST(Csv, byte_order_mark_blank_lines_and_lone_carriage_returns_are_tolerated) {
  EXPECT_EQ(read_text("\xef\xbb\xbf\n  \na,b\n1,2\n\n  \n\r\n").feature_names, (Names{"a", "b"}));
  const auto old_mac = read_text("a,b\r1,2\r3,4\r");
  EXPECT_EQ(n_samples(old_mac.matrix), 2);
  EXPECT_EQ(at(old_mac, 1, 1), 4);
}

TEST(Csv, separator_is_guessed_from_the_first_line) {
  EXPECT_EQ(at(read_text("a;b\n1;2\n"), 0, 1), 2);
  EXPECT_EQ(at(read_text("a\tb\n1\t2\n"), 0, 1), 2);
  EXPECT_EQ(at(read_text("\"a;;;\",b\n1,2\n"), 0, 1), 2);
}

TEST(Tsv, separator_is_tab_and_blanks_belong_to_cells) {
  const auto data = read_text("a b\tc\n1\t\n\t 2\n", {}, "x.tsv");
  EXPECT_EQ(data.format, Format::tsv);
  EXPECT_EQ(data.feature_names, (Names{"a b", "c"}));
  EXPECT_TRUE(std::isnan(at(data, 0, 1)));
  EXPECT_TRUE(std::isnan(at(data, 1, 0)));
  EXPECT_EQ(at(data, 1, 1), 2);
}

TEST(Csv, all_ways_to_write_missing_become_nan_and_infinities_stay) {
  const auto data = read_text(
      "a,b\n,1\nNA,1\nN/A,1\nNaN,1\nnan,1\nnull,1\nNULL,1\nNone,1\n?,1\n.,1\n \"\" "
      ",inf\n+2,-Inf\n");
  ASSERT_EQ(n_samples(data.matrix), 12);
  for (Index i = 0; i < 11; ++i) EXPECT_TRUE(std::isnan(at(data, i, 0))) << i;
  EXPECT_EQ(at(data, 11, 0), 2);
  EXPECT_TRUE(std::isinf(at(data, 10, 1)));
  EXPECT_LT(at(data, 11, 1), 0);
}

TEST(Csv, numbers_out_of_range_become_infinity_or_zero) {
  const auto data = read_text("a,b\n1e999,1e-999\n");
  EXPECT_TRUE(std::isinf(at(data, 0, 0)));
  EXPECT_EQ(at(data, 0, 1), 0);
}

TEST(Csv, text_in_the_only_number_column_names_line_and_column) {
  expect_malformed("height,weight\nx,2\nx,heavy\n", {"x.csv", "line 3", "column 2", "heavy"});
}

TEST(Csv, ragged_rows_name_line_and_both_numbers) {
  expect_malformed("a,b,c\n1,2,3\n4,5\n", {"line 3", "2 cells", "3 were expected"});
  expect_malformed("a,b,c\n1,2,3\n4,5,6,7\n", {"line 3", "4 cells", "3 were expected"});
  expect_malformed("a,b,c\n1,2,3\n\n4,5,6\n", {"line 3", "an empty line", "3 cells were expected"});
  expect_malformed("1,2,3\n4,5\n", {"line 2", "2 cells", "3 were expected"});
}

TEST(Csv, a_short_row_is_reported_as_such_and_not_as_a_table_too_large) {
  std::string text(200000, ',');
  text += "\n";
  for (int i = 0; i < 300000; ++i) text += "1\n";
  ReadOptions options;
  options.header = false;
  expect_malformed(text, {"line 2", "1 cell ", "200001 were expected"}, options);
}

TEST(Csv, a_separator_at_the_end_of_each_row_does_not_shift_the_columns) {
  const auto data = read_text("a,b\n1,2,\n3,4,\n");
  EXPECT_EQ(data.feature_names, (Names{"a", "b"}));
  EXPECT_TRUE(data.sample_names.empty());
  EXPECT_EQ(at(data, 1, 1), 4);
}

TEST(Csv, empty_files_and_files_without_data_are_refused) {
  expect_malformed("", {"x.csv", "empty"});
  expect_malformed(" \n\r\n", {"empty"});
  expect_malformed("a,b\n", {"no row of data"});
  expect_malformed("a\nb\n", {"no columns of numbers"});
}

TEST(Csv, files_that_are_no_text_are_refused) {
  expect_malformed(std::string_view("1,2\n\0,4\n", 8), {"NUL", "byte 5"});
  expect_malformed(
      "\xff\xfe"
      "1",
      {"UTF-16"});
}

TEST(Csv, a_nul_byte_far_into_the_file_is_a_bad_number) {
  std::string text = "a,b\n";
  for (int i = 0; i < 3000; ++i) text += "1,2\n";
  text += std::string_view("3,\0\n", 4);
  expect_malformed(text, {"line 3002", "column 2", "\\x00"});
}

TEST(CsvSamples, first_column_of_text_holds_the_sample_names) {
  const auto data = read_text("id,a,b\ns1,1,2\ns2,3,4\n");
  EXPECT_EQ(data.sample_names, (Names{"s1", "s2"}));
  EXPECT_EQ(data.sample_column, "id");
  EXPECT_EQ(data.feature_names, (Names{"a", "b"}));
  const auto headless = read_text("s1,1,2\ns2,3,4\n");
  EXPECT_EQ(headless.sample_names, (Names{"s1", "s2"}));
  EXPECT_EQ(headless.name_source, NameSource::generated);
  EXPECT_EQ(n_features(headless.matrix), 2);
}

TEST(CsvSamples, a_header_one_cell_short_leaves_out_the_sample_names_as_r_does) {
  const auto data = read_text("\"a\",\"b\"\n\"1\",1,2\n\"2\",3,4\n");
  EXPECT_EQ(data.sample_names, (Names{"1", "2"}));
  EXPECT_EQ(data.feature_names, (Names{"a", "b"}));
  EXPECT_EQ(data.sample_column, "");
}

TEST(CsvSamples, numbers_alone_one_cell_short_are_a_ragged_row_and_no_header) {
  expect_malformed("1,2\n3,4,5\n", {"line 2", "3 cells", "2 were expected"});
}

TEST(CsvSamples, an_unnamed_first_column_holds_row_names_as_r_and_pandas_write_them) {
  const auto data = read_text(",a,b\n0,1,2\n1,3,4\n");
  EXPECT_EQ(data.sample_names, (Names{"0", "1"}));
  EXPECT_EQ(data.feature_names, (Names{"a", "b"}));
  const auto numbered = read_text(",0,1\n0,1,2\n1,3,4\n");
  EXPECT_EQ(numbered.feature_names, (Names{"0", "1"}));
  EXPECT_EQ(n_samples(numbered.matrix), 2);
}

TEST(CsvSamples, column_of_sample_names_can_be_named) {
  ReadOptions options;
  options.sample_ids = {"patient"};
  const auto data = read_text("a,patient,b\n1,17,2\n3,18,4\n", options);
  EXPECT_EQ(data.sample_names, (Names{"17", "18"}));
  EXPECT_EQ(data.sample_column, "patient");
  EXPECT_EQ(data.feature_names, (Names{"a", "b"}));
}

TEST(CsvSamples, a_wrong_sample_column_is_refused) {
  ReadOptions options;
  options.sample_ids = {"patient"};
  expect_error(ErrorCode::inconsistent_input, {"patient", "a, b"},
               [&] { (void)read_text("a,b\n1,2\n", options); });
  expect_error(ErrorCode::inconsistent_input, {"columns 1 and 3", "patient"},
               [&] { (void)read_text("patient,b,patient\n1,2,3\n", options); });
  options.header = false;
  expect_error(ErrorCode::invalid_option, {"patient", "no header"},
               [&] { (void)read_text("a,b\n1,2\n", options); });
}

TEST(CsvNames, empty_headings_get_generated_names_and_blanks_are_stripped) {
  const auto data = read_text("a, ,c d \n1,2,3\n");
  EXPECT_EQ(data.feature_names, (Names{"a", "f1", "c d"}));
}

TEST(CsvLabels, a_column_can_be_the_label) {
  ReadOptions options;
  options.labels = "class";
  const auto data = read_text("id,a,class,b\ns1,1,ALL,2\ns2,3,AML,4\n", options);
  ASSERT_TRUE(data.labels);
  EXPECT_EQ(data.labels->name, "class");
  EXPECT_EQ(data.labels->values, (Names{"ALL", "AML"}));
  EXPECT_EQ(data.feature_names, (Names{"a", "b"}));
  EXPECT_EQ(at(data, 1, 1), 4);
}

TEST(CsvLabels, a_first_column_of_labels_is_not_taken_for_sample_names) {
  ReadOptions options;
  options.labels = "class";
  const auto data = read_text("class,a\nx,1\ny,2\n", options);
  EXPECT_TRUE(data.sample_names.empty());
  EXPECT_EQ(data.labels->values, (Names{"x", "y"}));
}

TEST(CsvRows, features_in_rows_are_turned) {
  ReadOptions options;
  options.features_in_rows = true;
  const auto data = read_text("gene\ts1\ts2\ts3\ng1\t1\t2\t3\ng2\t4\t5\t6\n", options, "x.tsv");
  EXPECT_EQ(data.feature_names, (Names{"g1", "g2"}));
  EXPECT_EQ(data.sample_names, (Names{"s1", "s2", "s3"}));
  EXPECT_EQ(data.sample_column, "");
  ASSERT_EQ(n_samples(data.matrix), 3);
  EXPECT_EQ(at(data, 2, 1), 6);
}

TEST(CsvRows, numeric_ids_below_a_header_are_feature_names) {
  ReadOptions options;
  options.features_in_rows = true;
  const auto data = read_text("entrez,s1,s2\n1007,1,2\n1053,4,5\n", options);
  EXPECT_EQ(data.feature_names, (Names{"1007", "1053"}));
}

TEST(CsvRows, a_matrix_of_bare_numbers_is_turned_whole) {
  ReadOptions options;
  options.features_in_rows = true;
  const auto data = read_text("1,2,3\n4,5,6\n", options);
  EXPECT_EQ(n_samples(data.matrix), 3);
  EXPECT_EQ(data.feature_names, (Names{"f0", "f1"}));
}

TEST(CsvRows, a_row_can_be_the_label_wherever_it_stands) {
  ReadOptions options;
  options.features_in_rows = true;
  options.labels = "type";
  for (const auto* text :
       {"gene,s1,s2\ntype,x,y\ng1,1,2\ng2,3,4\n", "gene,s1,s2\ng1,1,2\ntype,x,y\ng2,3,4\n",
        "gene,s1,s2\ng1,1,2\ng2,3,4\ntype,x,y\n"}) {
    const auto data = read_text(text, options);
    ASSERT_TRUE(data.labels);
    EXPECT_EQ(data.labels->name, "type");
    EXPECT_EQ(data.labels->values, (Names{"x", "y"}));
    EXPECT_EQ(data.feature_names, (Names{"g1", "g2"}));
    EXPECT_EQ(at(data, 0, 1), 3);
    EXPECT_EQ(at(data, 1, 0), 2);
  }
  expect_error(ErrorCode::inconsistent_input, {"line 3", "type"},
               [&] { (void)read_text("gene,s1,s2\ntype,x,y\ntype,x,y\ng,1,2\n", options); });
}

TEST(CsvSize, more_than_the_memory_limit_is_refused_before_it_is_allocated) {
  sfg::RunContext run;
  run.memory_limit = 100;
  expect_error(ErrorCode::over_memory, {"x.csv", "100 B"},
               [&] { (void)read_text("1,2,3,4,5\n1,2,3,4,5\n1,2,3,4,5\n", {}, "x.csv", run); });
}

/// A table large enough for many blocks: cell (i, j) is i * n_columns + j.
std::string large_table(int n_rows, int n_columns) {
  std::string text;
  for (int i = 0; i < n_rows; ++i) {
    for (int j = 0; j < n_columns; ++j) {
      text += fmt::format("{}{}", j > 0 ? "," : "", i * n_columns + j);
    }
    text += '\n';
  }
  return text;
}

TEST(CsvThreads, any_number_of_threads_gives_the_same_table) {
  for (const auto& [n_rows, n_columns] : {std::pair{20000, 3}, std::pair{37, 9000}}) {
    const auto text = large_table(n_rows, n_columns);
    for (const int threads : {1, 2, 5}) {
      sfg::RunContext run;
      run.threads = threads;
      const auto data = read_text(text, {}, "x.csv", run);
      ASSERT_EQ(n_samples(data.matrix), n_rows);
      ASSERT_EQ(n_features(data.matrix), n_columns);
      int n_wrong = 0;
      for (Index j = 0; j < n_columns; ++j) {
        for (Index i = 0; i < n_rows; ++i) n_wrong += at(data, i, j) == i * n_columns + j ? 0 : 1;
      }
      EXPECT_EQ(n_wrong, 0);
    }
  }
}

TEST(CsvThreads, the_first_error_of_the_file_is_reported) {
  auto text = large_table(30000, 3);
  text += "1,late\n";
  const auto middle = text.find('\n', text.size() / 3) + 1;
  text.insert(middle, "1,2,3,early\n");
  const auto line =
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(middle), '\n') + 1;
  for (const int threads : {1, 2, 4}) {
    sfg::RunContext run;
    run.threads = threads;
    expect_error(ErrorCode::malformed_input, {"4 cells", fmt::format("line {}:", line)},
                 [&] { (void)read_text(text, {}, "x.csv", run); });
  }
}

TEST(CsvThreads, a_stop_ends_the_reading) {
  const std::atomic<bool> stop = true;
  sfg::RunContext run;
  run.stop = &stop;
  expect_error(ErrorCode::interrupted, {}, [&] { (void)read_text("1,2\n", {}, "x.csv", run); });
}

RC_GTEST_PROP(CsvHostile, any_bytes_give_a_table_or_an_error, (const std::string& bytes)) {
  try {
    const auto data = read_text(bytes, {}, "x.csv");
    RC_ASSERT(data.feature_names.size() == static_cast<std::size_t>(n_features(data.matrix)));
  } catch (const Error& error) {
    RC_ASSERT(std::string_view(error.what()).size() > 0);
  }
}

RC_GTEST_PROP(CsvHostile, any_text_of_the_alphabet_of_csv_gives_a_table_or_an_error, ()) {
  const auto bytes =
      *rc::gen::container<std::string>(rc::gen::elementOf(std::string("1a,,;\t\"\"\n\n\r ")));
  ReadOptions options;
  options.features_in_rows = *rc::gen::arbitrary<bool>();
  options.suffix_duplicates = true;
  options.header =
      *rc::gen::element(std::optional<bool>(), std::optional(true), std::optional(false));
  try {
    const auto data = read_text(bytes, options);
    RC_ASSERT(n_samples(data.matrix) > 0);
  } catch (const Error& error) {
    RC_ASSERT(error.code() != ErrorCode::internal);
  }
}

}  // namespace
}  // namespace sfg
