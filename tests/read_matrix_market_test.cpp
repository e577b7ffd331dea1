#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "helpers.hpp"
#include "sfg/read.hpp"

namespace sfg {
namespace {

using Names = std::vector<std::string>;
using testing::expect_error;
using testing::TemporaryFolder;

const std::string kReal = "%%MatrixMarket matrix coordinate real general\n";
const std::string kArray = "%%MatrixMarket matrix array real general\n";

Dataset read_market(std::string_view text, const ReadOptions& options = {},
                    const RunContext& run = {}) {
  const TemporaryFolder folder;
  return read_dataset(folder.write("x.mtx", text), options, run);
}

DenseMatrix market_values(const Dataset& dataset) {
  return to_dense(std::get<SparseMatrix>(dataset.matrix));
}

void expect_malformed_market(const std::string& text,
                             std::initializer_list<std::string_view> words) {
  expect_error(ErrorCode::malformed_input, words, [&] { (void)read_market(text); });
}

TEST(MatrixMarket, coordinate_files_stay_sparse) {
  const auto data =
      read_market(kReal + "% comment\n\n2 3 3\n1 1 1.5\n% between\n2 3 -2e1 \r\n1 2 0\n");
  const auto matrix = market_values(data);
  EXPECT_EQ(data.format, Format::matrix_market);
  EXPECT_EQ(data.name_source, NameSource::generated);
  EXPECT_EQ(matrix.n_samples(), 2);
  EXPECT_EQ(matrix.n_features(), 3);
  EXPECT_EQ(matrix(0, 0), 1.5);
  EXPECT_EQ(matrix(1, 2), -20);
  EXPECT_EQ(n_stored(data.matrix), 2);
}

TEST(MatrixMarket, array_files_are_dense_and_go_down_the_columns) {
  const auto data = read_market(kArray + "2 2\n1\n2\n3\n4\n");
  const auto& matrix = std::get<DenseMatrix>(data.matrix);
  EXPECT_EQ(matrix(1, 0), 2);
  EXPECT_EQ(matrix(0, 1), 3);
}

TEST(MatrixMarket, pattern_entries_are_one) {
  const auto data = read_market("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1\n");
  EXPECT_EQ(market_values(data)(1, 0), 1);
}

TEST(MatrixMarket, header_words_may_be_in_any_case) {
  EXPECT_EQ(market_values(read_market(
                "%%matrixmarket MATRIX Coordinate Integer GENERAL\n1 1 1\n1 1 7\n"))(0, 0),
            7);
}

TEST(MatrixMarket, symmetric_files_are_mirrored) {
  const auto matrix = market_values(
      read_market("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 5\n2 1 3\n"));
  EXPECT_EQ(matrix(0, 0), 5);
  EXPECT_EQ(matrix(1, 0), 3);
  EXPECT_EQ(matrix(0, 1), 3);
  const auto skew = market_values(
      read_market("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n"));
  EXPECT_EQ(skew(1, 0), 3);
  EXPECT_EQ(skew(0, 1), -3);
}

TEST(MatrixMarket, symmetric_arrays_hold_the_lower_triangle) {
  const auto data = read_market("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n");
  const auto& matrix = std::get<DenseMatrix>(data.matrix);
  EXPECT_EQ(matrix(0, 1), 2);
  EXPECT_EQ(matrix(1, 1), 3);
  const auto skew = read_market("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n");
  EXPECT_EQ(std::get<DenseMatrix>(skew.matrix)(2, 1), 3);
  EXPECT_EQ(std::get<DenseMatrix>(skew.matrix)(1, 2), -3);
  EXPECT_EQ(std::get<DenseMatrix>(skew.matrix)(2, 2), 0);
}

TEST(MatrixMarket, kinds_without_meaning_here_are_refused) {
  expect_malformed_market("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n",
                          {"line 1", "complex", "real"});
  expect_malformed_market("%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n1 1 1\n",
                          {"line 1", "hermitian"});
  expect_malformed_market("%%MatrixMarket vector coordinate real general\n1 1\n",
                          {"line 1", "vector"});
  expect_malformed_market("%%MatrixMarket matrix array pattern general\n1 1\n1\n", {"pattern"});
  expect_malformed_market("%%MatrixMarket matrix\n1 1\n1\n",
                          {"line 1", "\"\"", "coordinate and array"});
  expect_malformed_market("1 1 1\n1 1 1\n", {"line 1", "%%MatrixMarket"});
  expect_malformed_market("%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n",
                          {"line 2", "square", "2 x 3"});
  expect_malformed_market("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n",
                          {"line 3", "diagonal"});
}

TEST(MatrixMarket, indices_count_from_one_and_stay_inside) {
  expect_malformed_market(kReal + "2 2 1\n0 1 1\n", {"line 3", "\"0\"", "row", "1 to 2"});
  expect_malformed_market(kReal + "2 2 1\n1 3 1\n", {"line 3", "\"3\"", "column", "1 to 2"});
  expect_malformed_market(kReal + "2 2 1\n-1 1 1\n", {"line 3", "\"-1\""});
  expect_malformed_market(kReal + "2 2 1\n99999999999999999999 1 1\n", {"line 3"});
  expect_malformed_market(kReal + "2 2 1\n1.0 1 1\n", {"line 3", "\"1.0\""});
}

TEST(MatrixMarket, broken_entries_name_their_line) {
  expect_malformed_market(kReal + "2 2 2\n1 1 1\n2 2 x\n", {"line 4", "\"x\""});
  expect_malformed_market(kReal + "2 2 1\n1 1\n", {"line 3", "value"});
  expect_malformed_market(kReal + "2 2 1\n1 1 1 1\n", {"line 3", "follows"});
  expect_malformed_market(kArray + "1 2\n1\nx\n", {"line 4", "\"x\""});
}

TEST(MatrixMarket, repeated_entries_are_refused_with_their_place) {
  expect_malformed_market(kReal + "2 2 2\n2 1 1\n2 1 1\n", {"x.mtx", "row 2", "column 1", "twice"});
  expect_malformed_market("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 1\n1 2 1\n",
                          {"twice"});
}

TEST(MatrixMarket, counts_must_agree_with_the_file) {
  expect_malformed_market(kReal + "2 2 3\n1 1 1\n", {"promises 3", "holds 1"});
  expect_malformed_market(kReal + "2 2 1\n1 1 1\n2 2 1\n", {"promises 1", "holds 2"});
  expect_malformed_market(kArray + "2 2\n1\n2\n3\n", {"promises 4"});
  expect_malformed_market(kArray + "1 2\n1\n2\n3\n", {"promises 2", "more"});
  expect_malformed_market(kReal, {"ends before its size line"});
  expect_malformed_market(kReal + "2 2\n1 1 1\n", {"line 2", "2 numbers", "3 were expected"});
  expect_malformed_market(kReal + "2 x 1\n1 1 1\n", {"line 2", "\"x\""});
  expect_malformed_market(kReal + "2 -2 1\n1 1 1\n", {"line 2", "\"-2\""});
}

TEST(MatrixMarket, hostile_sizes_are_refused_before_anything_is_allocated) {
  expect_malformed_market(kReal + "1000000000000 2 1\n1 1 1\n", {"1000000000000 x 2", "range"});
  expect_malformed_market(kReal + "99999999999999999999999 2 1\n1 1 1\n", {"line 2"});
  expect_malformed_market(kReal + "2 2 1000000000000\n1 1 1\n", {"promises 1000000000000"});
  expect_error(ErrorCode::over_memory, {"x.mtx"}, [] {
    sfg::RunContext run;
    run.memory_limit = 1000000;
    (void)read_market(kReal + "2147483647 2147483647 1\n1 1 1\n", {}, run);
  });
  expect_error(ErrorCode::over_memory, {"x.mtx"},
               [] { (void)read_market(kArray + "2147483647 2147483647\n1\n"); });
  sfg::RunContext run;
  run.memory_limit = 1000000000;
  expect_error(ErrorCode::malformed_input, {"promises 100000000"},
               [&] { (void)read_market(kArray + "10000 10000\n1\n", {}, run); });
}

TEST(MatrixMarket, a_matrix_without_rows_or_columns_is_refused) {
  expect_malformed_market(kReal + "0 3 0\n", {"empty", "0 x 3"});
  expect_malformed_market(kArray + "3 0\n", {"empty", "3 x 0"});
}

TEST(MatrixMarket, features_in_rows_swaps_the_sides) {
  ReadOptions options;
  options.features_in_rows = true;
  const auto data = read_market(kReal + "2 3 1\n2 3 5\n", options);
  EXPECT_EQ(n_samples(data.matrix), 3);
  EXPECT_EQ(market_values(data)(2, 1), 5);
}

TEST(MatrixMarket, many_entries_are_read_alike_by_any_number_of_threads) {
  constexpr int kRows = 1000;
  constexpr int kColumns = 300;
  std::string text = kReal + "1000 300 300000\n";
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) {
      text += fmt::format("{} {} {}\n", i + 1, j + 1, i + j + 1);
    }
  }
  for (const int threads : {1, 3}) {
    sfg::RunContext run;
    run.threads = threads;
    const auto matrix = market_values(read_market(text, {}, run));
    int n_wrong = 0;
    for (Index j = 0; j < kColumns; ++j) {
      for (Index i = 0; i < kRows; ++i) n_wrong += matrix(i, j) == i + j + 1 ? 0 : 1;
    }
    EXPECT_EQ(n_wrong, 0);
  }
}

