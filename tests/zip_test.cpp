#include "io/zip.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>

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
  return write_zip({{"a", "hello"}, {"b", ""}});
}

RC_GTEST_PROP(Zip, what_is_written_reads_back,
              (const std::map<std::string, std::string>& members)) {
  // libzip has C strings for names.
  for (const auto& [name, contents] : members) RC_PRE(name.find('\0') == std::string::npos);
  RC_ASSERT(read_zip("a.npz", write_zip({members.begin(), members.end()}), 0) == members);
}

TEST(Zip, names_may_have_slashes_blanks_and_letters_of_any_script) {
  const std::map<std::string, std::string> members{{"a/b/c.npy", "1"},
                                                   {"a/", "2"},
                                                   {"/a", "3"},
                                                   {"../a", "4"},
                                                   {"\xce\xb1 \xf0\x9f\xa7\xac", "5"},
                                                   {"\xff", "6"},
                                                   {" ", "7"},
                                                   {"", "8"}};
  EXPECT_EQ(read_zip("a.npz", write_zip({members.begin(), members.end()}), 0), members);
}

TEST(Zip, names_that_the_format_cannot_hold_are_refused) {
  for (const std::string& name : {std::string(65536, 'a'), std::string("a\0b", 3)}) {
    expect_error(ErrorCode::cannot_write, {"name", "NUL"}, [&] { (void)write_zip({{name, ""}}); });
  }
  expect_error(ErrorCode::cannot_write, {"'a'", "twice"}, [] {
    (void)write_zip({{"a", "hello"}, {"a", ""}});
  });
}

TEST(Zip, equal_members_give_equal_bytes) {
  EXPECT_EQ(small_zip(), small_zip());
}

TEST(Zip, an_archive_may_have_no_members) {
  EXPECT_TRUE(read_zip("a.npz", write_zip({}), 0).empty());
}

TEST(Zip, a_comment_at_the_end_does_no_harm) {
  std::string bytes = small_zip();
  put(bytes, kEnd + 20, 4, 2);
  EXPECT_EQ(read_zip("a.npz", bytes + "note", 0).at("a"), "hello");
}

// Two archives in one file: some readers would see the one, some the other.
TEST(Zip, a_comment_that_holds_another_end_record_is_refused) {
  const std::string inner = write_zip({{"a", "other"}, {"b", ""}});
  for (const std::string& comment : {inner, inner.substr(kEnd), "x" + inner.substr(kEnd)}) {
    std::string bytes = small_zip();
    put(bytes, kEnd + 20, comment.size(), 2);
    expect_broken(bytes + comment, {"a.npz", "another end record"});
  }
}

TEST(Zip, a_comment_with_the_signature_of_an_end_record_does_no_harm) {
  for (const std::string& comment :
       {std::string("PK\x05\x06"), "PK\x05\x06" + std::string(40, '\0'), small_zip() + "x"}) {
    std::string bytes = small_zip();
    put(bytes, kEnd + 20, comment.size(), 2);
    EXPECT_EQ(read_zip("a.npz", bytes + comment, 0).at("a"), "hello");
  }
}

TEST(Zip, a_member_that_is_an_archive_is_a_member) {
  const std::string bytes = write_zip({{"inner.zip", small_zip()}});
  EXPECT_EQ(read_zip("a.npz", bytes, 0).at("inner.zip"), small_zip());
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
  expect_broken(bytes, {"a.npz", "CRC", "'a'"});
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
  expect_broken(bytes, {"a.npz"});
  bytes = small_zip();
  put(bytes, kDirectory + 20, 100000, 4);
  put(bytes, kDirectory + 24, 100000, 4);
  expect_broken(bytes, {"a.npz"});
  bytes = small_zip();
  put(bytes, kEnd + 16, 0xFFFFFFF0, 4);
  expect_broken(bytes, {"a.npz"});
  bytes = small_zip();
  put(bytes, kEnd + 10, 60000, 2);
  expect_broken(bytes, {"a.npz"});
}

TEST(Zip, members_that_share_bytes_are_refused) {
  std::string bytes = small_zip();
  put(bytes, kDirectory + kDirectoryEntry + 42, 0, 4);
  expect_broken(bytes, {"do not fit each other"});
  // The whole of "b" inside the data of "a", each with an entry of its own in the directory.
  const std::string inner = write_zip({{"b", std::string(1000, 'x')}});
  const std::size_t member_size = 31 + 1000;
  const std::string outer = write_zip({{"a", inner.substr(0, member_size)}});
  const std::size_t directory = 31 + member_size;
  std::string entry = inner.substr(member_size, kDirectoryEntry);
  put(entry, 42, 31, 4);
  std::string end = outer.substr(directory + kDirectoryEntry);
  put(end, 8, 2, 2);
  put(end, 10, 2, 2);
  put(end, 12, 2 * kDirectoryEntry, 4);
  expect_broken(outer.substr(0, directory + kDirectoryEntry) + entry + end, {"overlap"});
}

TEST(Zip, repeated_names_are_refused) {
  std::string bytes = small_zip();
  for (char& c : bytes) c = c == 'b' ? 'a' : c;
  expect_broken(bytes, {"two members have the same name"});
}

TEST(Zip, impossible_compression_is_refused_before_allocation) {
  std::string bytes = small_zip();
  for (const std::size_t header : {kLocalA + 4, kDirectory + 6}) {
    put(bytes, header + 4, 8, 2);
    put(bytes, header + 18, 0xFFFFFFF0, 4);
  }
  expect_broken(bytes, {"'a'", "cannot have 4294967280 bytes"});
}

TEST(Zip, other_methods_and_encryption_are_refused) {
  std::string bytes = small_zip();
  put(bytes, kLocalA + 8, 12, 2);
  put(bytes, kDirectory + 10, 12, 2);
  expect_broken(bytes, {"'a'", "method 12"});
  bytes = small_zip();
  put(bytes, kLocalA + 6, 1, 2);
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

// 0.3 MB that are 300 MB.
TEST(ZipWithPython, a_bomb_is_refused_before_memory_is_taken) {
  SFG_NEED_PYTHON(python, "zipfile, zlib");
  const TemporaryFolder folder;
  expect_python_succeeds(python, folder, R"(
import zipfile
with zipfile.ZipFile('bomb.npz', 'w', zipfile.ZIP_DEFLATED) as z:
    with z.open('data.npy', 'w') as f:
        for i in range(300): f.write(bytes(1000000))
)");
  const std::string bytes = read_file(folder / "bomb.npz");
  ASSERT_LT(bytes.size(), 400000U);
  expect_error(ErrorCode::over_memory, {"bomb.npz", "300 MB", "memory limit"},
               [&] { (void)read_zip("bomb.npz", bytes, 100'000'000); });
  // The same with a size that lies: it stops at the size.
  std::string lying = bytes;
  const std::size_t directory = lying.rfind("PK\x01\x02");
  put(lying, directory + 24, 1000, 4);
  put(lying, 22, 1000, 4);
  expect_error(ErrorCode::malformed_input, {"bomb.npz", "data.npy"},
               [&] { (void)read_zip("bomb.npz", lying, 100'000'000); });
}

TEST(ZipWithPython, python_reads_archives_of_more_than_65535_members) {
  SFG_NEED_PYTHON(python, "zipfile");
  const TemporaryFolder folder;
  Members members;
  for (int i = 0; i < 70000; ++i) members.emplace_back(std::to_string(i), "");
  const std::string bytes = write_zip(members);
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
  const std::string bytes =
      write_zip({{"indices.npy", npy_vector(std::vector<std::int32_t>{2, 0})},
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
