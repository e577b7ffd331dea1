#include "io/zip.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <sstream>

#include "helpers.hpp"
#include "io/npy.hpp"
#include "python.hpp"

namespace sfg::detail {
namespace {

using sfg::testing::expect_error;
using sfg::testing::expect_python_succeeds;
using sfg::testing::read_file;
using sfg::testing::TemporaryFolder;

using Members = std::vector<std::pair<std::string, std::string>>;

std::string zip_of(const Members& members) {
  std::ostringstream out;
  write_zip(members, out);
  return out.str();
}

void expect_broken(const std::string& bytes, std::initializer_list<std::string_view> words) {
  expect_error(ErrorCode::malformed_input, words, [&] { (void)read_zip("a.npz", bytes, 0); });
}

void put(std::string& bytes, std::size_t place, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) {
    bytes.at(place + static_cast<std::size_t>(i)) = static_cast<char>((value >> (8 * i)) & 0xFF);
  }
}

/// Two members, "a" with "hello" and "b" with nothing. Offsets of the records:
constexpr std::size_t kLocalA = 0;
constexpr std::size_t kDirectory = 36 + 31;
constexpr std::size_t kDirectoryEntry = 47;
constexpr std::size_t kEnd = kDirectory + 2 * kDirectoryEntry;
std::string small_zip() {
  return zip_of({{"a", "hello"}, {"b", ""}});
}

RC_GTEST_PROP(Zip, what_is_written_reads_back,
              (const std::map<std::string, std::string>& members)) {
  RC_ASSERT(read_zip("a.npz", zip_of({members.begin(), members.end()}), 0) == members);
}

TEST(Zip, equal_members_give_equal_bytes) {
  EXPECT_EQ(small_zip(), small_zip());
}

TEST(Zip, an_archive_may_have_no_members) {
  EXPECT_TRUE(read_zip("a.npz", zip_of({}), 0).empty());
}

TEST(Zip, a_comment_at_the_end_does_no_harm) {
  std::string bytes = small_zip();
  put(bytes, kEnd + 20, 4, 2);
  EXPECT_EQ(read_zip("a.npz", bytes + "note", 0).at("a"), "hello");
}

TEST(Zip, every_truncation_is_refused) {
  const std::string bytes = small_zip();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    expect_broken(bytes.substr(0, size), {"a.npz", "end record"});
  }
}

TEST(Zip, damaged_contents_do_not_pass_the_checksum) {
  std::string bytes = small_zip();
  bytes.at(kLocalA + 31) = 'j';
  expect_broken(bytes, {"a.npz", "checksum", "'a'"});
}

TEST(Zip, no_single_changed_byte_crashes_or_changes_contents) {
  const std::string bytes = small_zip();
  const auto good = read_zip("a.npz", bytes, 0);
  for (std::size_t place = 0; place < bytes.size(); ++place) {
    for (const int change : {0x01, 0x80, 0xFF}) {
      std::string damaged = bytes;
      damaged[place] = static_cast<char>(damaged[place] ^ change);
      try {
        EXPECT_EQ(read_zip("a.npz", damaged, 0), good);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::malformed_input);
      }
    }
  }
}

TEST(Zip, offsets_and_sizes_outside_the_file_are_refused) {
  std::string bytes = small_zip();
  put(bytes, kDirectory + 42, 1000000, 4);
  expect_broken(bytes, {"'a'", "offset 1000000"});
  bytes = small_zip();
  put(bytes, kDirectory + 20, 100000, 4);
  put(bytes, kDirectory + 24, 100000, 4);
  expect_broken(bytes, {"'a'", "100000 bytes"});
  bytes = small_zip();
  put(bytes, kEnd + 16, 0xFFFFFFF0, 4);
  expect_broken(bytes, {"directory", "outside the file"});
  bytes = small_zip();
  put(bytes, kEnd + 10, 60000, 2);
  expect_broken(bytes, {"60000 members"});
}

TEST(Zip, members_that_share_bytes_are_refused) {
  std::string bytes = zip_of({{"a", "hello"}, {"a", ""}});
  put(bytes, kDirectory + kDirectoryEntry + 42, 0, 4);
  expect_broken(bytes, {"overlap"});
}

TEST(Zip, repeated_names_are_refused) {
  expect_broken(zip_of({{"a", "hello"}, {"a", ""}}), {"'a'", "twice"});
}

TEST(Zip, impossible_compression_is_refused_before_allocation) {
  std::string bytes = small_zip();
  put(bytes, kDirectory + 10, 8, 2);
  put(bytes, kDirectory + 24, 0xFFFFFFF0, 4);
  expect_broken(bytes, {"'a'", "cannot have 4294967280 bytes"});
}

TEST(Zip, other_methods_and_encryption_are_refused) {
  std::string bytes = small_zip();
  put(bytes, kDirectory + 10, 12, 2);
  expect_broken(bytes, {"'a'", "method 12"});
  bytes = small_zip();
  put(bytes, kDirectory + 8, 1, 2);
  expect_broken(bytes, {"'a'", "encrypted"});
}

