// 'sfg stability' as a script sees it: files, JSON, interruptions.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "program.hpp"

namespace sfg {
namespace {

using testing::Program;
using testing::ProgramRun;
using testing::read_file;
using testing::TemporaryFolder;

class StabilityCommandLine : public ::testing::Test {
 protected:
  StabilityCommandLine() {
    EXPECT_EQ(sfg_({"synth", "-o", "t.csv", "--samples", "60", "--features", "40"}).status, 0);
    std::filesystem::remove(folder_ / "t.truth.tsv");
  }

  [[nodiscard]] ProgramRun stability(std::vector<std::string> more) const {
    std::vector<std::string> words{"stability", "t.csv"};
    words.insert(words.end(), more.begin(), more.end());
    return sfg_(words);
  }

  [[nodiscard]] bool is_there(const std::string& name) const {
    return std::filesystem::exists(folder_ / name);
  }

  TemporaryFolder folder_;
  Program sfg_{folder_};
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST_F(StabilityCommandLine, tells_in_words_and_in_one_json_document) {
  const ProgramRun run = stability({"--repeats", "4"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("4 halves of 30 samples keep"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("no sample shared"), std::string::npos);
  const auto document = stability({"--repeats", "4", "--json"}).json();
  EXPECT_EQ(document.at("command"), "stability");
  EXPECT_EQ(document.at("n_kept_by_repeat").size(), 4U);
  EXPECT_EQ(document.at("samples_seen"), 30);
  EXPECT_TRUE(document.at("agreement").at("index").is_number());
  EXPECT_TRUE(document.at("seconds").contains("repeats"));
  EXPECT_TRUE(document.at("output").is_null());
  EXPECT_EQ(sfg_.files(), std::vector<std::string>{"t.csv"});
}

TEST_F(StabilityCommandLine, writes_shares_and_no_journal_is_left) {
  ASSERT_EQ(stability({"--repeats", "4", "-o", "out"}).status, 0);
  EXPECT_EQ(sfg_.files(), (std::vector<std::string>{"out.stability.tsv", "t.csv"}));
  EXPECT_TRUE(read_file(folder_ / "out.stability.tsv")
                  .starts_with("feature\tkept\tstable\tkept_share\tfamily_share\tfamily_chance\t"));
  EXPECT_EQ(stability({"--repeats", "4", "-o", "out"}).status, 7);
  EXPECT_EQ(stability({"--repeats", "4", "-o", "-"}).out, read_file(folder_ / "out.stability.tsv"));
}

TEST_F(StabilityCommandLine, writes_what_is_stable_as_a_list_and_as_a_table) {
  ASSERT_EQ(stability({"--repeats", "4", "--stable", "1", "-o", "out"}).status, 0);
  const auto names = lines_of(read_file(folder_ / "out.stable.txt"));
  ASSERT_FALSE(names.empty());
  std::string heading = lines_of(read_file(folder_ / "out.reduced.csv")).front();
  for (const std::string& name : names) EXPECT_NE(heading.find(name), std::string::npos);
  EXPECT_EQ(std::ranges::count(heading, ',') + 1, static_cast<std::ptrdiff_t>(names.size()));
  const auto document = stability({"--repeats", "4", "--stable", "1", "--json"}).json();
  EXPECT_EQ(document.at("stable").get<std::vector<std::string>>(), names);
  for (const auto& one : document.at("features")) {
    const bool is_stable = one.at("kept") && one.at("family_share") == 1.0;
    EXPECT_EQ(one.at("stable"), is_stable);
  }
}

TEST_F(StabilityCommandLine, draws_the_shares) {
  ASSERT_EQ(stability({"--repeats", "2", "--plot", "p.svg"}).status, 0);
  EXPECT_NE(read_file(folder_ / "p.svg").find("t: stability of "), std::string::npos);
  const bool with_png = sfg_({"--version", "--json"}).out.find("\"png\"") != std::string::npos;
  EXPECT_EQ(stability({"--repeats", "2", "--plot", "p.png"}).status, with_png ? 0 : 2);
  if (with_png) {
    EXPECT_TRUE(read_file(folder_ / "p.png").starts_with("\x89PNG\r\n"));
  }
  EXPECT_EQ(stability({"--repeats", "2", "--plot", "p.jpg"}).status, 2);
}

/// Starts a run that would take days, ends it by a signal as soon as it has kept a repeat, and
/// returns its exit status. Shells have programs in the background ignore SIGINT: `env` undoes
/// that.
int end_stability(const TemporaryFolder& folder, const std::string& signal) {
  folder.write("end.sh",
               "cd \"$(dirname \"$0\")\"\nenv --default-signal '" SFG_PROGRAM
               "' stability t.csv --repeats 1000000 -o out > /dev/null 2> .stderr &\npid=$!\n"
               "until grep -q repeat out.journal 2> /dev/null || ! kill -0 $pid 2> /dev/null; "
               "do :; done\nkill -" +
                   signal + " $pid\nwait $pid\n");
  const int status = std::system(("bash '" + (folder / "end.sh").string() + "'").c_str());
  std::filesystem::remove(folder / "end.sh");
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(StabilityCommandLine, interrupted_or_killed_it_goes_on_to_the_same_bytes) {
  ASSERT_EQ(stability({"--repeats", "6", "-o", "whole"}).status, 0);
  for (const auto& [signal, status] : {std::pair("INT", 130), std::pair("KILL", 128 + 9)}) {
    EXPECT_EQ(end_stability(folder_, signal), status);
    ASSERT_TRUE(is_there("out.journal"));
    EXPECT_FALSE(is_there("out.stability.tsv"));
    const ProgramRun resumed = stability({"--repeats", "6", "-o", "out"});
    ASSERT_EQ(resumed.status, 0) << resumed.err;
    EXPECT_NE(resumed.err.find("of an earlier run are not run again"), std::string::npos);
    EXPECT_EQ(read_file(folder_ / "out.stability.tsv"), read_file(folder_ / "whole.stability.tsv"));
    EXPECT_FALSE(is_there("out.journal"));
    std::filesystem::remove(folder_ / "out.stability.tsv");
  }
}

TEST_F(StabilityCommandLine, a_journal_has_a_place_of_its_own_if_told_so) {
  folder_.write("j", "something else\n");
  const ProgramRun run = stability({"--repeats", "2", "--journal", "j"});
  EXPECT_EQ(run.status, 5) << run.err;
  EXPECT_NE(run.err.find("j: "), std::string::npos);
  EXPECT_EQ(stability({"--repeats", "2", "--journal", "j", "--force"}).status, 0);
  EXPECT_FALSE(is_there("j"));
}

TEST_F(StabilityCommandLine, options_of_the_method_count) {
  const auto document = stability({"--repeats", "4", "--n-features", "9", "--json"}).json();
  EXPECT_EQ(document.at("n_kept_by_repeat").dump(), "[9,9,9,9]");
  const auto pairwise = stability({"--repeats", "4", "--max-r2", "0.5", "--json"}).json();
  EXPECT_EQ(pairwise.at("grouping"), "pairwise");
  EXPECT_EQ(stability({"--repeats", "2", "--target", "x01"}).status, 0);
}

TEST_F(StabilityCommandLine, halves_that_are_too_small_to_be_judged_are_told) {
  ASSERT_EQ(sfg_({"synth", "-o", "few.csv", "--samples", "40", "--features", "40"}).status, 0);
  const auto noted = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"stability", "few.csv", "--repeats", "2"});
    return sfg_(more).err.find("--resample bootstrap") != std::string::npos;
  };
  EXPECT_TRUE(noted({}));
  EXPECT_TRUE(noted({"--same-number"}));
  EXPECT_FALSE(noted({"--resample", "bootstrap"}));
  EXPECT_FALSE(noted({"--n-features", "5"}));
  EXPECT_FALSE(noted({"--max-r2", "0.5"}));
}

TEST_F(StabilityCommandLine, wrong_usage_and_inputs_are_told_without_leaving_a_file) {
  folder_.write("few.csv", "a,b,c\n1,2,3\n2,4,1\n3,1,2\n4,2,2\n5,9,1\n");
  folder_.write("one.csv", "a\n1\n2\n3\n4\n5\n6\n7\n8\n");
  struct Case {
    std::vector<std::string> words;
    int status;
  };
  for (const Case& one : {Case{{"t.csv", "--repeats", "0"}, 2},
                          {{"t.csv", "--repeats", "3"}, 2},
                          {{"t.csv", "--repeats", "-2"}, 2},
                          {{"t.csv", "--resample", "thirds"}, 2},
                          {{"t.csv", "--stable", "0"}, 2},
                          {{"t.csv", "--same-number", "--theta", "0.5"}, 2},
                          {{"t.csv", "-o", "out.csv"}, 2},
                          {{"t.csv", "-o", "-", "--json"}, 2},
                          {{"absent.csv"}, 3},
                          {{"few.csv"}, 6},
                          {{"one.csv"}, 6},
                          {{"t.csv", "-o", "absent/out"}, 7}}) {
    std::vector<std::string> words{"stability"};
    words.insert(words.end(), one.words.begin(), one.words.end());
    const ProgramRun run = sfg_(words);
    EXPECT_EQ(run.status, one.status) << run.err;
    EXPECT_TRUE(run.out.empty());
    EXPECT_EQ(sfg_.files(), (std::vector<std::string>{"few.csv", "one.csv", "t.csv"}));
  }
}

}  // namespace
}  // namespace sfg
