// What people type and what becomes of it: numbers that would wrap round, words with a letter
// wrong, gaps in new data.
#include <gtest/gtest.h>

#include "helpers.hpp"
#include "program.hpp"

namespace sfg {
namespace {

using testing::Program;
using testing::ProgramRun;
using testing::read_file;
using testing::TemporaryFolder;

class Usage : public ::testing::Test {
 protected:
  void SetUp() override { folder_.write("t.csv", "a,b,c\n1,2,5\n2,4,1\n3,6,7\n-1,-2,2\n4,8,0\n"); }

  TemporaryFolder folder_;
  Program sfg_{folder_};
};

TEST_F(Usage, numbers_that_would_wrap_round_are_refused) {
  for (const char* seed : {"-1", "18446744073709551616", "0x10", "1e3", "", "nan", "1.5"}) {
    EXPECT_EQ(sfg_({"reduce", "t.csv", "--seed", seed}).status, 2) << seed;
  }
  EXPECT_EQ(sfg_({"reduce", "t.csv", "--seed", "18446744073709551615"}).status, 0);
  EXPECT_EQ(sfg_({"reduce", "t.csv", "--seed", "010", "-o", "m"}).status, 0);
  EXPECT_NE(read_file(folder_ / "m.log").find("seed: 10\n"), std::string::npos);
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"reduce", "t.csv", "--journal-after", "nan"},
           {"reduce", "t.csv", "--journal-after", "-1"},
           {"reduce", "t.csv", "--theta", "nan"},
           {"reduce", "t.csv", "--threads", "4294967297"},
           {"reduce", "t.csv", "--n-features", "4294967297"},
           {"reduce", "t.csv", "--memory", "nan"},
           {"sweep", "t.csv", "--thetas", "nan"},
           {"graph", "t.csv", "--theta", "nan"},
           {"bench", "--thread-counts", "-1"},
       }) {
    EXPECT_EQ(sfg_(words).status, 2) << words[2] << " " << words[3];
  }
}

TEST_F(Usage, fewer_features_than_asked_for_are_told) {
  const ProgramRun run = sfg_({"reduce", "t.csv", "--n-features", "99"});
  EXPECT_EQ(run.status, 0);
  EXPECT_NE(run.err.find("note: 99 features were asked for, but only 3 are kept: the data have 3"),
            std::string::npos)
      << run.err;
  EXPECT_TRUE(sfg_({"reduce", "t.csv", "--n-features", "2"}).err.empty());
}

TEST_F(Usage, the_nearest_command_or_option_is_suggested) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"reduze", "t.csv"}, "there is no command 'reduze'\ndid you mean reduce?"},
      {{"reduce", "t.csv", "--thetta", "0.5"}, "did you mean --theta?"},
      {{"reduce", "t.csv", "--n-feature=3"}, "did you mean --n-features?"},
      {{"apply", "m", "t.csv", "--otput", "x"}, "did you mean --output?"},
  };
  for (const auto& [words, said] : cases) {
    const ProgramRun run = sfg_(words);
    EXPECT_EQ(run.status, 2);
    EXPECT_NE(run.err.find(said), std::string::npos) << run.err;
  }
  EXPECT_EQ(sfg_({"reduce", "t.csv", "--zzzzzz"}).err.find("did you mean"), std::string::npos);
}

