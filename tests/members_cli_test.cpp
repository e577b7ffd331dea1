// Who is kept of a group, as the command line has it.
#include <gtest/gtest.h>

#include "helpers.hpp"
#include "program.hpp"
#include "reference.hpp"

namespace sfg {
namespace {

using testing::Program;
using testing::TemporaryFolder;

/// a and b are near-copies, so are c and d; y follows b and d, and goes against what a and c have
/// of their own.
std::string pairs_with_target() {
  const DenseMatrix drawn = testing::random_matrix(60, 5, 3);
  std::string text = "a,b,c,d,e,y,kind\n";
  for (Index i = 0; i < 60; ++i) {
    const double b = drawn(i, 0), d = drawn(i, 1);
    // Against the noise of a and c: b and d go better with it, in this sample too.
    const double y = b + d - drawn(i, 2) - drawn(i, 3);
    for (const double value :
         {b + 0.1 * drawn(i, 2), b, d + 0.1 * drawn(i, 3), d, drawn(i, 4), y}) {
      text += std::to_string(value) + ",";
    }
    text += y < 0 ? "low\n" : "high\n";
  }
  return text;
}

std::vector<std::string> kept_names(const nlohmann::json& document) {
  return document.at("kept_names").get<std::vector<std::string>>();
}

TEST(MembersCommand, the_target_is_no_feature_and_chooses_the_members) {
  const TemporaryFolder folder;
  folder.write("t.csv", pairs_with_target());
  const Program program(folder);
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"reduce", "t.csv", "--n-features", "3"};
    words.insert(words.end(), more.begin(), more.end());
    return program(words);
  };
  const auto document = run({"--target", "y", "--json"}).json();
  EXPECT_EQ(document.at("n_features"), 5);
  EXPECT_EQ(document.at("representative"), "target");
  EXPECT_EQ(document.at("target").at("name"), "y");
  EXPECT_EQ(document.at("target").at("kind"), "numbers");
  EXPECT_EQ(kept_names(document), (std::vector<std::string>{"b", "d", "e"}));
  const auto classes = run({"--target", "kind", "--drop", "y", "--json"}).json();
  EXPECT_EQ(classes.at("target").at("n_classes"), 2);
  EXPECT_EQ(classes.at("groups").size(), document.at("groups").size());
  for (std::size_t g = 0; g < classes.at("groups").size(); ++g) {
    EXPECT_EQ(classes.at("groups")[g].at("members"), document.at("groups")[g].at("members"));
  }
  EXPECT_NE(run({"--target", "y"}).out.find("values of 'y'"), std::string::npos);
}

TEST(MembersCommand, costs_and_features_to_avoid_are_read_from_files) {
  const TemporaryFolder folder;
  folder.write("t.csv", pairs_with_target());
  folder.write("cost.tsv", "a\t1\nb\t2.5\nc\t7\nd\t0\n");
  folder.write("avoid.txt", "a\nd\ne\n");
  folder.write("broken.tsv", "a 1\n");
  const Program program(folder);
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"reduce", "t.csv", "--drop", "y", "--n-features", "3"};
    words.insert(words.end(), more.begin(), more.end());
    return program(words);
  };
  EXPECT_EQ(kept_names(run({"--cost", "cost.tsv", "--json"}).json()),
            (std::vector<std::string>{"a", "d", "e"}));
  const auto avoiding = run({"--avoid", "avoid.txt", "--json"}).json();
  EXPECT_EQ(kept_names(avoiding), (std::vector<std::string>{"b", "c", "e"}));
  EXPECT_EQ(avoiding.at("kept_though_avoided"), nlohmann::json({"e"}));
  EXPECT_NE(run({"--avoid", "avoid.txt"}).out.find("kept although to be avoided: e"),
            std::string::npos);
  EXPECT_NE(run({"--cost", "broken.tsv"}).err.find("a tab and a number"), std::string::npos);
}

TEST(MembersCommand, what_does_not_go_together_is_refused_in_words_that_help) {
  const TemporaryFolder folder;
  folder.write("t.csv", pairs_with_target());
  folder.write("f.txt", "a\n");
  folder.write("cost.tsv", "a\t1\n");
  const Program program(folder);
  const std::vector<std::pair<std::vector<std::string>, std::string>> refused{
      {{"--representative", "target"}, "--representative target needs --target COLUMN|FILE"},
      {{"--representative", "cost"}, "--representative cost needs --cost FILE"},
      {{"--representative", "medoid", "--target", "y"}, "leave out --representative"},
      {{"--target", "y", "--cost", "cost.tsv"}, "--target and --cost both choose"},
      {{"--target", "y", "--labels", "kind"}, "--drop"},
      {{"--target", "y", "--grouping", "cover"}, "for compact and components groups"},
      {{"--avoid", "f.txt", "--keep", "f.txt"}, "'a' is both to be kept and to be avoided"}};
  for (const auto& [more, words] : refused) {
    std::vector<std::string> line{"reduce", "t.csv"};
    line.insert(line.end(), more.begin(), more.end());
    const auto run = program(line);
    EXPECT_EQ(run.status, 2) << words << run.err;
    EXPECT_NE(run.err.find(words), std::string::npos) << run.err;
  }
}

TEST(MembersCommand, explain_tells_who_stands_in_for_a_kept_feature) {
  const TemporaryFolder folder;
  folder.write("t.csv", pairs_with_target());
  const Program program(folder);
  program({"reduce", "t.csv", "--target", "y", "--n-features", "3", "-o", "out"});
  const auto text = program({"explain", "out.model.json", "b"}).out;
  EXPECT_NE(text.find("if you cannot measure b, take a: r2 0.9"), std::string::npos) << text;
  const auto document = program({"explain", "out.model.json", "b", "--json"}).json();
  EXPECT_EQ(document.at("stand_in").at("feature"), "a");
  const auto alone = program({"explain", "out.model.json", "e", "--json"}).json();
  EXPECT_TRUE(alone.at("stand_in").is_null());
}

TEST(MembersCommand, levels_have_no_members_to_choose) {
  const TemporaryFolder folder;
  folder.write("t.csv", pairs_with_target());
  const auto run = Program(folder)({"sweep", "t.csv", "--representative", "variance"});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("changes no group and no level"), std::string::npos) << run.err;
}

TEST(MembersCommand, the_page_refuses_what_is_chosen_at_one_level_only) {
  const TemporaryFolder folder;
  folder.write("t.csv", pairs_with_target());
  const auto run =
      Program(folder)({"report", "t.csv", "--representative", "variance", "-o", "p.html"});
  EXPECT_EQ(run.status, 2) << run.err;
}

}  // namespace
}  // namespace sfg
