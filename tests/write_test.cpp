#include "sfg/write.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <sstream>
#include <string>

#include "helpers.hpp"
#include "sfg/read.hpp"
#include "write/writers.hpp"

namespace sfg {
namespace {

using Names = std::vector<std::string>;
using testing::expect_error;
using testing::read_file;
using testing::TemporaryFolder;

/// 2 x 3 with a zero, named.
Dataset small_dataset() {
  Dataset data;
  DenseMatrix matrix(2, 3);
  matrix(0, 0) = 1.5;
  matrix(0, 2) = -2;
  matrix(1, 1) = 0.1;
  data.matrix = matrix;
  data.feature_names = {"a", "b", "c"};
  return data;
}

std::string written(const Dataset& data, Format format) {
  const TemporaryFolder folder;
  write_dataset(data, folder / "x", format);
  return read_file(folder / "x");
}

TEST(WriteCsv, is_a_header_and_a_row_per_sample) {
  EXPECT_EQ(written(small_dataset(), Format::csv), "a,b,c\n1.5,0,-2\n0,0.1,0\n");
  EXPECT_EQ(written(small_dataset(), Format::tsv), "a\tb\tc\n1.5\t0\t-2\n0\t0.1\t0\n");
}

TEST(WriteCsv, sample_names_come_first_and_labels_last) {
  auto data = small_dataset();
  data.sample_names = {"s1", "s,2"};
  data.labels = Labels{"", {"x", "y \"z\""}};
  EXPECT_EQ(written(data, Format::csv),
            "sample,a,b,c,\"label\"\ns1,1.5,0,-2,\"x\"\n\"s,2\",0,0.1,0,\"y \"\"z\"\"\"\n");
  data.sample_column = "id";
  data.labels->name = "class";
  EXPECT_TRUE(written(data, Format::csv).starts_with("id,a,b,c,\"class\"\n"));
}

TEST(WriteCsv, sparse_and_dense_tables_give_the_same_text) {
  auto data = small_dataset();
  const auto text = written(data, Format::csv);
  data.matrix = to_sparse(std::get<DenseMatrix>(data.matrix));
  EXPECT_EQ(written(data, Format::csv), text);
}

TEST(WriteMatrixMarket, is_coordinate_if_sparse_and_array_if_dense) {
  auto data = small_dataset();
  EXPECT_EQ(written(data, Format::matrix_market),
            "%%MatrixMarket matrix array real general\n2 3\n1.5\n0\n0\n0.1\n-2\n0\n");
  data.matrix = to_sparse(std::get<DenseMatrix>(data.matrix));
  EXPECT_EQ(written(data, Format::matrix_market),
            "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 1.5\n2 2 0.1\n1 3 -2\n");
}

TEST(WriteSvmlight, counts_from_one_and_leaves_out_zeros) {
  auto data = small_dataset();
  std::get<DenseMatrix>(data.matrix)(1, 0) = -0.0;
  EXPECT_EQ(written(data, Format::svmlight), "0 1:1.5 3:-2\n0 2:0.1\n");
  data.labels = Labels{"y", {"+1", "1,2"}};
  data.matrix = to_sparse(std::get<DenseMatrix>(data.matrix));
  EXPECT_EQ(written(data, Format::svmlight), "+1 1:1.5 3:-2\n1,2 2:0.1\n");
}

TEST(WriteSvmlight, labels_that_are_no_numbers_are_refused) {
  for (const auto* label : {"tumour", "", "nan", "1,", "1 2", "1#"}) {
    auto data = small_dataset();
    data.labels = Labels{"y", {"1", label}};
    expect_error(ErrorCode::inconsistent_input, {"sample 2", "csv or mat"},
                 [&] { (void)written(data, Format::svmlight); });
  }
}

TEST(WriteDataset, format_goes_by_the_ending_and_is_csv_otherwise) {
  const TemporaryFolder folder;
  write_dataset(small_dataset(), folder / "x.mtx", Format::automatic);
  EXPECT_TRUE(read_file(folder / "x.mtx").starts_with("%%MatrixMarket"));
  write_dataset(small_dataset(), folder / "x.data", Format::automatic);
  EXPECT_TRUE(read_file(folder / "x.data").starts_with("a,b,c\n"));
}

TEST(WriteDataset, formats_that_cannot_be_written_are_refused) {
  const TemporaryFolder folder;
  expect_error(ErrorCode::invalid_option, {"h5ad", "csv, tsv, npy, mat, mtx or svmlight"},
               [&] { write_dataset(small_dataset(), folder / "x.h5ad", Format::automatic); });
  expect_error(ErrorCode::invalid_option, {"npy", "standard output"},
               [] { write_dataset(small_dataset(), "-", Format::npy); });
  expect_error(ErrorCode::invalid_option, {"x.csv.xz", ".xz", "gzip"},
               [&] { write_dataset(small_dataset(), folder / "x.csv.xz", Format::automatic); });
  expect_error(ErrorCode::invalid_option, {"x.mat.gz", "packed inside"},
               [&] { write_dataset(small_dataset(), folder / "x.mat.gz", Format::automatic); });
}

TEST(WriteDataset, a_path_that_cannot_be_opened_is_refused) {
  const TemporaryFolder folder;
  expect_error(ErrorCode::cannot_write, {"none/x.csv", "No such file"},
               [&] { write_dataset(small_dataset(), folder / "none/x.csv", Format::csv); });
  expect_error(ErrorCode::cannot_write, {"directory"},
               [&] { write_dataset(small_dataset(), folder.path(), Format::csv); });
}

TEST(WriteDataset, a_full_disk_is_noticed) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full, the disk that is full";
  for (const auto format : {Format::csv, Format::matrix_market, Format::svmlight}) {
    expect_error(ErrorCode::cannot_write, {"/dev/full", "No space left"},
                 [&] { write_dataset(small_dataset(), "/dev/full", format); });
  }
}

TEST(WriteDataset, text_can_go_to_standard_output) {
  ::testing::internal::CaptureStdout();
  write_dataset(small_dataset(), "-", Format::csv);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "a,b,c\n1.5,0,-2\n0,0.1,0\n");
}

