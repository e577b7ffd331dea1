#ifdef SFG_WITH_MAT

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "helpers.hpp"
#include "mat_maker.hpp"
#include "raw_table.hpp"
#include "read/readers.hpp"
#include "write/mat.hpp"
#include "write/writers.hpp"

namespace sfg::detail {
namespace {

using sfg::testing::dense;
using sfg::testing::expect_error;
using sfg::testing::MatMaker;
using sfg::testing::read_file;
using sfg::testing::read_mat;
using sfg::testing::small_dataset;
using sfg::testing::sparse;
using sfg::testing::TemporaryFolder;

TEST(ReadMat, all_numeric_classes_become_doubles) {
  const TemporaryFolder folder;
  for (const mat_ft version : {MAT_FT_MAT5, MAT_FT_MAT73}) {
    const auto path = folder / "a.mat";
    MatMaker(path, version)
        .add<float>("single", MAT_C_SINGLE, MAT_T_SINGLE, {2, 2}, {1, 2, 3, -4})
        .add<std::int8_t>("int8", MAT_C_INT8, MAT_T_INT8, {2, 2}, {1, 2, 3, -4})
        .add<std::int16_t>("int16", MAT_C_INT16, MAT_T_INT16, {2, 2}, {1, 2, 3, -4})
        .add<std::int32_t>("int32", MAT_C_INT32, MAT_T_INT32, {2, 2}, {1, 2, 3, -4})
        .add<std::int64_t>("int64", MAT_C_INT64, MAT_T_INT64, {2, 2}, {1, 2, 3, -4})
        .add_doubles("double", 2, 2, {1, 2, 3, -4});
    for (const char* name : {"single", "int8", "int16", "int32", "int64", "double"}) {
      ReadOptions options;
      options.variable = name;
      const DenseMatrix matrix = dense(read_mat(path, options, {}));
      EXPECT_EQ(matrix(1, 0), 2) << name;
      EXPECT_EQ(matrix(0, 1), 3) << name;
      EXPECT_EQ(matrix(1, 1), -4) << name;
    }
  }
}

TEST(ReadMat, unsigned_and_logical_classes_become_doubles) {
  const TemporaryFolder folder;
  for (const mat_ft version : {MAT_FT_MAT5, MAT_FT_MAT73}) {
    const auto path = folder / "a.mat";
    MatMaker(path, version)
        .add<std::uint8_t>("uint8", MAT_C_UINT8, MAT_T_UINT8, {2, 2}, {1, 0, 0, 1})
        .add<std::uint16_t>("uint16", MAT_C_UINT16, MAT_T_UINT16, {2, 2}, {1, 0, 0, 1})
        .add<std::uint32_t>("uint32", MAT_C_UINT32, MAT_T_UINT32, {2, 2}, {1, 0, 0, 1})
        .add<std::uint64_t>("uint64", MAT_C_UINT64, MAT_T_UINT64, {2, 2}, {1, 0, 0, 1})
        .add<std::uint8_t>("logical", MAT_C_UINT8, MAT_T_UINT8, {2, 2}, {1, 0, 0, 1},
                           MAT_F_LOGICAL);
    for (const char* name : {"uint8", "uint16", "uint32", "uint64", "logical"}) {
      ReadOptions options;
      options.variable = name;
      const DenseMatrix matrix = dense(read_mat(path, options, {}));
      EXPECT_EQ(matrix(0, 0), 1) << name;
      EXPECT_EQ(matrix(1, 0), 0) << name;
      EXPECT_EQ(matrix(1, 1), 1) << name;
    }
  }
}

TEST(ReadMat, x_is_taken_before_fea_before_the_only_matrix) {
  const TemporaryFolder folder;
  const auto path = folder / "a.mat";
  MatMaker(path, MAT_FT_MAT5).add_doubles("Q", 2, 2, {3, 3, 3, 3}).add_doubles("v", 2, 1, {0, 0});
  EXPECT_EQ(dense(read_mat(path, {}, {}))(0, 0), 3);
  MatMaker(path, MAT_FT_MAT5)
      .add_doubles("Q", 2, 2, {3, 3, 3, 3})
      .add_doubles("fea", 2, 2, {2, 2, 2, 2});
  EXPECT_EQ(dense(read_mat(path, {}, {}))(0, 0), 2);
  MatMaker(path, MAT_FT_MAT5)
      .add_doubles("fea", 2, 2, {2, 2, 2, 2})
      .add_doubles("X", 2, 2, {1, 1, 1, 1});
  EXPECT_EQ(dense(read_mat(path, {}, {}))(0, 0), 1);
}

TEST(ReadMat, several_matrices_are_listed_with_sizes_and_remedy) {
  const TemporaryFolder folder;
  const auto path = folder / "a.mat";
  MatMaker(path, MAT_FT_MAT5)
      .add_doubles("A", 2, 3, std::vector<double>(6))
      .add<std::int8_t>("B", MAT_C_INT8, MAT_T_INT8, {2, 2}, {0, 0, 0, 0});
  expect_error(ErrorCode::malformed_input,
               {"a.mat", "A (2 x 3 double)", "B (2 x 2 int8)", "variable=NAME"},
               [&] { (void)read_mat(path, {}, {}); });
  ReadOptions options;
  options.variable = "C";
  expect_error(ErrorCode::inconsistent_input,
               {"no variable 'C'", "A (2 x 3 double)", "variable=NAME"},
               [&] { (void)read_mat(path, options, {}); });
}

TEST(ReadMat, complex_and_higher_dimensional_variables_are_refused) {
  const TemporaryFolder folder;
  const auto path = folder / "a.mat";
  double parts[] = {1, 2, 3, 4};
  mat_complex_split_t split{parts, parts};
  std::size_t extents[] = {2, 2};
  for (const mat_ft version : {MAT_FT_MAT5, MAT_FT_MAT73}) {
    mat_t* file = Mat_CreateVer(path.c_str(), nullptr, version);
    matvar_t* variable =
        Mat_VarCreate("X", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, extents, &split, MAT_F_COMPLEX);
    Mat_VarWrite(file, variable, MAT_COMPRESSION_NONE);
    Mat_VarFree(variable);
    Mat_Close(file);
    expect_error(ErrorCode::malformed_input, {"X (2 x 2 complex double)", "real part"},
                 [&] { (void)read_mat(path, {}, {}); });
  }
  MatMaker(path, MAT_FT_MAT5)
      .add<double>("X", MAT_C_DOUBLE, MAT_T_DOUBLE, {2, 2, 2}, std::vector<double>(8));
  expect_error(ErrorCode::malformed_input, {"X (2 x 2 x 2 double)"},
               [&] { (void)read_mat(path, {}, {}); });
  ReadOptions options;
  options.variable = "X";
  expect_error(ErrorCode::malformed_input, {"X (2 x 2 x 2 double)", "2 dimensions"},
               [&] { (void)read_mat(path, options, {}); });
}

TEST(ReadMat, sparse_stays_sparse_and_loses_stored_zeros) {
  const TemporaryFolder folder;
  for (const mat_ft version : {MAT_FT_MAT5, MAT_FT_MAT73}) {
    const auto path = folder / "a.mat";
    MatMaker(path, version).add_sparse("X", 3, 3, {0, 2, 2, 3}, {0, 2, 1}, {5, 0, 7});
    const SparseMatrix matrix = sparse(read_mat(path, {}, {}));
    EXPECT_EQ(matrix.n_samples, 3);
    EXPECT_EQ(matrix.starts, (std::vector<Offset>{0, 1, 1, 2}));
    EXPECT_EQ(matrix.rows, (std::vector<Index>{0, 1}));
    EXPECT_EQ(matrix.values, (std::vector<double>{5, 7}));
  }
}

TEST(ReadMat, unsorted_sparse_rows_are_sorted) {
  const TemporaryFolder folder;
  const auto path = folder / "a.mat";
  MatMaker(path, MAT_FT_MAT5).add_sparse("X", 3, 2, {0, 2, 2}, {2, 0}, {5, 6});
  const SparseMatrix matrix = sparse(read_mat(path, {}, {}));
  EXPECT_EQ(matrix.rows, (std::vector<Index>{0, 2}));
  EXPECT_EQ(matrix.values, (std::vector<double>{6, 5}));
}

TEST(ReadMat, broken_sparse_matrices_are_refused_with_their_place) {
  const TemporaryFolder folder;
  const auto path = folder / "a.mat";
  const auto refuse = [&](std::initializer_list<std::string_view> words) {
    expect_error(ErrorCode::malformed_input, words, [&] { (void)read_mat(path, {}, {}); });
  };
  for (const mat_ft version : {MAT_FT_MAT5, MAT_FT_MAT73}) {
    MatMaker(path, version).add_sparse("X", 3, 2, {0, 1, 2}, {0, 3}, {5, 6});
    refuse({"a.mat: X (3 x 2 sparse)", "column 2", "row 4 of 3"});
    MatMaker(path, version).add_sparse("X", 3, 2, {0, 1, 2}, {0, 4000000000U}, {5, 6});
    refuse({"a.mat: X (3 x 2 sparse)", "column 2"});
    MatMaker(path, version).add_sparse("X", 3, 2, {0, 2, 2}, {1, 1}, {5, 6});
    refuse({"column 1, row 2", "twice"});
    MatMaker(path, version).add_sparse("X", 3, 2, {0, 2, 1}, {0, 1}, {5, 6});
    refuse({"X (3 x 2 sparse)"});
    MatMaker(path, version).add_sparse("X", 3, 2, {0, 1, 9}, {0, 1}, {5, 6});
    refuse({"9 entries"});
    MatMaker(path, version).add_sparse("X", 3, 2, {1, 1, 2}, {0, 1}, {5, 6});
    refuse({"first start is 1"});
  }
}

TEST(ReadMat, labels_and_names_are_found_in_the_file) {
  const TemporaryFolder folder;
  for (const MatVersion version : {MatVersion::v5, MatVersion::v73}) {
    const auto path = folder / "a.mat";
    write_mat_version(small_dataset(), path, version);
    const RawTable table = read_mat(path, {}, {});
    EXPECT_EQ(table.column_names, small_dataset().feature_names);
    ASSERT_TRUE(table.labels.has_value());
    EXPECT_EQ(table.labels->name, "Y");
    EXPECT_EQ(table.labels->values, small_dataset().labels->values);
  }
}

TEST(ReadMat, features_in_rows_swaps_where_labels_and_names_belong) {
  const TemporaryFolder folder;
  const auto path = folder / "a.mat";
  MatMaker(path, MAT_FT_MAT5)
      .add_doubles("X", 3, 2, std::vector<double>(6))
      .add_doubles("Y", 1, 2, {1, 2.5})
      .add<char>("genes", MAT_C_CHAR, MAT_T_UINT8, {3, 2}, {'a', 'b', 'c', '1', ' ', '3'});
  ReadOptions options;
  options.features_in_rows = true;
  const RawTable table = read_mat(path, options, {});
  ASSERT_TRUE(table.labels.has_value());
  EXPECT_EQ(table.labels->values, (std::vector<std::string>{"1", "2.5"}));
  EXPECT_EQ(table.row_names, (std::vector<std::string>{"a1", "b", "c3"}));
  const RawTable unturned = read_mat(path, {}, {});
  EXPECT_FALSE(unturned.labels.has_value());
  EXPECT_TRUE(unturned.row_names.empty() && unturned.column_names.empty());
}

TEST(ReadMat, a_label_variable_that_is_named_must_fit) {
  const TemporaryFolder folder;
  const auto path = folder / "a.mat";
  MatMaker(path, MAT_FT_MAT5)
      .add_doubles("X", 3, 2, std::vector<double>(6))
      .add_doubles("short", 2, 1, {1, 2})
      .add_doubles("gnd", 3, 1, {7, 8, std::numeric_limits<double>::quiet_NaN()})
      .add_cell_of_numbers("cells", 3);
  ReadOptions options;
  for (const char* name : {"short", "cells", "X"}) {
    options.labels = name;
    expect_error(ErrorCode::inconsistent_input, {"a.mat", name, "3 samples"},
                 [&] { (void)read_mat(path, options, {}); });
  }
  options.labels = "gnd";
  EXPECT_EQ(read_mat(path, options, {}).labels->values, (std::vector<std::string>{"7", "8", ""}));
  options.labels = "labels.txt";
  EXPECT_EQ(read_mat(path, options, {}).labels->name, "gnd");
}

TEST(ReadMat, every_truncation_is_refused) {
  const TemporaryFolder folder;
  MatMaker(folder / "plain.mat", MAT_FT_MAT5)
      .add_doubles("X", 3, 2, {1, 2, 3, 4, 5, 6})
      .add_doubles("Y", 3, 1, {1, 2, 3});
  write_mat(small_dataset(), folder / "packed.mat");
  write_mat_version(small_dataset(), folder / "v73.mat", MatVersion::v73);
  for (const char* name : {"plain.mat", "packed.mat", "v73.mat"}) {
    const std::string bytes = read_file(folder / name);
    const std::size_t step = bytes.size() > 5000 ? 97 : 1;
    // Only the header is a whole file without variables; between variables one may well end.
    for (std::size_t size = 0; size + 1 < bytes.size(); size += step) {
      const auto path = folder.write("cut.mat", bytes.substr(0, size));
      try {
        const RawTable table = read_mat(path, {}, {});
        EXPECT_EQ(dense(table)(2, 1), dense(read_mat(folder / name, {}, {}))(2, 1)) << name << size;
        EXPECT_FALSE(table.labels.has_value() && !table.column_names.empty());
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::malformed_input) << name << size << error.what();
        EXPECT_NE(std::string(error.what()).find("cut.mat"), std::string::npos) << error.what();
      }
    }
  }
}

TEST(ReadMat, files_of_other_kinds_are_refused) {
  const TemporaryFolder folder;
  for (const std::string& contents :
       {std::string(), std::string("a,b\n1,2\n"), std::string(5000, '\0'), std::string(200, 'x'),
        std::string(124, ' ') + std::string("\x00\x02IM", 4) + std::string(2000, 'x')}) {
    const auto path = folder.write("no.mat", contents);
    expect_error(ErrorCode::malformed_input, {"no.mat"}, [&] { (void)read_mat(path, {}, {}); });
  }
  expect_error(ErrorCode::cannot_read, {"absent.mat"},
               [&] { (void)read_mat(folder / "absent.mat", {}, {}); });
  expect_error(ErrorCode::cannot_read, {folder.path().string()},
               [&] { (void)read_mat(folder.path(), {}, {}); });
}

TEST(ReadMat, dimensions_beyond_the_data_are_refused_before_allocation) {
  const TemporaryFolder folder;
  const auto path = folder / "a.mat";
  MatMaker(path, MAT_FT_MAT5).add_doubles("X", 3, 2, {1, 2, 3, 4, 5, 6});
  std::string bytes = read_file(path);
  // The header has 128 bytes, tags 8, flags 8: dimensions start at 128 + 8 + 16 + 8.
  constexpr std::size_t kDimensions = 160;
  const std::int32_t huge[] = {2000000000, 2000000000};
  std::memcpy(bytes.data() + kDimensions, huge, sizeof huge);
  folder.write("huge.mat", bytes);
  expect_error(ErrorCode::malformed_input, {"huge.mat", "4000000000000000000 numbers, it has 6"},
               [&] { (void)read_mat(folder / "huge.mat", {}, {}); });
  const std::int32_t negative[] = {-3, 2};
  std::memcpy(bytes.data() + kDimensions, negative, sizeof negative);
  folder.write("negative.mat", bytes);
  expect_error(ErrorCode::malformed_input, {"negative.mat", "negative"},
               [&] { (void)read_mat(folder / "negative.mat", {}, {}); });
}

TEST(ReadMat, no_changed_byte_of_a_packed_file_goes_unnoticed) {
  const TemporaryFolder folder;
  write_mat(small_dataset(), folder / "a.mat");
  const std::string bytes = read_file(folder / "a.mat");
  constexpr std::size_t kFirstVariable = 128;
  for (std::size_t place = kFirstVariable; place < bytes.size(); ++place) {
    std::string damaged = bytes;
    damaged[place] = static_cast<char>(damaged[place] ^ 0x10);
    const auto path = folder.write("damaged.mat", damaged);
    try {
      const RawTable table = read_mat(path, {}, {});
      // A few bits of a zlib header mean nothing.
      EXPECT_EQ(table.column_names, small_dataset().feature_names) << place;
      EXPECT_EQ(dense(table)(2, 1), std::get<DenseMatrix>(small_dataset().matrix)(2, 1)) << place;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::malformed_input) << error.what();
    }
  }
}

