// Disk full, write errors at every call, inputs that fail or vanish, no memory: the documented exit
// code, a message that names the place, no partial output, and nothing that blocks the next run.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "faults.hpp"
#include "sampling.hpp"
#ifdef SFG_WITH_HDF5
#include "hdf5_maker.hpp"
#endif

namespace sfg {
namespace {

using testing::and_also;
using testing::FaultyPlace;
using testing::ProgramRun;
using Words = std::vector<std::string>;
using Outputs = std::map<std::string, std::string>;

constexpr int kCannotRead = 3;
constexpr int kCannotWrite = 7;
constexpr int kOverMemory = 8;

/// Writing calls of which one fails in its turn.
constexpr int kCallsPerFault = testing::kSampled ? 5 : 1;

struct Command {
  const char* name;
  Words words;
};

std::ostream& operator<<(std::ostream& out, const Command& command) {
  return out << command.name;
}

const std::vector<Command> kCommands{
    {"reduce", {"reduce", "in/data.csv", "-o", "out/r", "--journal-after", "0"}},
    {"graph", {"graph", "in/data.csv", "-o", "out/g.npz", "--journal-after", "0"}},
    {"graphml", {"graph", "in/data.csv", "-o", "out/g.graphml"}},
    {"experiment",
     {"experiment", "in/classes.csv", "--labels", "class", "--thetas", "0.5", "-m", "3", "--seeds",
      "1", "-o", "out/e", "--no-png"}},
    {"report", {"report", "in/data.csv", "-o", "out/page.html", "--journal-after", "0"}},
    {"convert_to_csv", {"convert", "in/data.csv", "out/c.csv"}},
    {"convert_to_npy", {"convert", "in/data.csv", "out/c.npy"}},
    {"convert_to_mat", {"convert", "in/data.csv", "out/c.mat"}},
    {"convert_to_mtx", {"convert", "in/data.csv", "out/c.mtx"}},
    {"convert_to_svmlight", {"convert", "in/data.csv", "out/c.svm"}},
    {"sweep", {"sweep", "in/data.csv", "-o", "out/s.tsv"}},
    {"synth", {"synth", "--samples", "5", "--features", "60", "-o", "out/t.csv"}},
};

class Faults : public ::testing::TestWithParam<Command> {
 protected:
  void SetUp() override {
    std::string header = "class";
    for (int j = 0; j < 90; ++j) header += fmt::format(",p{}", j);
    std::string table = header + "\n";
    unsigned state = 77;
    for (int i = 0; i < 24; ++i) {
      table += i % 2 == 0 ? "x" : "y";
      for (int j = 0; j < 90; ++j) {
        state = state * 1664525U + 1013904223U;
        table += fmt::format(",{}", (state >> 20U) + (i % 2 == j % 2 ? 900 : 0));
      }
      table += "\n";
    }
    place_.folder().write("in/classes.csv", table);
    // The same without the classes.
    std::string numbers;
    for (std::size_t at = 0; at < table.size();) {
      const std::size_t end = table.find('\n', at);
      const std::size_t comma = table.find(',', at);
      numbers += table.substr(comma + 1, end - comma);
      at = end + 1;
    }
    place_.folder().write("in/data.csv", numbers);
  }

  /// What the command writes when nothing goes wrong; out/ is empty afterwards.
  Outputs undisturbed(const Words& words) {
    const ProgramRun run = place_.without_fault(words);
    Outputs outputs = place_.outputs();
    possible_ = run.err.find("no report page") == std::string::npos &&
                run.err.find("built without") == std::string::npos;
    if (possible_) {
      EXPECT_EQ(run.status, 0) << run.err;
    }
    place_.clear_outputs();
    return outputs;
  }

  /// No part of an output: all of them as they should be, or none. A journal may be there.
  static void expect_all_or_none(Outputs found, const Outputs& expected) {
    std::erase_if(found, [](const auto& one) { return one.first.ends_with(".journal"); });
    if (!found.empty()) {
      EXPECT_EQ(found, expected);
    }
  }