TEST(FormatExtension, is_what_the_path_is_told_by) {
  for (const auto format : {Format::csv, Format::tsv, Format::npy, Format::mat,
                            Format::matrix_market, Format::svmlight, Format::h5ad}) {
    EXPECT_EQ(format_from_path(fmt::format("x{}", format_extension(format))), format);
  }
}

/// Not a number counts as equal to itself.
bool same_numbers(const Matrix& left, const Matrix& right) {
  const auto as_dense = [](const Matrix& matrix) {
    const auto* sparse = std::get_if<SparseMatrix>(&matrix);
    return sparse != nullptr ? to_dense(*sparse) : std::get<DenseMatrix>(matrix);
  };
  const auto a = as_dense(left);
  const auto b = as_dense(right);
  if (a.n_samples() != b.n_samples() || a.n_features() != b.n_features()) return false;
  const auto size = static_cast<std::size_t>(n_stored(Matrix(a)));
  for (std::size_t i = 0; i < size; ++i) {
    const bool both_nan = std::isnan(a.data()[i]) && std::isnan(b.data()[i]);
    if (!both_nan && a.data()[i] != b.data()[i]) return false;
  }
  return true;
}

double any_number() {
  return *rc::gen::oneOf(rc::gen::arbitrary<double>(), rc::gen::just(0.0), rc::gen::just(1e-310),
                         rc::gen::just(std::numeric_limits<double>::infinity()),
                         rc::gen::just(std::numeric_limits<double>::quiet_NaN()),
                         rc::gen::just(std::numeric_limits<double>::max()));
}

/// A name with everything that quoting must survive; never empty, never a number.
std::string any_name() {
  return fmt::format(
      "n{}e", *rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab,;\t\"\n 1"))));
}

