#ifdef SFG_WITH_MAT

#include <gtest/gtest.h>
#include <matio.h>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <cstring>
#include <limits>
#include <memory>

#include "helpers.hpp"
#include "python.hpp"
#include "read/readers.hpp"
#include "write/mat.hpp"
#include "write/writers.hpp"

namespace sfg::detail {
namespace {

using sfg::testing::expect_error;
using sfg::testing::expect_python_succeeds;
using sfg::testing::read_file;
using sfg::testing::TemporaryFolder;

/// Makes MAT files with matio for the tests.
class MatMaker {
 public:
  MatMaker(const std::filesystem::path& path, mat_ft version)
      : file_(Mat_CreateVer(path.c_str(), "MATLAB 5.0 MAT-file", version)) {}

  template <typename Value>
  MatMaker& add(const char* name, matio_classes kind, matio_types type,
                std::vector<std::size_t> extents, std::vector<Value> values, int flags = 0) {
    matvar_t* variable = Mat_VarCreate(name, kind, type, static_cast<int>(extents.size()),
                                       extents.data(), values.data(), flags);
    Mat_VarWrite(file_.get(), variable, MAT_COMPRESSION_NONE);
    Mat_VarFree(variable);
    return *this;
  }

  MatMaker& add_doubles(const char* name, std::size_t rows, std::size_t columns,
                        std::vector<double> values) {
    return add(name, MAT_C_DOUBLE, MAT_T_DOUBLE, {rows, columns}, std::move(values));
  }

  MatMaker& add_cell_of_numbers(const char* name, std::size_t count) {
    std::size_t extents[] = {count, 1};
    std::size_t one[] = {1, 1};
    double value = 1;
    matvar_t* cells = Mat_VarCreate(name, MAT_C_CELL, MAT_T_CELL, 2, extents, nullptr, 0);
    for (std::size_t i = 0; i < count; ++i) {
      Mat_VarSetCell(cells, static_cast<int>(i),
                     Mat_VarCreate(nullptr, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, one, &value, 0));
    }
    Mat_VarWrite(file_.get(), cells, MAT_COMPRESSION_NONE);
    Mat_VarFree(cells);
    return *this;
  }

  MatMaker& add_sparse(const char* name, std::size_t rows, std::size_t columns,
                       std::vector<mat_uint32_t> starts, std::vector<mat_uint32_t> indices,
                       std::vector<double> values) {
    std::size_t extents[] = {rows, columns};
    mat_sparse_t sparse{};
    sparse.nzmax = sparse.nir = sparse.ndata = static_cast<mat_uint32_t>(indices.size());
    sparse.njc = static_cast<mat_uint32_t>(starts.size());
    sparse.ir = indices.data();
    sparse.jc = starts.data();
    sparse.data = values.data();
    matvar_t* variable = Mat_VarCreate(name, MAT_C_SPARSE, MAT_T_DOUBLE, 2, extents, &sparse,
                                       MAT_F_DONT_COPY_DATA);
    Mat_VarWrite(file_.get(), variable, MAT_COMPRESSION_NONE);
    Mat_VarFree(variable);
    return *this;
  }