  /// Fails every call in turn (of a sample: every fifth one). Returns how many there are.
  int fail_every_call(const Words& words, const std::string& kind) {
    const Outputs expected = undisturbed(words);
    if (!possible_) return 0;
    for (int at = 1;; at += kCallsPerFault) {
      SCOPED_TRACE(fmt::format("{} at call {}", kind, at));
      const auto [run, happened] = place_.with_fault(words, kind, at);
      expect_all_or_none(place_.outputs(), expected);
      if (!happened) {
        EXPECT_EQ(run.status, 0) << run.err;
        return at - 1;
      }
      if (run.status == 0) {
        // Only a journal may fail without consequences, and that is told.
        EXPECT_NE(run.err.find(".journal"), std::string::npos) << run.err;
        EXPECT_EQ(place_.outputs(), expected);
      } else {
        EXPECT_EQ(run.status, kCannotWrite) << run.err;
        EXPECT_TRUE(run.err.starts_with("sfg: ")) << run.err;
        EXPECT_NE(run.err.find("out"), std::string::npos) << run.err;
        const bool by_matio = words.back().ends_with(".mat");  // which does not tell the reason
        const char* reason = kind == "disk-full" ? "No space left" : "Input/output error";
        EXPECT_TRUE(by_matio || run.err.find(reason) != std::string::npos) << run.err;
      }
      if (kind == "bad-write") expect_next_run_works(words, expected);
      place_.clear_outputs();
      if (::testing::Test::HasFailure()) return at;
    }
  }

  /// The same command again, with nothing in its way but what the user asked for himself.
  void expect_next_run_works(Words words, const Outputs& expected) {
    Outputs left = place_.outputs();
    std::erase_if(left, [](const auto& one) { return one.first.ends_with(".journal"); });
    if (!left.empty()) words.push_back("--force");
    const ProgramRun run = place_.without_fault(words);
    EXPECT_EQ(run.status, 0) << run.err;
    expect_all_or_none(place_.outputs(), expected);
  }