TEST_F(Usage, a_model_fills_new_data_with_the_values_of_its_own) {
  folder_.write("gaps.csv", "a,b\n1,10\n2,NA\n6,30\n7,80\n");
  folder_.write("new.csv", "b,a\nNA,NA\n5,6\n");
  for (const auto& [policy, line] :
       {std::pair<std::string, std::string>{"mean", "4,40"}, {"median", "4,30"}}) {
    ASSERT_EQ(
        sfg_({"reduce", "gaps.csv", "--missing", policy, "--keep-share", "1", "-o", policy}).status,
        0);
    const ProgramRun run = sfg_({"apply", policy + ".model.json", "new.csv", "-o", "-"});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.out, "a,b\n" + line + "\n6,5\n");
    EXPECT_NE(run.err.find("data that the model was made from"), std::string::npos) << run.err;
  }
  // Where nothing was filled in, keeping columns needs no numbers.
  folder_.write("whole.csv", "a,b\n1,10\n2,40\n6,30\n7,80\n");
  ASSERT_EQ(sfg_({"reduce", "whole.csv", "--keep-share", "1", "-o", "w"}).status, 0);
  const ProgramRun as_it_is = sfg_({"apply", "w.model.json", "new.csv", "-o", "-"});
  EXPECT_EQ(as_it_is.out, "a,b\nNaN,NaN\n6,5\n");
  EXPECT_NE(as_it_is.err.find("2 missing values stay"), std::string::npos) << as_it_is.err;
  EXPECT_EQ(sfg_({"apply", "w.model.json", "new.csv", "-o", "-", "--missing", "mean"}).out,
            "a,b\n4,40\n6,5\n");
  EXPECT_EQ(sfg_({"apply", "w.model.json", "new.csv", "-o", "-", "--missing", "drop-sample"}).out,
            "a,b\n6,5\n");
  EXPECT_EQ(sfg_({"apply", "w.model.json", "new.csv", "-o", "-", "--missing", "refuse"}).status, 4);
  EXPECT_EQ(
      sfg_({"apply", "w.model.json", "new.csv", "-o", "-", "--missing", "drop-feature"}).status, 2);
}

TEST_F(Usage, models_without_values_to_fill_in_still_apply) {
  ASSERT_EQ(sfg_({"reduce", "t.csv", "--theta", "0.5", "-o", "m"}).status, 0);
  auto old = nlohmann::json::parse(read_file(folder_ / "m.model.json"));
  old.erase("fill_values");
  old.erase("missing");
  folder_.write("old.model.json", old.dump());
  EXPECT_EQ(sfg_({"apply", "old.model.json", "t.csv", "-o", "-"}).out,
            read_file(folder_ / "m.reduced.csv"));
  EXPECT_EQ(sfg_({"apply", "old.model.json", "t.csv", "-o", "-", "--missing", "mean"}).status, 5);
}

TEST_F(Usage, a_needed_column_that_is_text_in_new_data_is_told_as_such) {
  folder_.write("whole.csv", "a,b\n1,10\n2,40\n6,30\n7,80\n");
  ASSERT_EQ(sfg_({"reduce", "whole.csv", "--keep-share", "1", "-o", "w"}).status, 0);
  const auto expect_told = [&](const std::string& text, std::initializer_list<const char*> words) {
    folder_.write("new.csv", text);
    const ProgramRun run = sfg_({"apply", "w.model.json", "new.csv", "-o", "-"});
    EXPECT_EQ(run.status, 5);
    for (const char* word : words) EXPECT_NE(run.err.find(word), std::string::npos) << run.err;
  };
  expect_told("a,b\n1,7\n2,heavy\n3,light\n",
              {"1 of the model's 2 kept features is there but is not numbers",
               "'b' has \"heavy\" in sample 2", "--na-values"});
  // A first column of different texts would name the samples.
  expect_told("a,b\nx,7\ny,8\nz,9\n", {"'a' has \"x\" in sample 1"});
  expect_told("a,c\n1,7\n2,8\n3,9\n", {"is not there: 'b'"});
}

TEST_F(Usage, a_model_and_data_that_changed_places_are_told) {
  ASSERT_EQ(sfg_({"reduce", "t.csv", "-o", "m"}).status, 0);
  const ProgramRun run = sfg_({"apply", "t.csv", "m.model.json", "-o", "-"});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("sfg apply m.model.json t.csv"), std::string::npos) << run.err;
  const ProgramRun reduced = sfg_({"reduce", "m.model.json"});
  EXPECT_EQ(reduced.status, 4);
  EXPECT_NE(reduced.err.find("a model of sfg, no table"), std::string::npos) << reduced.err;
}

TEST_F(Usage, names_stand_beside_numbers_in_the_json_of_reduce) {
  const auto document = sfg_({"reduce", "t.csv", "--theta", "0.5", "--json"}).json();
  EXPECT_EQ(document.at("kept"), (std::vector<int>{0, 2}));
  EXPECT_EQ(document.at("kept_names"), (std::vector<std::string>{"a", "c"}));
  const auto& group = document.at("groups").at(0);
  EXPECT_EQ(group.at("representative_name"), "a");
  EXPECT_EQ(group.at("member_names"), (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace sfg