TEST(ReadMat, the_memory_limit_is_kept) {
  const TemporaryFolder folder;
  MatMaker(folder / "a.mat", MAT_FT_MAT5).add_doubles("X", 10, 100, std::vector<double>(1000));
  sfg::RunContext run;
  run.memory_limit = 1000;
  expect_error(ErrorCode::over_memory, {"a.mat", "X (10 x 100 double)"},
               [&] { (void)read_mat(folder / "a.mat", {}, run); });
}

TEST(ReadMat, the_data_sets_of_the_paper_have_their_sizes) {
  const std::filesystem::path data = SFG_TEST_DATA_FOLDER;
  if (!std::filesystem::exists(data / "ORL.mat")) GTEST_SKIP() << "the data sets are not here";
  const RawTable orl = read_mat(data / "ORL.mat", {}, {});
  EXPECT_EQ(n_samples(orl.matrix), 400);
  EXPECT_EQ(n_features(orl.matrix), 1024);
  EXPECT_EQ(orl.labels->values.back(), "40");
  const RawTable reuters = read_mat(data / "Reuters21578.mat", {}, {});
  EXPECT_EQ(sparse(reuters).n_stored(), 389455);
  EXPECT_EQ(n_features(reuters.matrix), 18933);
}

}  // namespace
}  // namespace sfg::detail

#endif
