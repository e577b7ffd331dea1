// Neighbours along a line, as the command line has them.
#include <gtest/gtest.h>

#include "helpers.hpp"
#include "program.hpp"

namespace sfg {
namespace {

using testing::Program;
using testing::ProgramRun;
using testing::read_file;
using testing::TemporaryFolder;

/// a, c and e are copies; b and d follow each other.
constexpr const char* kWindowTable =
    "a,b,c,d,e\n"
    "1,5,1,5,1\n"
    "2,1,2,1,2\n"
    "3,7,3,7,3\n"
    "-1,2,-1,2,-1\n"
    "0,4,0,4,0\n"
    "4,-3,4,-3,4\n";

std::vector<int> kept_with(const Program& program, std::vector<std::string> more) {
  std::vector<std::string> words{"reduce", "t.csv", "--max-r2", "0.8", "--json"};
  words.insert(words.end(), more.begin(), more.end());
  return program(words).json().at("kept").get<std::vector<int>>();
}

TEST(WindowCommand, only_columns_within_the_window_stand_for_each_other) {
  const TemporaryFolder folder;
  folder.write("t.csv", kWindowTable);
  const Program program(folder);
  EXPECT_EQ(kept_with(program, {}), (std::vector<int>{0, 1}));
  EXPECT_EQ(kept_with(program, {"--window", "2"}), (std::vector<int>{1, 2}));
  EXPECT_EQ(kept_with(program, {"--window", "1"}), (std::vector<int>{0, 1, 2, 3, 4}));
  const auto document =
      program({"reduce", "t.csv", "--max-r2", "0.8", "--window", "2", "--json"}).json();
  EXPECT_EQ(document.at("level"), "r2 of kept features <= 0.8, among neighbours within 2 features");
  EXPECT_EQ(document.at("options").at("window"), 2);
}

TEST(WindowCommand, positions_are_read_from_a_file_and_windows_may_be_in_thousands) {
  const TemporaryFolder folder;
  folder.write("t.csv", kWindowTable);
  folder.write("p.tsv",
               "feature\tchr\tpos\ne\t1\t1500\na\t1\t1000\nc\t2\t1200\nb\t2\t1\nd\t2\t9000\n");
  const Program program(folder);
  EXPECT_EQ(kept_with(program, {"--positions", "p.tsv", "--window", "0.5k"}),
            (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(kept_with(program, {"--positions", "p.tsv", "--window", "1M"}),
            (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(kept_with(program, {"--positions", "p.tsv", "--window", "400"}),
            (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(WindowCommand, what_it_does_not_go_with_is_refused_in_words_that_help) {
  const TemporaryFolder folder;
  folder.write("t.csv", kWindowTable);
  folder.write("p.tsv", "a\t1\t5\nb\t1\tx\n");
  folder.write("few.tsv", "a\t1\t5\nb\t1\t6\nc\t1\t7\n");
  const Program program(folder);
  const std::vector<std::pair<std::vector<std::string>, std::string>> refused{
      {{"--theta", "0.5"}, "--window is for compact and pairwise groups, not for components ones"},
      {{"--grouping", "cover"}, "--window is for compact and pairwise groups, not for cover ones"},
      {{"--certify", "0.5"}, "--certify gives features up"},
      {{"--edges", "knn"}, "leave out --edges knn"},
      {{"--dry-run"}, "--window"},
      {{"--positions", "p.tsv"}, "p.tsv:2: the position of 'b' is 'x'"},
      {{"--positions", "few.tsv"}, "no position of 'd', 'e'"},
      {{"--window", "wide"}, "--window must be a number, such as 500, 250k or 1M"},
      {{"--window", "0"}, "--window must be above 0"}};
  for (const auto& [words, message] : refused) {
    std::vector<std::string> call{"reduce", "t.csv", "--window", "3"};
    if (words.front() == "--window") call.resize(2);
    call.insert(call.end(), words.begin(), words.end());
    const ProgramRun run = program(call);
    EXPECT_NE(run.status, 0) << message;
    EXPECT_NE(run.err.find(message), std::string::npos) << run.err;
  }
  folder.write("all.csv", "a,5\nb,6\nc,7\nd,8\ne,9\n");
  const ProgramRun run = program({"reduce", "t.csv", "--max-r2", "0.8", "--positions", "all.csv"});
  EXPECT_NE(run.err.find("add --window"), std::string::npos) << run.err;
}

TEST(GenotypesCommand, writes_the_table_its_positions_and_what_plink_reads) {
  const TemporaryFolder folder;
  const Program program(folder);
  const ProgramRun run = program({"synth", "--genotypes", "--samples", "20", "--features", "50",
                                  "--chromosomes", "2", "--plink", "-o", "g.csv"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(read_file(folder / "g.bed").size(), 3 + 50 * 5U);
  for (const char* positions : {"g.positions.tsv", "g.bim"}) {
    const auto document = program({"reduce", "g.csv", "--max-r2", "0.2", "--window", "1M",
                                   "--positions", positions, "--json"})
                              .json();
    EXPECT_GT(document.at("n_kept").get<int>(), 2) << positions;
    EXPECT_LT(document.at("n_kept").get<int>(), 50) << positions;
  }
}

TEST(GenotypesCommand, options_of_planted_features_and_of_genotypes_do_not_mix) {
  const TemporaryFolder folder;
  const Program program(folder);
  const ProgramRun noise = program({"synth", "--genotypes", "--noise", "1", "-o", "g.csv"});
  EXPECT_NE(noise.err.find("--noise is about planted features"), std::string::npos) << noise.err;
  const ProgramRun plink = program({"synth", "--plink", "-o", "g.csv"});
  EXPECT_NE(plink.err.find("add --genotypes"), std::string::npos) << plink.err;
}

}  // namespace
}  // namespace sfg
