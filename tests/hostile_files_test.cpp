// Files that want to do harm: sizes that lie, bombs, damage that crashes libraries, and programs
// that change a file while it is read. Tests of single formats are in read_*_test.cpp.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <random>

#include "gzip.hpp"
#include "helpers.hpp"
#include "io/input_bytes.hpp"
#include "io/npy.hpp"
#include "io/zip.hpp"
#include "program.hpp"
#include "read/child.hpp"
#include "sampling.hpp"
#include "sfg/graph.hpp"
#include "sfg/model.hpp"
#include "sfg/read.hpp"
#include "sfg/write.hpp"
#ifdef SFG_WITH_HDF5
#include "hdf5_maker.hpp"
#endif

namespace sfg {
namespace {

using detail::InputBytes;
using detail::RawTable;
using testing::expect_error;
using testing::packed;
using testing::Program;
using testing::TemporaryFolder;

// --- sizes that lie ------------------------------------------------------------------------------

class LyingSizes : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(LyingSizes, are_refused_before_memory_is_taken) {
  const TemporaryFolder folder;
  const auto [name, contents] = GetParam();
  const auto path = folder.write(name, contents);
  try {
    (void)read_dataset(path, {});
    ADD_FAILURE() << "was read";
  } catch (const Error& error) {
    const int status = exit_status(error.code());
    EXPECT_TRUE(status == 4 || status == 8) << error.what();
    EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Text, LyingSizes,
    ::testing::Values(std::pair{"rows.mtx",
                                "%%MatrixMarket matrix coordinate real general\n"
                                "1000000000000 3 1\n1 1 1\n"},
                      std::pair{"columns.mtx",
                                "%%MatrixMarket matrix coordinate real general\n"
                                "3 2000000000 1\n1 1 1\n"},
                      std::pair{"modest.mtx",
                                "%%MatrixMarket matrix coordinate real general\n"
                                "3 5000000 1\n1 1 1\n"},
                      std::pair{"entries.mtx",
                                "%%MatrixMarket matrix coordinate real general\n"
                                "3 3 1000000000000\n1 1 1\n"},
                      std::pair{"array.mtx",
                                "%%MatrixMarket matrix array real general\n100000 100000\n1\n"},
                      std::pair{"far.svm", "1 1:1 2000000000:1\n"},
                      std::pair{"modest.svm", "1 1:1 5000000:1\n"}));

TEST(FileMemory, a_small_file_with_a_large_table_is_read_when_a_limit_allows_it) {
  const TemporaryFolder folder;
  const auto path = folder.write("x.svm", "1 1:1 3000000:1\n");
  expect_error(ErrorCode::over_memory, {"x.svm", "3000000", "memory_limit"},
               [&] { (void)read_dataset(path, {}); });
  sfg::RunContext run;
  run.memory_limit = std::size_t{1} << 30U;
  EXPECT_EQ(n_features(read_dataset(path, {}, run).matrix), 3000000);
}

TEST(FileMemory, an_array_of_empty_names_in_a_graph_takes_no_memory) {
  const TemporaryFolder folder;
  const std::array<std::int64_t, 1> shape{1000000000000};
  const std::string bytes =
      detail::write_zip({{"indices.npy", detail::npy_vector(std::vector<std::int32_t>{})},
                         {"indptr.npy", detail::npy_vector(std::vector<std::int64_t>{0})},
                         {"data.npy", detail::npy_vector(std::vector<double>{})},
                         {"angle.npy", detail::npy_vector(std::vector<double>{})},
                         {"status.npy", detail::npy_vector(std::vector<std::int32_t>{})},
                         {"failed.npy", detail::npy_vector(std::vector<std::int32_t>{})},
                         {"feature_names.npy", detail::npy_header("<U0", shape, false)}});
  const auto path = folder.write("g.npz", bytes);
  EXPECT_THROW((void)load_graph(path), Error);
}

// --- bombs ---------------------------------------------------------------------------------------

TEST(Bomb, a_small_gzip_file_that_unpacks_to_more_than_it_may_is_refused) {
  const TemporaryFolder folder;
  std::string zeros;
  for (int i = 0; i < 40000000; ++i) zeros += "0,";
  const auto path = folder.write("x.csv.gz", packed(zeros));
  ASSERT_GT(std::filesystem::file_size(path), 64U << 10U);
  expect_error(ErrorCode::malformed_input, {"x.csv.gz", "500 times", "memory_limit"},
               [&] { (void)read_dataset(path, {}); });
  expect_error(ErrorCode::malformed_input, {"500 times"}, [&] { (void)read_lines(path); });
}

TEST(Bomb, packed_lists_and_models_take_memory_in_proportion_to_the_file) {
  const TemporaryFolder folder;
  std::string lines;
  std::string numbers = "[0";
  for (int i = 0; i < 10000000; ++i) {
    lines += "a\n";
    numbers += ",0";
  }
  expect_error(ErrorCode::over_memory, {"l.gz", "may take"},
               [&] { (void)read_lines(folder.write("l.gz", packed(lines))); });
  expect_error(ErrorCode::over_memory, {"m.gz", "may take"},
               [&] { (void)load_model(folder.write("m.gz", packed(numbers + "]"))); });
}

// --- files that change while they are read -------------------------------------------------------

TEST(ChangedInput, a_file_that_is_cut_short_while_it_is_read_cannot_be_read) {
  guard_mapped_files();
  const TemporaryFolder folder;
  const auto path = folder.write("x.csv", std::string(100000, '1'));
  const InputBytes input(path, 0);
  std::filesystem::resize_file(path, 10);
  // Without the guard, this ends the process.
  EXPECT_EQ(input.bytes()[90000], '\0');
  expect_error(ErrorCode::cannot_read, {"x.csv", "was changed", "100 kB", "10 B"},
               [&] { input.check_unchanged(); });
}

TEST(ChangedInput, a_file_that_grows_or_is_written_over_cannot_be_read_either) {
  const TemporaryFolder folder;
  const auto path = folder.write("x.csv", "a,b\n1,2\n");
  {
    const InputBytes input(path, 0);
    input.check_unchanged();
    std::filesystem::resize_file(path, 100);
    expect_error(ErrorCode::cannot_read, {"was changed"}, [&] { input.check_unchanged(); });
  }
  const InputBytes input(path, 0);
  const std::array<timespec, 2> times{{{1, 0}, {1, 0}}};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times.data(), 0), 0);
  expect_error(ErrorCode::cannot_read, {"was changed"}, [&] { input.check_unchanged(); });
}

TEST(ChangedInput, explains_any_other_fault) {
  const TemporaryFolder folder;
  const auto path = folder.write("x.csv", "a,b\n1,2\n");
  const InputBytes input(path, 0);
  expect_error(ErrorCode::cannot_read, {"was changed"}, [&] {
    (void)detail::use_unchanged(input, [&]() -> int {
      std::filesystem::resize_file(path, 3);
      throw Error(ErrorCode::malformed_input, "a consequence");
    });
  });
}

// --- readers in a process of their own -----------------------------------------------------------

RawTable small_table() {
  RawTable table;
  DenseMatrix dense(2, 3);
  for (Index i = 0; i < 6; ++i) dense.data()[i] = i + 0.5;
  table.matrix = dense;
  table.row_names = {"r", ""};
  table.column_names = {"a", "b\n", std::string("c\0d", 3)};
  table.row_heading = "id";
  table.labels = Labels{"class", {"u", "v"}};
  return table;
}

TEST(ChildReader, hands_back_the_whole_table) {
  const RawTable table =
      detail::read_in_child("x", {}, [](const sfg::RunContext&) { return small_table(); });
  const RawTable wanted = small_table();
  const auto& dense = std::get<DenseMatrix>(table.matrix);
  ASSERT_EQ(dense.n_features(), 3);
  for (Index i = 0; i < 6; ++i) EXPECT_EQ(dense.data()[i], i + 0.5);
  EXPECT_EQ(table.row_names, wanted.row_names);
  EXPECT_EQ(table.column_names, wanted.column_names);
  EXPECT_EQ(table.row_heading, "id");
  ASSERT_TRUE(table.labels);
  EXPECT_EQ(table.labels->values, wanted.labels->values);
}

TEST(ChildReader, hands_back_large_and_sparse_tables) {
  const RawTable table = detail::read_in_child("x", {}, [](const sfg::RunContext&) {
    RawTable large;
    DenseMatrix dense(1000, 701);
    for (Offset i = 0; i < 701000; ++i) dense.data()[i] = static_cast<double>(i);
    large.matrix = std::move(dense);
    return large;
  });
  const auto& dense = std::get<DenseMatrix>(table.matrix);
  for (Offset i = 0; i < 701000; ++i) ASSERT_EQ(dense.data()[i], static_cast<double>(i));
  const RawTable thin = detail::read_in_child("x", {}, [](const sfg::RunContext&) {
    RawTable sparse;
    sparse.matrix = SparseMatrix{3, 2, {0, 1, 3}, {2, 0, 1}, {1, 2, 3}};
    return sparse;
  });
  const auto& sparse = std::get<SparseMatrix>(thin.matrix);
  EXPECT_EQ(sparse.starts, (std::vector<Offset>{0, 1, 3}));
  EXPECT_EQ(sparse.rows, (std::vector<Index>{2, 0, 1}));
}

TEST(ChildReader, throws_what_the_reader_threw) {
  expect_error(ErrorCode::inconsistent_input, {"no fit"}, [] {
    (void)detail::read_in_child("x", {}, [](const sfg::RunContext&) -> RawTable {
      throw Error(ErrorCode::inconsistent_input, "no fit");
    });
  });
  EXPECT_THROW((void)detail::read_in_child(
                   "x", {}, [](const sfg::RunContext&) -> RawTable { throw std::bad_alloc(); }),
               std::bad_alloc);
}

TEST(ChildReader, a_crash_is_a_malformed_file_and_a_kill_is_want_of_memory) {
  const auto ends_by = [](int number) {
    return [number] {
      (void)detail::read_in_child("x.h5ad", {}, [number](const sfg::RunContext&) {
        std::signal(number, SIG_DFL);
        raise(number);
        return RawTable();
      });
    };
  };
  for (const int number : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE}) {
    expect_error(ErrorCode::malformed_input, {"x.h5ad", "crashed", "damaged"}, ends_by(number));
  }
  expect_error(ErrorCode::malformed_input, {"x.h5ad", "never ends"}, ends_by(SIGXCPU));
  expect_error(ErrorCode::over_memory, {"x.h5ad", "killed"}, ends_by(SIGKILL));
}

