#include "read/npy_ranges.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <filesystem>

#include "helpers.hpp"
#include "sfg/read.hpp"

namespace sfg::detail {
namespace {

using sfg::testing::expect_error;
using sfg::testing::TemporaryFolder;

std::string npy_of(std::int64_t rows, std::int64_t columns, bool fortran_order) {
  const std::int64_t shape[] = {rows, columns};
  std::string file = npy_header("<i4", shape, fortran_order);
  for (std::int32_t k = 0; k < rows * columns; ++k) {
    file.append(reinterpret_cast<const char*>(&k), sizeof k);
  }
  return file;
}

RC_GTEST_PROP(NpyRanges, ranges_together_are_the_table_whichever_way_it_lies, ()) {
  const auto rows = *rc::gen::inRange<std::int64_t>(1, 9);
  const auto columns = *rc::gen::inRange<std::int64_t>(1, 150);
  TemporaryFolder folder;
  const auto path = folder.write("t.npy", npy_of(rows, columns, *rc::gen::arbitrary<bool>()));
  ReadOptions options;
  options.features_in_rows = *rc::gen::arbitrary<bool>();
  const auto whole = std::get<DenseMatrix>(read_dataset(path, options).matrix);
  const NpyRanges table(path, options, {});
  RC_ASSERT(table.n_samples() == whole.n_samples());
  RC_ASSERT(table.n_features() == whole.n_features());
  const auto width = *rc::gen::inRange<Index>(1, 80);
  for (Index first = 0; first < whole.n_features(); first += width) {
    const Index count = std::min(width, whole.n_features() - first);
    const DenseMatrix part = table.read(first, count, {});
    for (Index k = 0; k < count; ++k) {
      RC_ASSERT(std::ranges::equal(part.column(k), whole.column(first + k)));
    }
  }
}

TEST(NpyRanges, files_of_other_shape_size_or_numbers_have_other_fingerprints) {
  TemporaryFolder folder;
  const auto fingerprint = [&](const std::string& bytes) {
    return NpyRanges(folder.write("t.npy", bytes), {}, {}).fingerprint();
  };
  const std::string table = npy_of(40, 50, false);
  EXPECT_EQ(fingerprint(table), fingerprint(table));
  EXPECT_NE(fingerprint(table), fingerprint(npy_of(50, 40, false)));
  EXPECT_NE(fingerprint(table), fingerprint(npy_of(40, 50, true)));
  EXPECT_NE(fingerprint(table), fingerprint(npy_of(40, 51, false)));
  const std::size_t start = npy_of(1, 0, false).size();
  // A table of up to 64 KB is looked at everywhere.
  for (const std::size_t at : {start, start + 4001, table.size() - 1}) {
    std::string other = table;
    other[at] ^= 1;
    EXPECT_NE(fingerprint(table), fingerprint(other)) << at;
  }
}

TEST(NpyRanges, only_plain_tables_of_numbers_are_read_by_ranges) {
  TemporaryFolder folder;
  const auto path = folder.write("t.npy", npy_of(4, 5, false));
  EXPECT_TRUE(NpyRanges::can_read(path, {}));
  EXPECT_FALSE(NpyRanges::can_read(folder / "none.npy", {}));
  EXPECT_FALSE(NpyRanges::can_read("-", {.input_format = Format::npy}));
  EXPECT_FALSE(NpyRanges::can_read(folder.write("t.csv", "a,b\n1,2\n"), {}));
  EXPECT_FALSE(NpyRanges::can_read(path, {.labels = "y"}));
  EXPECT_FALSE(NpyRanges::can_read(path, {.columns = {"f1"}}));
  EXPECT_FALSE(NpyRanges::can_read(path, {.drop = {"f1"}}));
  const std::int64_t cube[] = {2, 2, 2};
  const auto bad = folder.write("b.npy", npy_header("<i4", cube, false) + std::string(32, '\0'));
  expect_error(ErrorCode::malformed_input, {"3 dimensions"},
               [&] { NpyRanges(bad, ReadOptions(), RunContext()); });
}

}  // namespace
}  // namespace sfg::detail