TEST(MatrixMarketNames, come_from_10x_files_beside_the_matrix) {
  const TemporaryFolder folder;
  const auto path = folder.write("matrix.mtx", kReal + "3 2 1\n3 2 4\n");
  (void)folder.write("features.tsv", "ENSG1\tTP53\tGene\nENSG2\tEGFR\tGene\nENSG3\tMYC\tGene\n");
  (void)folder.write("barcodes.tsv", "AAAC-1\nAAAG-1\n");
  ReadOptions options;
  options.features_in_rows = true;
  const auto data = read_dataset(path, options);
  EXPECT_EQ(data.feature_names, (Names{"TP53", "EGFR", "MYC"}));
  EXPECT_EQ(data.sample_names, (Names{"AAAC-1", "AAAG-1"}));
  EXPECT_EQ(market_values(data)(1, 2), 4);
}

TEST(MatrixMarketNames, of_10x_genes_are_ids_where_gene_names_repeat) {
  const TemporaryFolder folder;
  const auto path = folder.write("GSM1_matrix.mtx", kReal + "2 2 1\n2 2 4\n");
  (void)folder.write("GSM1_genes.tsv", "ENSG1\tTP53\nENSG2\tTP53\n");
  ReadOptions options;
  options.features_in_rows = true;
  EXPECT_EQ(read_dataset(path, options).feature_names, (Names{"ENSG1", "ENSG2"}));
}

