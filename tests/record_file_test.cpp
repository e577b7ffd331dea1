#include "io/record_file.hpp"

#include <gtest/gtest.h>

#include "helpers.hpp"

namespace sfg::detail {
namespace {

using sfg::testing::expect_error;
using sfg::testing::read_file;
using sfg::testing::TemporaryFolder;

const std::vector<std::string> kRecords{"first", std::string("a\nb\0c \n", 7), "", "last"};

class Records : public ::testing::Test {
 protected:
  TemporaryFolder folder_{sfg::testing::fast_place()};
  std::filesystem::path path_ = folder_ / "x.journal";

  void write_all() const {
    RecordFile file(path_);
    for (const std::string& record : kRecords) file.append(record);
  }
};

TEST_F(Records, come_back_byte_for_byte) {
  write_all();
  const auto contents = RecordFile(path_).read();
  EXPECT_EQ(contents.records, kRecords);
  EXPECT_EQ(contents.end(), contents.text.size());
}

TEST_F(Records, cut_off_anywhere_the_whole_ones_are_left) {
  write_all();
  const auto whole = RecordFile(path_).read();
  for (std::size_t length = 0; length < whole.text.size(); ++length) {
    folder_.write("x.journal", whole.text.substr(0, length));
    const auto contents = RecordFile(path_).read();
    const auto n_whole =
        std::ranges::count_if(whole.ends, [&](std::size_t end) { return end <= length; });
    EXPECT_EQ(contents.records.size(), static_cast<std::size_t>(n_whole)) << length;
  }
}

TEST_F(Records, any_changed_bit_is_noticed) {
  write_all();
  const auto whole = RecordFile(path_).read();
  for (std::size_t at = 0; at < whole.text.size(); ++at) {
    for (const char bit : {'\x01', '\x20', '\x40'}) {
      std::string text = whole.text;
      text[at] = static_cast<char>(text[at] ^ bit);
      folder_.write("x.journal", text);
      const auto contents = RecordFile(path_).read();
      ASSERT_LT(contents.records.size(), kRecords.size()) << at;
      for (std::size_t k = 0; k < contents.records.size(); ++k) {
        ASSERT_EQ(contents.records[k], kRecords[k]) << at;
      }
    }
  }
}

TEST_F(Records, follow_the_intact_ones_after_a_cut) {
  write_all();
  {
    RecordFile file(path_);
    file.cut(file.read().ends[1]);
    file.append("next");
  }
  EXPECT_EQ(RecordFile(path_).read().records,
            (std::vector<std::string>{kRecords[0], kRecords[1], "next"}));
}

TEST_F(Records, of_absurd_length_take_no_memory) {
  folder_.write("x.journal", "0123456789abcdef ffffffff x\n");
  EXPECT_TRUE(RecordFile(path_).read().records.empty());
}

TEST_F(Records, two_runs_do_not_write_to_one_file) {
  const RecordFile file(path_);
  expect_error(ErrorCode::cannot_write, {"x.journal", "another run"},
               [&] { const RecordFile other(path_); });
}

TEST_F(Records, a_place_that_cannot_be_written_to_is_told) {
  expect_error(ErrorCode::cannot_write, {"none", "permissions"},
               [&] { const RecordFile file(folder_ / "none/x.journal"); });
}

TEST_F(Records, the_file_is_gone_when_it_is_removed) {
  RecordFile file(path_);
  file.append("one");
  file.remove();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(Records, a_file_that_ends_before_its_first_one_is_told_from_another_file) {
  const std::string framed = RecordFile::framed("header");
  const auto ends_before = [&](const std::string& text) {
    folder_.write("x.journal", text);
    return RecordFile(path_).read().ends_before("header");
  };
  for (std::size_t length = 0; length < framed.size(); ++length) {
    EXPECT_TRUE(ends_before(framed.substr(0, length))) << length;
    // The power failed when the file had its size, but not yet all of its bytes.
    EXPECT_TRUE(ends_before(framed.substr(0, length) + std::string(30, '\0'))) << length;
  }
  EXPECT_FALSE(ends_before(framed));
  EXPECT_FALSE(ends_before("notes"));
  EXPECT_FALSE(ends_before(std::string(30, '\0') + "notes"));
  EXPECT_FALSE(ends_before(framed.substr(0, 5) + std::string(30, '\0') + "notes"));
}

}  // namespace
}  // namespace sfg::detail
