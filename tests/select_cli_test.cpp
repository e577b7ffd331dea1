// `sfg select`: words in, documents and files out.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "helpers.hpp"
#include "program.hpp"
#include "reference.hpp"
#include "sfg/write.hpp"

namespace sfg {
namespace {

using testing::Program;
using testing::read_file;
using testing::TemporaryFolder;

class SelectCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    Dataset data;
    data.matrix = testing::clustered_matrix(30, 12, 3);
    auto& x = std::get<DenseMatrix>(data.matrix);
    // Features 10 and 11 repeat 0 and 1.
    for (Index i = 0; i < 30; ++i) {
      x(i, 10) = 2 * x(i, 0);
      x(i, 11) = 3 * x(i, 1);
    }
    data.feature_names = generated_names(12);
    write_dataset(data, folder_ / "t.csv", Format::csv);
  }

  TemporaryFolder folder_;
  Program sfg_{folder_};
};

TEST_F(SelectCommand, prints_one_json_document_with_a_null_for_what_is_not_possible) {
  for (const char* method : {"mcfs", "laplacian", "spec", "fsasl", "mrsf", "grm", "sparsity"}) {
    const auto run = sfg_({"select", "t.csv", "--method", method, "-m", "3,99", "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const auto document = run.json();
    EXPECT_EQ(document.at("method"), method);
    EXPECT_EQ(document.at("scores").size(), 12U);
    const auto& selections = document.at("selections");
    EXPECT_EQ(selections.at(0).at("n"), 3);
    EXPECT_EQ(selections.at(0).at("features").size(), 3U);
    EXPECT_EQ(selections.at(0).at("scores").size(), 3U);
    EXPECT_EQ(selections.at(1).at("n"), 99);
    EXPECT_TRUE(selections.at(1).at("features").is_null());
    for (const char* key : {"status", "n_neighbors", "n_responses", "score_order", "seconds"}) {
      EXPECT_TRUE(document.contains(key)) << key;
    }
  }
}

TEST_F(SelectCommand, selects_among_kept_features_and_keeps_their_numbers) {
  const auto reduced = sfg_({"reduce", "t.csv", "--theta", "0.5", "--json"}).json();
  const std::vector<Index> kept = reduced.at("kept");
  ASSERT_LT(kept.size(), 12U);
  const auto size = std::to_string(kept.size());
  const auto run =
      sfg_({"select", "t.csv", "-m", size + ",12", "--reduce", "--theta", "0.5", "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto document = run.json();
  EXPECT_EQ(document.at("n_candidates"), kept.size());
  std::vector<Index> selected = document.at("selections").at(0).at("features");
  std::ranges::sort(selected);
  EXPECT_EQ(selected, kept);
  EXPECT_TRUE(document.at("selections").at(1).at("features").is_null());
  for (Index feature = 0; feature < 12; ++feature) {
    EXPECT_EQ(document.at("scores").at(static_cast<std::size_t>(feature)).is_null(),
              !std::ranges::binary_search(kept, feature));
  }
}

TEST_F(SelectCommand, takes_its_words_in_any_order) {
  const auto run = sfg_({"select", "-m", "2,3", "t.csv", "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.json().at("selections").size(), 2U);
}

TEST_F(SelectCommand, writes_ranks_and_names_to_a_file_and_never_over_another) {
  const auto run = sfg_({"select", "t.csv", "-m", "2,3", "-o", "best.tsv"});
  ASSERT_EQ(run.status, 0) << run.err;
  const std::string text = read_file(folder_ / "best.tsv");
  EXPECT_TRUE(text.starts_with("n_selected\trank\tfeature\tscore\n2\t1\tf"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 6);
  EXPECT_EQ(sfg_({"select", "t.csv", "-m", "2", "-o", "best.tsv"}).status, 7);
  EXPECT_EQ(read_file(folder_ / "best.tsv"), text);
}

TEST_F(SelectCommand, takes_the_number_of_classes_for_that_of_responses) {
  std::string labels;
  for (int i = 0; i < 30; ++i) labels += std::string(1, static_cast<char>('a' + i % 3)) + "\n";
  folder_.write("labels.txt", labels);
  const std::vector<std::string> words{"select", "t.csv", "-m", "2", "--json"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    return sfg_(more).json().at("n_responses").get<int>();
  };
  EXPECT_EQ(with({}), 5);
  EXPECT_EQ(with({"--labels", "labels.txt"}), 3);
  EXPECT_EQ(with({"--labels", "labels.txt", "--preset", "paper"}), 5);
  EXPECT_EQ(with({"--labels", "labels.txt", "--n-responses", "4"}), 4);
}

TEST_F(SelectCommand, chooses_by_labels_and_says_who_removed_whom) {
  std::string labels;
  for (int i = 0; i < 30; ++i) labels += std::string(1, static_cast<char>('a' + i % 3)) + "\n";
  folder_.write("labels.txt", labels);
  const auto picks =
      sfg_({"select", "t.csv", "--labels", "labels.txt", "--method", "mrmr", "-m", "3", "--json"});
  ASSERT_EQ(picks.status, 0) << picks.err;
  const auto picked = picks.json();
  for (const Index feature : picked.at("selections").at(0).at("features")) {
    EXPECT_TRUE(feature < 4 || feature >= 10) << feature;
  }
  EXPECT_NE(picked.at("labels_note").get<std::string>().find("3 classes"), std::string::npos);
  const auto run = sfg_({"select", "t.csv", "--labels", "labels.txt", "--method", "fcbf",
                         "--removed", "removed.tsv", "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto document = run.json();
  const auto& kept = document.at("selections").at(0);
  EXPECT_EQ(kept.at("n"), kept.at("features").size());
  EXPECT_EQ(kept.at("features").size() + document.at("removed").size(), 12U);
  const std::string text = read_file(folder_ / "removed.tsv");
  EXPECT_TRUE(text.starts_with("feature\tremoved_by\tuncertainty_between\trelevance\n"));
  // Feature 10 repeats 0: what makes one redundant makes the other so.
  const auto rest_of = [&](const std::string& name) {
    const auto line = text.find("\n" + name + "\t") + name.size() + 2;
    return text.substr(line, text.find('\n', line) - line);
  };
  EXPECT_EQ(rest_of("f10"), rest_of("f0"));
  EXPECT_TRUE(rest_of("f10").starts_with("f3\t")) << text;
}

TEST_F(SelectCommand, says_what_it_lacks_where_labels_are_needed) {
  const auto none = sfg_({"select", "t.csv", "--method", "fcbf"});
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.err.find("--labels"), std::string::npos) << none.err;
  std::string same;
  for (int i = 0; i < 30; ++i) same += "a\n";
  folder_.write("same.txt", same);
  const auto one = sfg_({"select", "t.csv", "--method", "mrmr", "-m", "3", "--labels", "same.txt"});
  EXPECT_NE(one.status, 0);
  EXPECT_NE(one.err.find("one value throughout"), std::string::npos) << one.err;
  EXPECT_EQ(sfg_({"select", "t.csv", "-m", "2", "--removed", "r.tsv"}).status, 2);
  EXPECT_EQ(sfg_({"select", "t.csv", "-m", "2", "--method", "grm", "--base-method", "grm"}).status,
            2);
}

TEST_F(SelectCommand, refuses_wrong_words_and_leaves_nothing_behind) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"select", "t.csv"},
        {"select", "t.csv", "-m", "0"},
        {"select", "t.csv", "-m", "3", "--method", "variance"},
        {"select", "t.csv", "-m", "3", "--theta", "0.5"},
        {"select", "t.csv", "-m", "3", "--n-neighbors", "-1"},
        {"select", "t.csv", "-m", "3", "--alpha", "0", "--method", "fsasl"}}) {
    const auto run = sfg_(words);
    EXPECT_EQ(run.status, 2) << run.err;
    EXPECT_TRUE(run.err.starts_with("sfg: ")) << run.err;
  }
  EXPECT_EQ(sfg_.files(), std::vector<std::string>{"t.csv"});
}

}  // namespace
}  // namespace sfg