  FaultyPlace place_;
  bool possible_ = true;
};

TEST_P(Faults, a_disk_that_is_full_from_any_call_on_ends_in_exit_code_7_and_no_partial_output) {
  const int calls = fail_every_call(GetParam().words, "disk-full");
  if (!possible_) GTEST_SKIP() << "not in this build";
  EXPECT_GE(calls, 4);
  RecordProperty("calls", calls);
}

TEST_P(Faults, a_single_error_at_any_writing_call_ends_in_exit_code_7_and_no_partial_output) {
  const int calls = fail_every_call(GetParam().words, "bad-write");
  if (!possible_) GTEST_SKIP() << "not in this build";
  EXPECT_GE(calls, 4);
  RecordProperty("calls", calls);
}

TEST_P(Faults, a_single_error_at_any_reading_call_is_told_or_does_no_harm) {
  const Words& words = GetParam().words;
  const Outputs expected = undisturbed(words);
  if (!possible_) GTEST_SKIP() << "not in this build";
  for (int at = 1;; ++at) {
    SCOPED_TRACE(at);
    const auto [run, happened] = place_.with_fault(words, "bad-read", at);
    RecordProperty("calls", at - 1);
    if (!happened) break;
    if (run.status == 0) {
      EXPECT_EQ(place_.outputs(), expected);  // another way to read it was found
    } else {
      EXPECT_EQ(run.status, kCannotRead) << run.err;
      EXPECT_NE(run.err.find("in/"), std::string::npos) << run.err;
      EXPECT_TRUE(place_.outputs().empty() || GetParam().name == std::string("experiment"));
    }
    place_.clear_outputs();
  }
}

TEST_P(Faults, an_input_that_shrinks_while_it_is_read_ends_in_exit_code_3) {
  const Words& words = GetParam().words;
  const std::string input = words[1];
  if (!input.starts_with("in/")) GTEST_SKIP() << "reads nothing";
  const std::string contents = testing::read_file(place_.folder() / input);
  undisturbed(words);
  if (!possible_) GTEST_SKIP() << "not in this build";
  // Long enough that half of it is pages beyond the end.
  std::string longer = contents;
  for (int k = 0; k < 20; ++k) longer += contents.substr(contents.find('\n') + 1);
  place_.folder().write(input, longer);
  const auto [run, happened] = place_.with_fault(words, "shrink", 1);
  ASSERT_TRUE(happened);
  EXPECT_EQ(run.status, kCannotRead) << run.err;
  EXPECT_NE(run.err.find(input), std::string::npos) << run.err;
  Outputs left = place_.outputs();
  std::erase_if(left, [](const auto& one) { return one.first.ends_with(".journal"); });
  EXPECT_TRUE(left.empty());
}

INSTANTIATE_TEST_SUITE_P(Commands, Faults, ::testing::ValuesIn(kCommands),
                         [](const auto& info) { return std::string(info.param.name); });

class MoreFaults : public Faults {};

TEST_F(MoreFaults, replaced_files_come_back_when_one_of_several_cannot_be_put_into_place) {
  const Words words{"reduce", "in/data.csv", "-o", "out/r", "--force"};
  const Words other = and_also(words, {"--n-features", "5"});
  ASSERT_EQ(place_.without_fault(words).status, 0);
  const Outputs now = place_.outputs();
  ASSERT_EQ(place_.without_fault(other).status, 0);
  const Outputs former = place_.outputs();
  for (int at = 1;; at += kCallsPerFault) {
    const auto [run, happened] = place_.with_fault(words, "bad-write", at);
    if (!happened) break;
    // What cannot be linked is kept in another way, and there is no error.
    ASSERT_TRUE(run.status == kCannotWrite || run.status == 0) << at << " " << run.err;
    if (run.err.find("flushed to disk") != std::string::npos) continue;
    ASSERT_EQ(place_.outputs(), run.status == 0 ? now : former) << at << " " << run.err;
    ASSERT_EQ(place_.without_fault(other).status, 0);
  }
  EXPECT_NE(place_.outputs(), former);
}

TEST_F(MoreFaults, a_full_standard_output_ends_in_exit_code_7) {
  for (const Words& words :
       {Words{"reduce", "in/data.csv", "--json"},
        Words{"graph", "in/data.csv", "--format", "edges", "-o", "-"},
        Words{"convert", "in/data.csv", "-", "--to", "csv"}, Words{"info", "in/data.csv"}}) {
    std::string line = "cd '" + place_.folder().path().string() + "' && '" SFG_PROGRAM "'";
    for (const std::string& word : words) line += " '" + word + "'";
    const int status = std::system((line + " > /dev/full 2> .stderr").c_str());
    EXPECT_EQ(WEXITSTATUS(status), kCannotWrite) << line;
    const std::string message = testing::read_file(place_.folder() / ".stderr");
    EXPECT_NE(message.find("standard output"), std::string::npos) << message;
  }
}

TEST_F(MoreFaults, inputs_that_are_not_there_or_may_not_be_read_end_in_exit_code_3) {
  place_.folder().write("in/secret.csv", "a,b\n1,2\n");
  std::filesystem::permissions(place_.folder() / "in/secret.csv", std::filesystem::perms::none);
  std::filesystem::create_directory(place_.folder() / "in/folder.csv");
  Words inputs{"in/none.csv", "in/folder.csv"};
  if (geteuid() != 0) inputs.push_back("in/secret.csv");  // nothing is secret to root
  for (const std::string& input : inputs) {
    for (const Command& command : kCommands) {
      Words words = command.words;
      if (!words[1].starts_with("in/")) continue;
      words[1] = input;
      const ProgramRun run = place_.without_fault(words);
      if (run.err.find("no report page") != std::string::npos) continue;
      EXPECT_EQ(run.status, kCannotRead) << command.name << " " << input << " " << run.err;
      EXPECT_NE(run.err.find(input), std::string::npos) << run.err;
    }
  }
}

/// Really full, not only said to be so.
class SmallDisk {
 public:
  explicit SmallDisk(std::filesystem::path folder) : folder_(std::move(folder)) {
    mounted_ = mount("size=48k") == 0;
  }
  ~SmallDisk() {
    if (mounted_) (void)!std::system(("umount '" + folder_.string() + "' 2> /dev/null").c_str());
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  [[nodiscard]] bool mounted() const { return mounted_; }
  [[nodiscard]] bool grow() const { return mount("remount,size=4m") == 0; }

 private:
  [[nodiscard]] int mount(const std::string& options) const {
    return std::system(
        ("mount -t tmpfs -o " + options + " none '" + folder_.string() + "' 2> /dev/null").c_str());
  }
  std::filesystem::path folder_;
  bool mounted_ = false;
};

TEST_F(MoreFaults, a_small_disk_that_gets_full_ends_in_exit_code_7_and_the_run_can_go_on) {
  ASSERT_EQ(place_
                .without_fault({"synth", "--samples", "30", "--features", "1500", "--seed", "3",
                                "-o", "in/wide.csv"})
                .status,
            0);
  const Words words{"graph", "in/wide.csv", "-o", "out/g.npz", "--journal-after", "0"};
  const Outputs expected = undisturbed(words);
  ASSERT_GT(expected.at("g.npz").size(), 50'000U);
  const SmallDisk disk(place_.folder() / "out");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small disk is not allowed here";
  const ProgramRun full = place_.without_fault(words);
  EXPECT_EQ(full.status, kCannotWrite) << full.err;
  EXPECT_NE(full.err.find("out/g.npz"), std::string::npos) << full.err;
  EXPECT_FALSE(place_.outputs().contains("g.npz"));
  for (const char* name : {"c.csv", "c.npy", "c.mat", "c.mtx", "c.svm"}) {
    const ProgramRun convert =
        place_.without_fault({"convert", "in/wide.csv", std::string("out/") + name});
    if (convert.err.find("built without") != std::string::npos) continue;
    EXPECT_EQ(convert.status, kCannotWrite) << convert.err;
    EXPECT_NE(convert.err.find(name), std::string::npos) << convert.err;
    EXPECT_FALSE(place_.outputs().contains(name));
  }
  ASSERT_TRUE(disk.grow());
  const ProgramRun resumed = place_.without_fault(and_also(words, {"--resume"}));
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(place_.outputs(), expected);
}

#ifdef SFG_WITH_HDF5

TEST_F(MoreFaults, a_disk_that_fails_while_an_h5ad_file_is_read_is_not_called_a_damaged_file) {
  testing::make_labelled(place_.folder() / "in/cells.h5ad");
  const Words words{"convert", "in/cells.h5ad", "out/c.csv"};
  const Outputs expected = undisturbed(words);
  for (int at = 1;; at += kCallsPerFault) {
    SCOPED_TRACE(at);
    const auto [run, happened] = place_.with_fault(words, "bad-read", at);
    if (!happened) break;
    if (run.status == 0) {
      EXPECT_EQ(place_.outputs(), expected);
    } else {
      EXPECT_EQ(run.status, kCannotRead) << run.err;
      EXPECT_NE(run.err.find("in/cells.h5ad"), std::string::npos) << run.err;
    }
    place_.clear_outputs();
  }
}

#endif

/// GLib ends the process that gets no thread.
TEST_F(MoreFaults, a_thread_that_is_refused_to_who_draws_a_png_ends_in_a_message) {
  const Words words{"stability", "in/data.csv", "--repeats", "2",
                    "--threads", "1",           "--plot",    "out/s.png"};
  if (place_.without_fault(words).err.find("librsvg") != std::string::npos) {
    GTEST_SKIP() << "built without PNG";
  }
  place_.clear_outputs();
  const Outputs expected = undisturbed(words);
  int refused = 0;
  for (int at = 1;; ++at) {
    SCOPED_TRACE(at);
    const auto [run, happened] = place_.with_fault(words, "bad-start", at);
    if (!happened) break;
    if (run.status == 0) {
      EXPECT_EQ(place_.outputs(), expected);
    } else {
      EXPECT_EQ(run.status, kCannotWrite) << run.err;
      EXPECT_NE(run.err.find("cannot be drawn as PNG"), std::string::npos) << run.err;
      EXPECT_TRUE(place_.outputs().empty());
      ++refused;
    }
    place_.clear_outputs();
  }
  EXPECT_GE(refused, 2);
}

TEST_F(MoreFaults, without_memory_the_exit_code_is_8_and_nothing_is_written) {
#ifdef SFG_ADDRESS_SANITIZED
  GTEST_SKIP() << "the address sanitizer takes all addresses for itself";
#endif
  ASSERT_EQ(place_
                .without_fault({"synth", "--samples", "60", "--features", "3000", "--seed", "3",
                                "-o", "in/wide.npy"})
                .status,
            0);
  const auto limited = [&](int megabytes, const Words& words) {
    place_.program().set_environment(
        fmt::format("OPENBLAS_NUM_THREADS=1 timeout 300 prlimit --as={}", megabytes * 1'000'000LL));
    return place_.program()(words);
  };
  // What the libraries need to be loaded at all is not up to us.
  int least = 40;
  while (least < 2000 && limited(least, {"--version"}).status != 0) least += 10;
  int refused = 0;
  for (const Words& words : {Words{"graph", "in/wide.npy", "-o", "out/g.npz", "--engine", "gram"},
                             Words{"convert", "in/wide.npy", "out/c.csv"},
                             Words{"reduce", "in/data.csv", "-o", "out/r"}}) {
    const Outputs expected = undisturbed(and_also(words, {"--threads", "2"}));
    for (const int more : {0, 2, 4, 8, 16, 32, 64}) {
      SCOPED_TRACE(fmt::format("{} with {} MB", words[0], least + more));
      const ProgramRun run = limited(least + more, and_also(words, {"--threads", "2"}));
      if (run.status != 0) {
        EXPECT_EQ(run.status, kOverMemory) << run.err;
        EXPECT_NE(run.err.find("memory"), std::string::npos) << run.err;
        EXPECT_TRUE(place_.outputs().empty());
        ++refused;
      } else {
        EXPECT_EQ(place_.outputs(), expected);
      }
      place_.clear_outputs();
    }
  }
  EXPECT_GE(refused, 3);
}

}  // namespace
}  // namespace sfg