 private:
  struct CloseFile {
    void operator()(mat_t* file) const { Mat_Close(file); }
  };
  std::unique_ptr<mat_t, CloseFile> file_;
};

DenseMatrix dense(const RawTable& table) { return std::get<DenseMatrix>(table.matrix); }
SparseMatrix sparse(const RawTable& table) { return std::get<SparseMatrix>(table.matrix); }

Dataset small_dataset() {
  Dataset dataset;
  DenseMatrix matrix(3, 2);
  for (Index i = 0; i < 6; ++i) matrix.data()[i] = 0.1 * i;
  dataset.matrix = matrix;
  dataset.feature_names = {"gene \xce\xb1", "\xf0\x9f\xa7\xac"};
  dataset.name_source = NameSource::file;
  dataset.labels = Labels{"kind", {"a", "", "long label"}};
  return dataset;
}

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
               {"a.mat", "A (2 x 3 double)", "B (2 x 2 int8)", "--var NAME"},
               [&] { (void)read_mat(path, {}, {}); });
  ReadOptions options;
  options.variable = "C";
  expect_error(ErrorCode::inconsistent_input, {"no variable 'C'", "A (2 x 3 double)", "--var"},
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
    matvar_t* variable = Mat_VarCreate("X", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, extents, &split,
                                       MAT_F_COMPLEX);
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
  sfg::Run run;
  run.memory_limit = 1000;
  expect_error(ErrorCode::over_memory, {"a.mat", "X (10 x 100 double)"},
               [&] { (void)read_mat(folder / "a.mat", {}, run); });
}

RC_GTEST_PROP(WriteMat, what_is_written_reads_back, ()) {
  const auto n_rows = *rc::gen::inRange<Index>(1, 30);
  const auto n_columns = *rc::gen::inRange<Index>(1, 6);
  const bool is_sparse = *rc::gen::arbitrary<bool>();
  Dataset dataset;
  DenseMatrix matrix(n_rows, n_columns);
  for (Index i = 0; i < n_rows * n_columns; ++i) {
    matrix.data()[i] = *rc::gen::weightedElement<double>({{3, 0.0}, {1, 1.5}, {1, -1e300}});
  }
  dataset.matrix = matrix;
  if (is_sparse) dataset.matrix = to_sparse(matrix);
  dataset.feature_names = generated_names(n_columns);
  std::vector<std::string> labels;
  for (Index i = 0; i < n_rows; ++i) {
    labels.push_back(*rc::gen::element<std::string>("1", "2", "-0.5", "1e300"));
  }
  if (*rc::gen::arbitrary<bool>()) labels[0] = "text";
  dataset.labels = Labels{"Y", labels};
  const TemporaryFolder folder;
  const auto version = *rc::gen::element(MatVersion::v5, MatVersion::v73);
  write_mat_version(dataset, folder / "a.mat", version);
  const RawTable table = read_mat(folder / "a.mat", {}, {});
  RC_ASSERT(std::holds_alternative<SparseMatrix>(table.matrix) == is_sparse);
  const DenseMatrix back = is_sparse ? to_dense(sparse(table)) : dense(table);
  RC_ASSERT(back.n_samples() == n_rows);
  RC_ASSERT(back.n_features() == n_columns);
  RC_ASSERT(std::equal(back.data(), back.data() + n_rows * n_columns, matrix.data()));
  RC_ASSERT(table.labels.has_value());
  RC_ASSERT(table.labels->values.size() == labels.size());
  RC_ASSERT(table.column_names.empty());
}

TEST(WriteMat, different_labels_of_equal_value_stay_texts) {
  const TemporaryFolder folder;
  Dataset dataset = small_dataset();
  dataset.labels->values = {"1", "01", "1.0"};
  write_mat(dataset, folder / "a.mat");
  EXPECT_EQ(read_mat(folder / "a.mat", {}, {}).labels->values, dataset.labels->values);
}

TEST(WriteMat, equal_data_give_equal_files) {
  const TemporaryFolder folder;
  write_mat(small_dataset(), folder / "a.mat");
  write_mat(small_dataset(), folder / "b.mat");
  EXPECT_EQ(read_file(folder / "a.mat"), read_file(folder / "b.mat"));
}

TEST(WriteMat, files_that_cannot_be_written_are_told) {
  const TemporaryFolder folder;
  for (const MatVersion version : {MatVersion::v5, MatVersion::v73}) {
    expect_error(ErrorCode::cannot_write, {"absent/a.mat"}, [&] {
      write_mat_version(small_dataset(), folder / "absent/a.mat", version);
    });
  }
  expect_error(ErrorCode::cannot_write, {"/dev/null", "ordinary files"},
               [] { write_mat(small_dataset(), "/dev/null"); });
}

/// While it lives, files cannot grow beyond a size, as on a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t largest_file) {
    getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit = before_;
    limit.rlim_cur = largest_file;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST(WriteMat, a_full_disk_is_noticed) {
  const TemporaryFolder folder;
  Dataset dataset = small_dataset();
  DenseMatrix matrix(1000, 2);
  for (Index i = 0; i < 2000; ++i) matrix.data()[i] = std::sin(i);
  dataset.matrix = matrix;
  dataset.labels.reset();
  for (const MatVersion version : {MatVersion::v5, MatVersion::v73}) {
    for (const rlim_t size : {0, 200, 5000, 10000}) {
      expect_error(ErrorCode::cannot_write, {"a.mat"}, [&] {
        const FullDisk full(size);
        write_mat_version(dataset, folder / "a.mat", version);
      });
    }
  }
}

TEST(WriteMat, large_tables_use_version_73) {
  Dataset dataset = small_dataset();
  EXPECT_EQ(mat_version_for(dataset), MatVersion::v5);
  SparseMatrix huge;
  huge.starts = {0, 200000000};
  dataset.matrix = huge;
  EXPECT_EQ(mat_version_for(dataset), MatVersion::v73);
}

TEST(MatWithPython, scipy_reads_what_we_write) {
  SFG_NEED_PYTHON(python, "numpy, scipy.io");
  const TemporaryFolder folder;
  Dataset dataset = small_dataset();
  // scipy cannot read characters that take two UTF-16 units.
  dataset.feature_names[1] = "\xce\xb2";
  write_mat(dataset, folder / "dense.mat");
  dataset.matrix = SparseMatrix{3, 2, {0, 1, 2}, {2, 0}, {5, 7}};
  dataset.labels->values = {"1", "2", "1"};
  write_mat(dataset, folder / "sparse.mat");
  expect_python_succeeds(python, folder, R"(
import scipy.io, numpy as np
m = scipy.io.loadmat('dense.mat')
assert np.array_equal(m['X'], 0.1 * np.arange(6).reshape(2, 3).T)
assert [str(c[0]) for c in m['feature_names'][0]] == ['gene \u03b1', '\u03b2'], m['feature_names']
assert m['Y'].shape == (3, 1) and m['Y'][2, 0][0] == 'long label', m['Y']
m = scipy.io.loadmat('sparse.mat')
assert m['X'].toarray().tolist() == [[0, 7], [0, 0], [5, 0]]
assert m['Y'].tolist() == [[1], [2], [1]]
)");
}

TEST(MatWithPython, we_read_what_scipy_writes) {
  SFG_NEED_PYTHON(python, "numpy, scipy.io, scipy.sparse");
  const TemporaryFolder folder;
  expect_python_succeeds(python, folder, R"(
import numpy as np, scipy.io as io, scipy.sparse as sp
a = np.arange(12).reshape(3, 4)
names = np.array(['a', 'b', '\u03b1', 'dd'], dtype=object)
for packed in [False, True]:
    p = '_packed.mat' if packed else '_plain.mat'
    y = np.array([[1], [2], [1]], dtype=np.uint8)
    io.savemat('dense' + p, dict(X=a, Y=y, names=names), do_compression=packed)
    io.savemat('float' + p, dict(X=sp.csc_matrix(a.astype(np.float32)), Y=y, names=names), do_compression=packed)
    io.savemat('sparse' + p, dict(X=sp.csc_matrix(a), Y=y, names=names), do_compression=packed)
    io.savemat('bool' + p, dict(X=sp.csc_matrix(a > 5), Y=y, names=names), do_compression=packed)
)");
  for (const std::string packing : {"_plain.mat", "_packed.mat"}) {
    for (const std::string kind : {"dense", "float", "sparse", "bool"}) {
      const RawTable table = read_mat(folder / (kind + packing), {}, {});
      const DenseMatrix matrix = kind == "dense" ? dense(table) : to_dense(sparse(table));
      for (Index row = 0; row < 3; ++row) {
        for (Index column = 0; column < 4; ++column) {
          const Index value = row * 4 + column;
          EXPECT_EQ(matrix(row, column), kind == "bool" ? (value > 5 ? 1 : 0) : value) << kind;
        }
      }
      EXPECT_EQ(table.labels->values, (std::vector<std::string>{"1", "2", "1"}));
      EXPECT_EQ(table.column_names, (std::vector<std::string>{"a", "b", "\xce\xb1", "dd"}));
    }
  }
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
