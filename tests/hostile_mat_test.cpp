// MAT files that claim more than they hold: refused before matio takes the memory.
#ifdef SFG_WITH_MAT

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "helpers.hpp"
#include "sfg/error.hpp"
#include "sfg/read.hpp"

namespace sfg {
namespace {

using testing::expect_error;
using testing::TemporaryFolder;

std::string number32(std::uint32_t value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

/// A MAT file with one variable of this class; `contents` follow its flags.
std::string mat_of_class(std::uint32_t array_class, const std::string& contents) {
  std::string header = "MATLAB 5.0 MAT-file";
  header.resize(124, ' ');
  header += std::string("\0\1IM", 4);
  const std::string variable =
      number32(6) + number32(8) + number32(array_class) + number32(0) + contents;
  return header + number32(14) + number32(static_cast<std::uint32_t>(variable.size())) + variable;
}

// Variables of a class that we did not know were skipped without a look; matio took the memory that
// their dimensions asked for, 2 GB for a file of 576 bytes.
TEST(LyingMatFile, of_an_unknown_class_or_a_function_is_refused_before_matio_sees_it) {
  const TemporaryFolder folder;
  const auto read = [&](std::uint32_t array_class, const std::string& contents) {
    (void)read_dataset(folder.write("x.mat", mat_of_class(array_class, contents)), {});
  };
  const std::string gigabyte = number32(5) + number32(1U << 30U) + std::string(64, '\1');
  expect_error(ErrorCode::malformed_input, {"x.mat", "class 39 is unknown"},
               [&] { read(39, gigabyte); });
  for (const std::uint32_t array_class : {6U, 16U, 17U}) {
    expect_error(ErrorCode::malformed_input, {"x.mat", "broken MAT file: variable 1"},
                 [&] { read(array_class, gigabyte); });
  }
}

// Found by fuzz_mat5: matio looks for the name of an object further on, and takes the memory that
// the bytes there ask for.
TEST(LyingMatFile, an_object_without_name_is_refused) {
  const TemporaryFolder folder;
  const std::string dimensions = number32(5) + number32(8) + number32(1) + number32(3);
  const auto path = folder.write(
      "x.mat", mat_of_class(17, dimensions + number32(1) + number32(1U << 30U) + number32(0)));
  expect_error(ErrorCode::malformed_input, {"x.mat", "name is not where it should be"},
               [&] { (void)read_dataset(path, {}); });
}

/// A whole element, or a variable, of a MAT file.
std::string mat_element(std::uint32_t type, const std::string& contents) {
  const std::string padding((8 - contents.size() % 8) % 8, '\0');
  return number32(type) + number32(static_cast<std::uint32_t>(contents.size())) + contents +
         padding;
}

std::string mat_variable(std::uint32_t flags, std::uint32_t rows, std::uint32_t columns,
                         const std::string& name, const std::string& data) {
  return mat_element(14, mat_element(6, number32(flags) + number32(0)) +
                             mat_element(5, number32(rows) + number32(columns)) +
                             mat_element(1, name) + data);
}

std::string mat_header() {
  return mat_of_class(0, "").substr(0, 128);
}

// Found by fuzz_mat5: 3 GB of empty texts for a file of 576 bytes.
TEST(LyingMatFile, many_rows_without_characters_are_no_texts) {
  const TemporaryFolder folder;
  const std::string rows = mat_variable(0x0804, 100'000'000, 0, "", mat_element(16, "a"));
  std::string numbers(16, '\0');
  numbers.back() = '\x40';
  const auto path =
      folder.write("x.mat", mat_header() + mat_variable(6, 2, 1, "X", mat_element(9, numbers)) +
                                mat_variable(1, 1, 1, "names", rows));
  EXPECT_EQ(read_dataset(path, {}).feature_names, std::vector<std::string>{"f0"});
}

// Found by fuzz_mat5: matio reads on in the middle of a number, 1 GB for a file of 472 bytes.
TEST(LyingMatFile, rows_of_a_sparse_matrix_that_end_within_a_number_are_refused) {
  const TemporaryFolder folder;
  const std::string data = mat_element(5, std::string(41, '\1')) +
                           mat_element(5, std::string(16, '\0')) +
                           mat_element(9, std::string(88, '\1'));
  const auto path = folder.write("x.mat", mat_header() + mat_variable(5, 4, 3, "X", data));
  expect_error(ErrorCode::malformed_input, {"x.mat", "sparse rows are not 32-bit numbers"},
               [&] { (void)read_dataset(path, {}); });
}

TEST(LyingMatFile, characters_that_are_not_there_are_refused) {
  const TemporaryFolder folder;
  const auto path = folder.write(
      "x.mat", mat_header() + mat_variable(4, 1, 100'000'000, "names", mat_element(16, "ab")));
  expect_error(ErrorCode::malformed_input, {"x.mat", "promise 100000000 characters, it has 2"},
               [&] { (void)read_dataset(path, {}); });
}

// Found by fuzz_mat5: 52 GB for a file of 368 bytes.
TEST(LyingMatFile, a_function_of_more_items_than_the_file_has_bytes_is_refused) {
  const TemporaryFolder folder;
  const std::string dimensions = number32(5) + number32(8) + number32(1U << 30U) + number32(4);
  const std::string name = number32(1) + number32(1) + std::string("f\0\0\0\0\0\0\0", 8);
  const auto path =
      folder.write("x.mat", mat_of_class(16, dimensions + name + std::string(64, '\1')));
  expect_error(ErrorCode::malformed_input, {"x.mat", "a function lacks some of its items"},
               [&] { (void)read_dataset(path, {}); });
}

}  // namespace
}  // namespace sfg

#endif