Dataset any_dataset() {
  Dataset data;
  DenseMatrix matrix(*rc::gen::inRange<Index>(1, 12), *rc::gen::inRange<Index>(1, 12));
  for (Index j = 0; j < matrix.n_features(); ++j) {
    for (double& value : matrix.column(j)) value = any_number();
  }
  std::set<std::string> names{"the samples", "the label"};
  while (static_cast<Index>(data.feature_names.size()) < matrix.n_features()) {
    auto name = fmt::format("{}{}", any_name(), data.feature_names.size());
    if (names.insert(name).second) data.feature_names.push_back(std::move(name));
  }
  data.matrix = matrix;
  if (*rc::gen::arbitrary<bool>()) data.matrix = to_sparse(matrix);
  return data;
}

RC_GTEST_PROP(RoundTrip, csv_and_tsv_read_back_as_the_same_dataset, ()) {
  const TemporaryFolder folder;
  auto data = any_dataset();
  const auto n_rows = n_samples(data.matrix);
  ReadOptions options;
  if (*rc::gen::arbitrary<bool>()) {
    data.sample_column = "the samples";
    options.sample_ids = {"the samples"};
    for (Index i = 0; i < n_rows; ++i) data.sample_names.push_back(any_name());
  }
  if (*rc::gen::arbitrary<bool>()) {
    options.labels = "the label";
    data.labels = Labels{"the label", {}};
    for (Index i = 0; i < n_rows; ++i) data.labels->values.push_back(any_name());
  }
  const auto* name = *rc::gen::element("x.csv", "x.tsv");
  write_dataset(data, folder / name, Format::automatic);
  const auto back = read_dataset(folder / name, options);
  RC_ASSERT(back.feature_names == data.feature_names);
  RC_ASSERT(back.sample_names == data.sample_names);
  RC_ASSERT(back.sample_column == data.sample_column);
  RC_ASSERT(back.labels.has_value() == data.labels.has_value());
  if (data.labels) RC_ASSERT(back.labels->values == data.labels->values);
  RC_ASSERT(same_numbers(back.matrix, data.matrix));
}

RC_GTEST_PROP(RoundTrip, matrix_market_reads_back_as_the_same_matrix, ()) {
  const TemporaryFolder folder;
  const auto data = any_dataset();
  write_dataset(data, folder / "x.mtx", Format::automatic);
  const auto back = read_dataset(folder / "x.mtx", {});
  RC_ASSERT(back.matrix.index() == data.matrix.index());
  RC_ASSERT(same_numbers(back.matrix, data.matrix));
}

RC_GTEST_PROP(RoundTrip, svmlight_reads_back_as_the_same_matrix_and_labels, ()) {
  const TemporaryFolder folder;
  auto data = any_dataset();
  // The last feature must occur: the file says nothing about features that are zero throughout.
  auto matrix = std::holds_alternative<SparseMatrix>(data.matrix)
                    ? to_dense(std::get<SparseMatrix>(data.matrix))
                    : std::get<DenseMatrix>(data.matrix);
  matrix(0, matrix.n_features() - 1) = 1;
  data.matrix = matrix;
  data.labels = Labels{"label", {}};
  for (Index i = 0; i < matrix.n_samples(); ++i) {
    data.labels->values.push_back(std::to_string(*rc::gen::arbitrary<int>()));
  }
  write_dataset(data, folder / "x.svm", Format::automatic);
  const auto back = read_dataset(folder / "x.svm", {});
  RC_ASSERT(back.labels->values == data.labels->values);
  RC_ASSERT(same_numbers(back.matrix, data.matrix));
}

TEST(RoundTrip, tables_longer_than_the_buffers_survive) {
  const TemporaryFolder folder;
  Dataset data;
  DenseMatrix matrix(3001, 40);
  for (Index j = 0; j < 40; ++j) {
    for (Index i = 0; i < 3001; ++i) matrix(i, j) = 1.0 / (1 + i + 3001.0 * j);
  }
  data.matrix = matrix;
  data.feature_names = generated_names(40);
  data.feature_names[7] = std::string(3000000, 'n');
  for (const auto* name : {"x.csv", "x.mtx", "x.svm"}) {
    write_dataset(data, folder / name, Format::automatic);
    EXPECT_TRUE(same_numbers(read_dataset(folder / name, {}).matrix, data.matrix)) << name;
  }
}

}  // namespace
}  // namespace sfg