TEST(ChildReader, can_be_interrupted_while_the_library_hangs) {
  const std::atomic<bool> stop = true;
  sfg::RunContext run;
  run.stop = &stop;
  expect_error(ErrorCode::interrupted, {}, [&] {
    (void)detail::read_in_child("x", run, [](const sfg::RunContext&) {
      for (;;) pause();
      return RawTable();
    });
  });
}

TEST(ChildReader, does_not_take_sizes_on_trust) {
  expect_error(ErrorCode::malformed_input, {"x", "outside the range"}, [] {
    (void)detail::read_in_child("x", {}, [](const sfg::RunContext&) {
      RawTable table;
      table.matrix = SparseMatrix{-5, 2, {0, 0, 0}, {}, {}};
      return table;
    });
  });
}

#ifdef SFG_WITH_HDF5
TEST(DamagedHdf5, never_ends_the_process) {
  const TemporaryFolder folder;
  {
    testing::Hdf5Maker file(folder / "x.h5ad");
    file.numbers<double>("X", H5T_NATIVE_DOUBLE, {4, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
                         {2, 2});
    file.group("var").texts("var/_index", {"a", "b", "c"});
  }
  const std::string sound = testing::read_file(folder / "x.h5ad");
  std::mt19937 random(1);
  int n_read = 0;
  constexpr int kTrials = testing::kSampled ? 40 : 200;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::string damaged = sound;
    for (int k = 0; k < 3; ++k) damaged[random() % damaged.size()] = static_cast<char>(random());
    try {
      (void)read_dataset(folder.write("y.h5ad", damaged), {});
      ++n_read;
    } catch (const Error& error) {
      EXPECT_NE(exit_status(error.code()), 70) << error.what();
    }
  }
  // Bytes that nobody looks at may be damaged without harm, others may not.
  EXPECT_GT(n_read, 0);
  EXPECT_LT(n_read, kTrials);
}
#endif

}  // namespace
}  // namespace sfg