TEST(MatrixMarketNames, that_do_not_fit_are_left_alone) {
  const TemporaryFolder folder;
  const auto path = folder.write("matrix.mtx", kReal + "3 2 1\n3 2 4\n");
  (void)folder.write("features.tsv", "A\nB\n");
  ReadOptions options;
  options.features_in_rows = true;
  const auto data = read_dataset(path, options);
  EXPECT_EQ(data.name_source, NameSource::generated);
}

TEST(MatrixMarketNames, come_from_text_files_called_like_the_matrix) {
  const TemporaryFolder folder;
  const auto path = folder.write("data.mtx", kReal + "2 2 1\n2 2 4\n");
  (void)folder.write("data.features.txt", "a\nb\n");
  (void)folder.write("data.samples.txt", "s\nt\n");
  const auto data = read_dataset(path, {});
  EXPECT_EQ(data.feature_names, (Names{"a", "b"}));
  EXPECT_EQ(data.sample_names, (Names{"s", "t"}));
  ReadOptions options;
  options.features_in_rows = true;
  EXPECT_EQ(read_dataset(path, options).feature_names, (Names{"a", "b"}));
}

RC_GTEST_PROP(MatrixMarketHostile, any_text_of_its_alphabet_gives_a_table_or_an_error, ()) {
  const auto body =
      *rc::gen::container<std::string>(rc::gen::elementOf(std::string("1122 \n\n%-.e")));
  const auto header = *rc::gen::element(
      kReal, kArray, std::string("%%MatrixMarket matrix coordinate pattern symmetric\n"),
      std::string("%%MatrixMarket matrix array real skew-symmetric\n"));
  sfg::RunContext run;
  run.memory_limit = 1000000;
  try {
    RC_ASSERT(n_samples(read_market(header + body, {}, run).matrix) > 0);
  } catch (const Error& error) {
    RC_ASSERT(error.code() == ErrorCode::malformed_input || error.code() == ErrorCode::over_memory);
  }
}

}  // namespace
}  // namespace sfg
