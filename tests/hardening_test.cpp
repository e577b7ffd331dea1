// What the compiler and the linker were told to put into the programs, read from the programs.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

#include "helpers.hpp"
#include "program.hpp"

#ifdef SFG_HARDENED

namespace sfg {
namespace {

using testing::read_file;

/// A program as it lies on the disk.
class ElfFile {
 public:
  explicit ElfFile(const std::string& path) : bytes_(read_file(path)) {
    header_ = at<Elf64_Ehdr>(0);
  }

  [[nodiscard]] const Elf64_Ehdr& header() const { return header_; }

  /// The part of this type; type PT_NULL if there is none.
  [[nodiscard]] Elf64_Phdr part(Elf64_Word type) const {
    for (unsigned k = 0; k < header_.e_phnum; ++k) {
      const auto one = at<Elf64_Phdr>(header_.e_phoff + k * sizeof(Elf64_Phdr));
      if (one.p_type == type) return one;
    }
    return {};
  }

  /// A value of the dynamic section, 0 if there is none.
  [[nodiscard]] Elf64_Xword dynamic(Elf64_Sxword tag) const {
    const Elf64_Phdr table = part(PT_DYNAMIC);
    for (std::size_t k = 0; k < table.p_filesz / sizeof(Elf64_Dyn); ++k) {
      const auto entry = at<Elf64_Dyn>(table.p_offset + k * sizeof(Elf64_Dyn));
      if (entry.d_tag == tag) return entry.d_un.d_val;
    }
    return 0;
  }

  /// Whether it asks the C library for a function.
  [[nodiscard]] bool needs(const std::string& function) const {
    return bytes_.find('\0' + function + '\0') != std::string::npos;
  }

 private:
  template <typename T>
  [[nodiscard]] T at(std::size_t place) const {
    T value{};
    if (place + sizeof(T) <= bytes_.size()) std::memcpy(&value, bytes_.data() + place, sizeof(T));
    return value;
  }

  std::string bytes_;
  Elf64_Ehdr header_{};
};

class HardenedProgram : public ::testing::Test {
 protected:
  const ElfFile file_{SFG_PROGRAM};
};

TEST_F(HardenedProgram, can_lie_anywhere_in_memory) {
  EXPECT_EQ(file_.header().e_type, ET_DYN);
  EXPECT_NE(file_.dynamic(DT_FLAGS_1) & DF_1_PIE, 0U);
}

TEST_F(HardenedProgram, resolves_all_functions_at_its_start_and_then_locks_their_table) {
  EXPECT_EQ(file_.part(PT_GNU_RELRO).p_type, static_cast<Elf64_Word>(PT_GNU_RELRO));
  EXPECT_NE(file_.dynamic(DT_FLAGS) & DF_BIND_NOW, 0U);
  EXPECT_NE(file_.dynamic(DT_FLAGS_1) & DF_1_NOW, 0U);
}

TEST_F(HardenedProgram, runs_no_data_as_code) {
  const Elf64_Phdr stack = file_.part(PT_GNU_STACK);
  EXPECT_EQ(stack.p_type, static_cast<Elf64_Word>(PT_GNU_STACK));
  EXPECT_EQ(stack.p_flags & PF_X, 0U);
}

TEST_F(HardenedProgram, notices_an_overwritten_stack) {
  EXPECT_TRUE(file_.needs("__stack_chk_fail"));
}

#ifndef SFG_DEBUG_BUILD
TEST_F(HardenedProgram, checks_sizes_of_buffers_that_the_compiler_knows) {
  // memcpy and memset into fields, read and snprintf into arrays: some of them cannot be proved.
  EXPECT_TRUE(file_.needs("__memcpy_chk") || file_.needs("__read_chk") ||
              file_.needs("__snprintf_chk"));
}
#endif

}  // namespace
}  // namespace sfg

#endif