TEST(Zip, the_memory_limit_is_kept) {
  expect_error(ErrorCode::over_memory, {"a.npz", "memory limit"},
               [] { (void)read_zip("a.npz", small_zip(), 4); });
  EXPECT_EQ(read_zip("a.npz", small_zip(), 5).size(), 2U);
}

TEST(ZipWithPython, zip64_archives_are_read) {
  SFG_NEED_PYTHON(python, "zipfile, zlib");
  const TemporaryFolder folder;
  expect_python_succeeds(python, folder, R"(
import zipfile
for name, method in [('stored', zipfile.ZIP_STORED), ('deflated', zipfile.ZIP_DEFLATED)]:
    with zipfile.ZipFile(name + '.zip', 'w', method) as z:
        with z.open('a.txt', 'w', force_zip64=True) as f: f.write(b'hello ' * 1000)
with zipfile.ZipFile('many.zip', 'w') as z:
    for i in range(70000): z.writestr(str(i), '')
)");
  for (const char* name : {"stored.zip", "deflated.zip"}) {
    const auto members = read_zip(name, read_file(folder / name), 0);
    EXPECT_EQ(members.at("a.txt").size(), 6000U);
  }
  EXPECT_EQ(read_zip("many.zip", read_file(folder / "many.zip"), 0).size(), 70000U);
  const std::string zip64 = read_file(folder / "many.zip");
  // The last 98 bytes are the three end records.
  for (std::size_t place = zip64.size() - 98; place < zip64.size(); place += 24) {
    std::string damaged = zip64;
    damaged[place] = static_cast<char>(damaged[place] ^ 0x81);
    try {
      (void)read_zip("many.zip", damaged, 0);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::malformed_input);
    }
  }
}

TEST(ZipWithPython, python_reads_archives_of_more_than_65535_members) {
  SFG_NEED_PYTHON(python, "zipfile");
  const TemporaryFolder folder;
  Members members;
  for (int i = 0; i < 70000; ++i) members.emplace_back(std::to_string(i), "");
  const std::string bytes = zip_of(members);
  EXPECT_EQ(read_zip("many.zip", bytes, 0).size(), 70000U);
  folder.write("many.zip", bytes);
  expect_python_succeeds(python, folder, R"(
import zipfile
assert len(zipfile.ZipFile('many.zip').namelist()) == 70000
)");
}

TEST(ZipWithPython, we_read_what_numpy_saves_packed_and_unpacked) {
  SFG_NEED_PYTHON(python, "numpy");
  const TemporaryFolder folder;
  expect_python_succeeds(python, folder, R"(
import numpy as np
a = np.arange(1000.); b = np.array(['x', 'yy'])
np.savez('plain.npz', a=a, b=b)
np.savez_compressed('packed.npz', a=a, b=b)
)");
  for (const char* name : {"plain.npz", "packed.npz"}) {
    const auto members = read_zip(name, read_file(folder / name), 0);
    ASSERT_EQ(members.size(), 2U);
    const std::string& array = members.at("a.npy");
    const auto numbers = npy_numbers("a", parse_npy_header("a", array), array);
    ASSERT_EQ(numbers.size(), 1000U);
    EXPECT_EQ(numbers[999], 999);
    EXPECT_EQ(parse_npy_header("b", members.at("b.npy")).kind, 'U');
  }
  std::string packed = read_file(folder / "packed.npz");
  for (std::size_t place = 0; place < packed.size(); place += 7) {
    std::string damaged = packed;
    damaged[place] = static_cast<char>(damaged[place] ^ 0x55);
    try {
      (void)read_zip("packed.npz", damaged, 0);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::malformed_input);
    }
  }
}

TEST(ZipWithPython, scipy_reads_a_sparse_matrix_that_we_write) {
  SFG_NEED_PYTHON(python, "numpy, scipy.sparse");
  const TemporaryFolder folder;
  std::string format = npy_header("|S3", {}, false) + "csc";
  const std::string bytes = zip_of({{"indices.npy", npy_vector(std::vector<std::int32_t>{2, 0})},
                                    {"indptr.npy", npy_vector(std::vector<std::int32_t>{0, 1, 2})},
                                    {"format.npy", format},
                                    {"shape.npy", npy_vector(std::vector<std::int64_t>{3, 2})},
                                    {"data.npy", npy_vector(std::vector<double>{5, 7})}});
  folder.write("sparse.npz", bytes);
  expect_python_succeeds(python, folder, R"(
import scipy.sparse, numpy as np
m = scipy.sparse.load_npz('sparse.npz')
assert m.format == 'csc' and m.toarray().tolist() == [[0, 7], [0, 0], [5, 0]]
assert sorted(np.load('sparse.npz').files) == ['data', 'format', 'indices', 'indptr', 'shape']
)");
}

}  // namespace
}  // namespace sfg::detail
