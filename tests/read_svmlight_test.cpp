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

Dataset read_svm(std::string_view text, const ReadOptions& options = {},
                 const RunContext& run = {}) {
  const TemporaryFolder folder;
  return read_dataset(folder.write("x.svm", text), options, run);
}

DenseMatrix svm_values(const Dataset& dataset) {
  return to_dense(std::get<SparseMatrix>(dataset.matrix));
}

void expect_malformed_svm(std::string_view text, std::initializer_list<std::string_view> words) {
  expect_error(ErrorCode::malformed_input, words, [&] { (void)read_svm(text); });
}

TEST(Svmlight, lines_are_samples_and_indices_count_from_one) {
  const auto data = read_svm("# made by hand\n+1 1:0.5 3:2 # first\n\n-1 2:1e1\n2\n");
  const auto matrix = svm_values(data);
  EXPECT_EQ(data.format, Format::svmlight);
  EXPECT_EQ(matrix.n_samples(), 3);
  EXPECT_EQ(matrix.n_features(), 3);
  EXPECT_EQ(matrix(0, 0), 0.5);
  EXPECT_EQ(matrix(0, 2), 2);
  EXPECT_EQ(matrix(1, 1), 10);
  ASSERT_TRUE(data.labels);
  EXPECT_EQ(data.labels->name, "label");
  EXPECT_EQ(data.labels->values, (Names{"+1", "-1", "2"}));
}

TEST(Svmlight, an_index_zero_anywhere_means_counting_from_zero) {
  const auto matrix = svm_values(read_svm("1 1:5\n0 0:7\n"));
  EXPECT_EQ(matrix.n_features(), 2);
  EXPECT_EQ(matrix(0, 1), 5);
  EXPECT_EQ(matrix(1, 0), 7);
}

TEST(Svmlight, queries_are_ignored_and_several_labels_kept_as_text) {
  const auto data = read_svm("1,2 qid:3 1:5\r\n");
  EXPECT_EQ(data.labels->values, (Names{"1,2"}));
  EXPECT_EQ(svm_values(data)(0, 0), 5);
}

TEST(Svmlight, indices_need_not_ascend_but_must_differ) {
  EXPECT_EQ(svm_values(read_svm("1 3:3 1:1\n"))(0, 2), 3);
  expect_malformed_svm("1 1:1\n\n1 3:3 1:1 3:4\n", {"x.svm", "line 3", "index 3", "twice"});
}

TEST(Svmlight, zeros_are_not_stored_but_their_index_counts) {
  const auto data = read_svm("1 1:1 4:0\n");
  EXPECT_EQ(n_features(data.matrix), 4);
  EXPECT_EQ(n_stored(data.matrix), 1);
}

TEST(Svmlight, broken_lines_name_the_line) {
  expect_malformed_svm("1 1:1\n1 2:x\n", {"line 2", "2:x", "number"});
  expect_malformed_svm("1 1:1\n1 2:\n", {"line 2"});
  expect_malformed_svm("1 1:1\n1 a:1\n", {"line 2", "a:1", "index"});
  expect_malformed_svm("1 1:1\n1 -2:1\n", {"line 2", "-2:1"});
  expect_malformed_svm("1 1:1\n1 2\n", {"line 2", "index:value"});
  expect_malformed_svm("1 1:1\n2:1\n", {"line 2", "label"});
}

TEST(Svmlight, huge_indices_are_refused_before_anything_is_allocated) {
  expect_malformed_svm("1 99999999999:1\n", {"line 1", "99999999999:1", "2147483647"});
  expect_malformed_svm("1 0:1 2147483647:1\n", {"range"});
  sfg::RunContext run;
  run.memory_limit = 1000000000;
  expect_error(ErrorCode::over_memory, {"x.svm"},
               [&] { (void)read_svm("1 2147483647:1\n", {}, run); });
}

TEST(Svmlight, files_without_features_are_refused) {
  expect_malformed_svm("1\n2\n", {"no features"});
  expect_malformed_svm("# nothing\n", {"no features"});
  expect_malformed_svm("", {"empty"});
}

TEST(Svmlight, samples_are_always_in_rows) {
  ReadOptions options;
  options.features_in_rows = true;
  expect_error(ErrorCode::invalid_option, {"svmlight"},
               [&] { (void)read_svm("1 1:1\n", options); });
}

TEST(Svmlight, many_samples_are_read_alike_by_any_number_of_threads) {
  constexpr int kSamples = 60000;
  std::string text;
  for (int i = 0; i < kSamples; ++i) {
    text += fmt::format("{} 1:{} {}:0.25 # padding of the line\n", i, i + 1, i % 7 + 2);
  }
  for (const int threads : {1, 3}) {
    sfg::RunContext run;
    run.threads = threads;
    const auto data = read_svm(text, {}, run);
    const auto matrix = svm_values(data);
    ASSERT_EQ(matrix.n_samples(), kSamples);
    int n_wrong = 0;
    for (Index i = 0; i < kSamples; ++i) {
      const bool is_right = matrix(i, 0) == i + 1 && matrix(i, i % 7 + 1) == 0.25 &&
                            data.labels->values[i] == std::to_string(i);
      n_wrong += is_right ? 0 : 1;
    }
    EXPECT_EQ(n_wrong, 0);
  }
}

RC_GTEST_PROP(SvmlightHostile, any_text_of_its_alphabet_gives_a_table_or_an_error, ()) {
  const auto text =
      *rc::gen::container<std::string>(rc::gen::elementOf(std::string("0122::  \n#-.q")));
  sfg::RunContext run;
  run.memory_limit = 10000000;
  try {
    const auto data = read_svm(text, {}, run);
    RC_ASSERT(data.labels->values.size() == static_cast<std::size_t>(n_samples(data.matrix)));
  } catch (const Error& error) {
    RC_ASSERT(error.code() == ErrorCode::malformed_input || error.code() == ErrorCode::over_memory);
  }
}

}  // namespace
}  // namespace sfg
