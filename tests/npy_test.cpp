#include "io/npy.hpp"
#include "raw_table.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>

#include "helpers.hpp"
#include "python.hpp"
#include "read/readers.hpp"
#include "write/writers.hpp"

namespace sfg::detail {
namespace {

using sfg::testing::dense;
using sfg::testing::expect_error;
using sfg::testing::expect_python_succeeds;
using sfg::testing::TemporaryFolder;

/// A file of version 1.0 with this dictionary, unpadded.
std::string npy_file(const std::string& dictionary, const std::string& data) {
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(dictionary.size() & 0xFF);
  file += static_cast<char>(dictionary.size() >> 8);
  return file + dictionary + data;
}

std::string npy_of_type(const std::string& type, const std::string& shape,
                        const std::string& data) {
  return npy_file("{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }\n",
                  data);
}

template <typename Value>
std::string bytes_of(std::initializer_list<Value> values) {
  std::string bytes(values.size() * sizeof(Value), '\0');
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

std::vector<double> numbers_of(const std::string& file) {
  return npy_numbers("a.npy", parse_npy_header("a.npy", file), file);
}

RawTable read_file_as_npy(const std::filesystem::path& path, const RunContext& run = {}) {
  return read_npy(InputBytes(path, 0), run);
}

TEST(Npy, all_number_types_become_doubles) {
  EXPECT_EQ(numbers_of(npy_of_type("<f8", "(2,)", bytes_of<double>({1.5, -2.25}))),
            (std::vector{1.5, -2.25}));
  EXPECT_EQ(numbers_of(npy_of_type("<f4", "(2,)", bytes_of<float>({1.5F, -2.25F}))),
            (std::vector{1.5, -2.25}));
  EXPECT_EQ(numbers_of(npy_of_type("|i1", "(2,)", bytes_of<std::int8_t>({-128, 127}))),
            (std::vector{-128.0, 127.0}));
  EXPECT_EQ(numbers_of(npy_of_type("|u1", "(2,)", bytes_of<std::uint8_t>({0, 255}))),
            (std::vector{0.0, 255.0}));
  EXPECT_EQ(numbers_of(npy_of_type("<i2", "(1,)", bytes_of<std::int16_t>({-2}))),
            (std::vector{-2.0}));
  EXPECT_EQ(numbers_of(npy_of_type("<u2", "(1,)", bytes_of<std::uint16_t>({65535}))),
            (std::vector{65535.0}));
  EXPECT_EQ(numbers_of(npy_of_type("<i4", "(1,)", bytes_of<std::int32_t>({-7}))),
            (std::vector{-7.0}));
  EXPECT_EQ(numbers_of(npy_of_type("<u4", "(1,)", bytes_of<std::uint32_t>({4294967295U}))),
            (std::vector{4294967295.0}));
  EXPECT_EQ(numbers_of(npy_of_type("|b1", "(3,)", std::string("\x00\x01\x05", 3))),
            (std::vector{0.0, 1.0, 1.0}));
  EXPECT_EQ(numbers_of(npy_of_type("?", "(1,)", "\x01")), (std::vector{1.0}));
}

TEST(Npy, integers_beyond_two_to_the_53_become_the_nearest_double) {
  const auto file = npy_of_type("<i8", "(2,)", bytes_of<std::int64_t>({9007199254740993, -1}));
  EXPECT_EQ(numbers_of(file), (std::vector{9007199254740992.0, -1.0}));
  const auto largest = bytes_of<std::uint64_t>({std::numeric_limits<std::uint64_t>::max()});
  EXPECT_EQ(numbers_of(npy_of_type("<u8", "(1,)", largest)), (std::vector{18446744073709551616.0}));
}

TEST(Npy, half_precision_has_subnormals_infinities_and_nan) {
  const auto values = numbers_of(npy_of_type(
      "<f2", "(7,)",
      bytes_of<std::uint16_t>({0x3C00, 0xC000, 0x0001, 0x7BFF, 0xFC00, 0x7E00, 0x8000})));
  EXPECT_EQ(values[0], 1.0);
  EXPECT_EQ(values[1], -2.0);
  EXPECT_EQ(values[2], std::ldexp(1.0, -24));
  EXPECT_EQ(values[3], 65504.0);
  EXPECT_EQ(values[4], -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(values[5]));
  EXPECT_TRUE(values[6] == 0 && std::signbit(values[6]));
}

TEST(Npy, big_endian_items_are_turned) {
  EXPECT_EQ(numbers_of(npy_of_type(">i2", "(2,)", std::string("\x01\x02\xff\xfe", 4))),
            (std::vector{258.0, -2.0}));
  EXPECT_EQ(numbers_of(npy_of_type(">f8", "(1,)", std::string("\x3f\xf8\0\0\0\0\0\0", 8))),
            (std::vector{1.5}));
}

TEST(Npy, header_keys_may_come_in_any_order_and_spacing) {
  const auto file =
      npy_file("{\"shape\":(2L,1) ,'fortran_order':True,'descr':'<f8'}", bytes_of<double>({1, 2}));
  const auto header = parse_npy_header("a.npy", file);
  EXPECT_EQ(header.shape, (std::vector<std::int64_t>{2, 1}));
  EXPECT_TRUE(header.fortran_order);
}

TEST(Npy, versions_2_and_3_have_longer_header_lengths) {
  const std::string dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }\n";
  for (const char version : {'\x02', '\x03'}) {
    std::string file("\x93NUMPY", 6);
    file += version;
    file += '\0';
    file += static_cast<char>(dictionary.size());
    file += std::string(3, '\0');
    file += dictionary + bytes_of<double>({4});
    EXPECT_EQ(numbers_of(file), std::vector{4.0});
  }
}

TEST(Npy, damaged_headers_are_refused_with_their_place) {
  const std::string good = npy_vector(std::vector<double>{1, 2});
  for (std::size_t size = 0; size < good.size(); ++size) {
    expect_error(ErrorCode::malformed_input, {"a.npy"},
                 [&] { (void)parse_npy_header("a.npy", good.substr(0, size)); });
  }
  for (const std::string dictionary :
       {"", "{", "{}", "{'descr': '<f8'}", "[1]", "{'descr': '<f8', 'shape': (1,)}",
        "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f8', 'fortran_order': 0, 'shape': (1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1.0,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} + x",
        "{'descr: '<f8', 'fortran_order': False, 'shape': (1,)}", "{'descr': '<f8, }"}) {
    expect_error(ErrorCode::malformed_input, {"a.npy", "broken npy header at byte"}, [&] {
      (void)parse_npy_header("a.npy", npy_file(dictionary, bytes_of<double>({1})));
    });
  }
}

TEST(Npy, wrong_lengths_name_expected_and_found_bytes) {
  expect_error(ErrorCode::malformed_input, {"a.npy", "16 bytes", "2 x 1", "has 8"}, [] {
    (void)parse_npy_header("a.npy", npy_of_type("<f8", "(2, 1)", bytes_of<double>({1})));
  });
  expect_error(ErrorCode::malformed_input, {"a.npy", "8 bytes", "has 9"}, [] {
    (void)parse_npy_header("a.npy", npy_of_type("<f8", "(1,)", bytes_of<double>({1}) + "x"));
  });
}

TEST(Npy, sizes_whose_product_overflows_are_refused) {
  for (const std::string shape : {"(4294967296, 4294967296)", "(9223372036854775807,)",
                                  "(2305843009213693952, 8)", "(1000000000000, 1)"}) {
    expect_error(ErrorCode::malformed_input, {"a.npy"}, [&] {
      (void)parse_npy_header("a.npy", npy_of_type("<f8", shape, std::string(64, 'x')));
    });
  }
}

TEST(Npy, types_that_are_no_numbers_are_refused_with_a_remedy) {
  for (const std::string type : {"|O", "<c16", "<c8", "<M8[ns]", "|V8", "<f16", "<i3", "<f", ""}) {
    expect_error(ErrorCode::malformed_input, {"a.npy", "save it as float64"}, [&] {
      (void)parse_npy_header("a.npy", npy_of_type(type, "(1,)", bytes_of<double>({1})));
    });
  }
  expect_error(ErrorCode::malformed_input, {"structured", "save it as float64"}, [] {
    (void)parse_npy_header("a.npy", npy_file("{'descr': [('a', '<f8')], 'fortran_order': False, "
                                             "'shape': (1,)}",
                                             bytes_of<double>({1})));
  });
  expect_error(ErrorCode::malformed_input, {"a.npy", "text", "save it as float64"},
               [] { (void)numbers_of(npy_of_type("<U1", "(2,)", std::string(8, 'a'))); });
}

TEST(ReadNpy, c_order_and_fortran_order_give_the_same_table) {
  const TemporaryFolder folder;
  const auto rows =
      folder.write("c.npy", npy_of_type("<f8", "(2, 3)", bytes_of<double>({1, 2, 3, 4, 5, 6})));
  const auto columns =
      folder.write("f.npy", npy_file("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }",
                                     bytes_of<double>({1, 4, 2, 5, 3, 6})));
  for (const auto& path : {rows, columns}) {
    const DenseMatrix matrix = dense(read_file_as_npy(path));
    ASSERT_EQ(matrix.n_samples(), 2);
    ASSERT_EQ(matrix.n_features(), 3);
    EXPECT_EQ(matrix(0, 2), 3);
    EXPECT_EQ(matrix(1, 0), 4);
  }
}

TEST(ReadNpy, tables_larger_than_a_tile_are_transposed_right) {
  constexpr std::int64_t kRows = 131;
  constexpr std::int64_t kColumns = 67;
  std::string data;
  for (std::int32_t i = 0; i < kRows * kColumns; ++i) data += bytes_of<std::int32_t>({i});
  const TemporaryFolder folder;
  const DenseMatrix matrix =
      dense(read_file_as_npy(folder.write("a.npy", npy_of_type("<i4", "(131, 67)", data))));
  for (Index row = 0; row < kRows; ++row) {
    for (Index column = 0; column < kColumns; ++column) {
      ASSERT_EQ(matrix(row, column), row * kColumns + column);
    }
  }
}

TEST(ReadNpy, a_vector_is_one_feature) {
  const TemporaryFolder folder;
  const DenseMatrix matrix =
      dense(read_file_as_npy(folder.write("a.npy", npy_vector(std::vector<double>{1, 2, 3}))));
  EXPECT_EQ(matrix.n_samples(), 3);
  EXPECT_EQ(matrix.n_features(), 1);
  EXPECT_EQ(matrix(2, 0), 3);
}

TEST(ReadNpy, other_numbers_of_dimensions_are_refused) {
  const TemporaryFolder folder;
  const auto cube = folder.write("cube.npy", npy_of_type("|u1", "(1, 2, 2)", "abcd"));
  expect_error(ErrorCode::malformed_input, {"cube.npy", "3 dimensions", "1 x 2 x 2", "reshape"},
               [&] { (void)read_file_as_npy(cube); });
  const auto scalar = folder.write("one.npy", npy_of_type("|u1", "()", "a"));
  expect_error(ErrorCode::malformed_input, {"one.npy", "0 dimensions"},
               [&] { (void)read_file_as_npy(scalar); });
}

TEST(ReadNpy, empty_tables_that_claim_huge_sides_are_refused) {
  const TemporaryFolder folder;
  const auto path = folder.write("a.npy", npy_of_type("<f8", "(0, 1000000000000)", ""));
  expect_error(ErrorCode::malformed_input, {"a.npy"}, [&] { (void)read_file_as_npy(path); });
}

TEST(ReadNpy, the_memory_limit_is_kept) {
  const TemporaryFolder folder;
  const auto path = folder.write("a.npy", npy_of_type("|u1", "(100, 10)", std::string(1000, 'x')));
  sfg::RunContext run;
  run.memory_limit = 7999;
  expect_error(ErrorCode::over_memory, {"a.npy"}, [&] { (void)read_file_as_npy(path, run); });
  run.memory_limit = 8000;
  EXPECT_EQ(dense(read_file_as_npy(path, run))(99, 9), 'x');
}

RC_GTEST_PROP(WriteNpy, what_is_written_reads_back_bit_by_bit, ()) {
  const auto n_rows = *rc::gen::inRange<Index>(0, 70);
  const auto n_columns = *rc::gen::inRange<Index>(0, 5);
  Dataset dataset;
  DenseMatrix matrix(n_rows, n_columns);
  const auto count = static_cast<std::size_t>(n_rows) * static_cast<std::size_t>(n_columns);
  const auto bits =
      *rc::gen::container<std::vector<std::uint64_t>>(count, rc::gen::arbitrary<std::uint64_t>());
  if (count > 0) std::memcpy(matrix.data(), bits.data(), count * sizeof(double));
  dataset.matrix = matrix;
  const TemporaryFolder folder;
  std::ostringstream out;
  write_npy(dataset, out);
  const DenseMatrix back = dense(read_file_as_npy(folder.write("a.npy", out.str())));
  RC_ASSERT(back.n_samples() == n_rows);
  RC_ASSERT(back.n_features() == n_columns);
  const bool is_equal =
      count == 0 || std::memcmp(back.data(), bits.data(), count * sizeof(double)) == 0;
  RC_ASSERT(is_equal);
}

TEST(WriteNpy, sparse_tables_are_written_with_their_zeros) {
  SparseMatrix sparse{3, 2, {0, 1, 2}, {2, 0}, {5, 7}};
  Dataset dataset;
  dataset.matrix = sparse;
  std::ostringstream out;
  write_npy(dataset, out);
  const TemporaryFolder folder;
  const DenseMatrix back = dense(read_file_as_npy(folder.write("a.npy", out.str())));
  EXPECT_EQ(back(2, 0), 5);
  EXPECT_EQ(back(0, 1), 7);
  EXPECT_EQ(back(0, 0), 0);
}

TEST(NpyWithPython, numpy_reads_what_we_write) {
  SFG_NEED_PYTHON(python, "numpy");
  const TemporaryFolder folder;
  folder.write("double.npy", npy_vector(std::vector<double>{1.5, -2}));
  folder.write("long.npy", npy_vector(std::vector<std::int64_t>{1, -2, 3}));
  folder.write("int.npy", npy_vector(std::vector<std::int32_t>{}));
  folder.write("text.npy",
               npy_texts(std::vector<std::string>{"gene", "", "\xce\xb1\xf0\x9f\xa7\xac"}));
  folder.write("none.npy", npy_texts({}));
  Dataset dataset;
  DenseMatrix matrix(2, 3);
  matrix(1, 2) = 6;
  dataset.matrix = matrix;
  std::ostringstream out;
  write_npy(dataset, out);
  folder.write("table.npy", out.str());
  expect_python_succeeds(python, folder, R"(
import numpy as np
a = np.load('double.npy'); assert a.dtype == np.dtype('<f8') and a.tolist() == [1.5, -2]
a = np.load('long.npy'); assert a.dtype == np.dtype('<i8') and a.tolist() == [1, -2, 3]
a = np.load('int.npy'); assert a.dtype == np.dtype('<i4') and a.shape == (0,)
assert np.load('text.npy').tolist() == ['gene', '', '\u03b1\U0001f9ec']
assert np.load('none.npy').shape == (0,)
a = np.load('table.npy'); assert a.shape == (2, 3) and a[1, 2] == 6 and a.sum() == 6
)");
}

TEST(NpyWithPython, we_read_what_numpy_writes) {
  SFG_NEED_PYTHON(python, "numpy");
  const TemporaryFolder folder;
  expect_python_succeeds(python, folder, R"(
import numpy as np
from numpy.lib import format
a = np.arange(12).reshape(3, 4) - 5
for t in ['f2', 'f4', 'f8', 'i1', 'i2', 'i4', 'i8', '>f2', '>f4', '>f8', '>i2', '>i4', '>i8']:
    for order in 'CF':
        np.save(f"{t.replace('>', 'big_')}_{order}.npy", np.asarray(a.astype(t), order=order))
for v in [(1, 0), (2, 0), (3, 0)]:
    with open(f'v{v[0]}_C.npy', 'wb') as f: format.write_array(f, a, version=v)
)");
  std::size_t n_files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    if (entry.path().extension() != ".npy") continue;
    ++n_files;
    const DenseMatrix matrix = dense(read_file_as_npy(entry.path()));
    ASSERT_EQ(matrix.n_samples(), 3) << entry.path();
    for (Index row = 0; row < 3; ++row) {
      for (Index column = 0; column < 4; ++column) {
        EXPECT_EQ(matrix(row, column), row * 4 + column - 5) << entry.path();
      }
    }
  }
  EXPECT_EQ(n_files, 29U);
}

}  // namespace
}  // namespace sfg::detail
