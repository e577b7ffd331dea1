// Pruning by correlation as the command line has it.
#include <gtest/gtest.h>

#include "helpers.hpp"
#include "program.hpp"

namespace sfg {
namespace {

using testing::Program;
using testing::ProgramRun;
using testing::TemporaryFolder;

/// b is a copy of a, d follows c, e is on its own.
constexpr const char* kPairs =
    "a,b,c,d,e\n"
    "1,2,5,5,1\n"
    "2,4,1,1,1\n"
    "3,6,7,8,-1\n"
    "-1,-2,2,2,3\n"
    "0,0,4,4,0\n"
    "4,8,-3,-3,2\n";

TEST(PairwiseCommand, max_r2_alone_chooses_the_grouping) {
  const TemporaryFolder folder;
  folder.write("t.csv", kPairs);
  const Program program(folder);
  const auto document = program({"reduce", "t.csv", "--max-r2", "0.8", "--json"}).json();
  EXPECT_EQ(document.at("grouping"), "pairwise");
  EXPECT_EQ(document.at("level"), "r2 of kept features <= 0.8");
  EXPECT_EQ(document.at("options").at("max_r2"), 0.8);
  EXPECT_TRUE(document.at("representative").is_null());
  EXPECT_EQ(document.at("n_kept"), 3);
  const auto usual = program({"reduce", "t.csv", "--grouping", "pairwise", "--json"}).json();
  EXPECT_EQ(usual.at("level"), "r2 of kept features <= 0.9");
}

TEST(PairwiseCommand, protected_and_preferred_features_are_read_from_files) {
  const TemporaryFolder folder;
  folder.write("t.csv", kPairs);
  folder.write("both.txt", "a\nb\n");
  folder.write("first.txt", "d\nc\nb\n");
  const Program program(folder);
  const auto kept = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"reduce", "t.csv", "--max-r2", "0.8", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return program(words).json().at("kept").get<std::vector<int>>();
  };
  EXPECT_EQ(kept({"--priority", "first.txt"}), (std::vector<int>{1, 3, 4}));
  EXPECT_EQ(kept({"--priority", "first.txt", "--keep", "both.txt"}),
            (std::vector<int>{0, 1, 3, 4}));
}

TEST(PairwiseCommand, what_it_does_not_go_with_is_refused_in_words_that_help) {
  const TemporaryFolder folder;
  folder.write("t.csv", kPairs);
  const Program program(folder);
  const std::vector<std::pair<std::vector<std::string>, std::string>> refused{
      {{"--theta", "0.5"}, "--max-r2 and --theta"},
      {{"--n-features", "2"}, "--n-features is for compact and cover groups, not for pairwise"},
      {{"--certify", "0.5"}, "--certify brings features back"},
      {{"--dry-run"}, "pairwise"},
      {{"--grouping", "cover"}, "--max-r2 is for pairwise groups, not for cover"}};
  for (const auto& [words, message] : refused) {
    std::vector<std::string> call{"reduce", "t.csv", "--max-r2", "0.8"};
    call.insert(call.end(), words.begin(), words.end());
    const ProgramRun run = program(call);
    EXPECT_EQ(run.status, 2) << run.err;
    EXPECT_NE(run.err.find(message), std::string::npos) << run.err;
  }
}

TEST(PairwiseCommand, explain_names_the_kept_feature) {
  const TemporaryFolder folder;
  folder.write("t.csv", kPairs);
  const Program program(folder);
  const ProgramRun run = program({"explain", "t.csv", "b", "--max-r2", "0.8"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("removed, a is kept instead (r2 1.0000)"), std::string::npos) << run.out;
}

}  // namespace
}  // namespace sfg
