// `sfg cluster` and `sfg score` as a script sees them.
#include <gtest/gtest.h>

#include "program.hpp"

namespace sfg {
namespace {

using testing::Program;
using testing::ProgramRun;
using testing::read_file;
using testing::TemporaryFolder;

/// Two clear clusters.
constexpr const char* kClusterTable =
    "id,a,b,class\ns1,5,0,x\ns2,5.1,0.1,x\ns3,4.9,0,x\ns4,0,5,y\ns5,0.1,5.2,y\ns6,0,4.8,y\n";

class ClusterCommand : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  Program sfg_{folder_};
};

TEST_F(ClusterCommand, writes_a_label_per_line_and_scores_against_known_classes) {
  folder_.write("t.csv", kClusterTable);
  const ProgramRun run = sfg_(
      {"cluster", "t.csv", "--labels", "class", "--seeds", "3", "-o", "clusters.txt", "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto document = run.json();
  EXPECT_EQ(document.at("k"), 2);
  EXPECT_EQ(document.at("labels"), (std::vector<int>{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(document.at("nmi"), 1);
  EXPECT_EQ(document.at("acc"), 1);
  EXPECT_EQ(document.at("nmi_std"), 0);
  EXPECT_EQ(document.at("eigen_status"), "converged");
  for (const char* key : {"schema_version", "sfg_version", "isolated", "empty", "components",
                          "affinity", "seconds", "peak_rss_bytes"}) {
    EXPECT_TRUE(document.contains(key)) << key;
  }
  for (const char* stage : {"read", "affinity", "eigenmap", "kmeans", "total"}) {
    EXPECT_TRUE(document.at("seconds").contains(stage)) << stage;
  }
  EXPECT_EQ(read_file(folder_ / "clusters.txt"), "0\n0\n0\n1\n1\n1\n");
  EXPECT_EQ(sfg_({"cluster", "t.csv", "-k", "2", "-o", "clusters.txt"}).status, 7);
}

TEST_F(ClusterCommand, uses_only_the_features_of_a_list_if_one_is_given) {
  folder_.write("t.csv", "a,noise,b,class\n5,9,0,x\n5.1,-8,0.1,x\n0,7,5,y\n0.1,-9,5.2,y\n");
  folder_.write("some.txt", "a\nb\n");
  folder_.write("bad.txt", "z\n");
  const auto some = sfg_({"cluster", "t.csv", "--labels", "class", "--features", "some.txt",
                          "--scale", "none", "--json"});
  ASSERT_EQ(some.status, 0) << some.err;
  EXPECT_EQ(some.json().at("nmi"), 1);
  const auto all = sfg_({"cluster", "t.csv", "--labels", "class", "--scale", "none", "--json"});
  EXPECT_LT(all.json().at("nmi").get<double>(), 1);
  EXPECT_EQ(sfg_({"cluster", "t.csv", "--labels", "class", "--features", "bad.txt"}).status, 5);
}

TEST_F(ClusterCommand, without_classes_needs_k_and_gives_no_scores) {
  folder_.write("t.csv", "a,b\n1,0\n2,0.1\n0,3\n0.1,4\n");
  const ProgramRun without = sfg_({"cluster", "t.csv"});
  EXPECT_EQ(without.status, 2);
  EXPECT_NE(without.err.find("-k"), std::string::npos);
  const ProgramRun run = sfg_({"cluster", "t.csv", "-k", "2", "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(run.json().at("nmi").is_null());
  EXPECT_EQ(run.json().at("labels").size(), 4U);
}

TEST_F(ClusterCommand, knows_the_paper_the_neighbours_and_the_weighting) {
  folder_.write("t.csv", kClusterTable);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--preset", "paper"},
        {"--affinity", "heat-knn", "--neighbours", "2"},
        {"--affinity", "cosine-knn", "--weighting", "tfidf"},
        {"--scale", "none", "--replicates", "1"}}) {
    std::vector<std::string> all{"cluster", "t.csv", "--labels", "class", "--json"};
    all.insert(all.end(), words.begin(), words.end());
    const ProgramRun run = sfg_(all);
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.json().at("acc"), 1) << words[0] << " " << words[1];
  }
}

TEST_F(ClusterCommand, refuses_what_has_no_meaning) {
  folder_.write("t.csv", kClusterTable);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"-k", "0"},
                                                {"-k", "7"},
                                                {"-k", "2", "--affinity", "best"},
                                                {"-k", "2", "--neighbours", "3"},
                                                {"-k", "2", "--replicates", "0"},
                                                {"-k", "2", "--seeds", "0"}}) {
    std::vector<std::string> all{"cluster", "t.csv", "--labels", "class"};
    all.insert(all.end(), words.begin(), words.end());
    EXPECT_EQ(sfg_(all).status, 2) << words.back();
  }
  folder_.write("big.csv", "a,b\n1,-2\n3,4\n");
  EXPECT_EQ(sfg_({"cluster", "big.csv", "-k", "1", "--weighting", "tfidf"}).status, 6);
}

TEST_F(ClusterCommand, reports_samples_that_are_all_zero) {
  folder_.write("t.csv", "a,b\n1,0\n2,0.1\n0,0\n0,3\n0.1,4\n0,0\n");
  const ProgramRun run =
      sfg_({"cluster", "t.csv", "-k", "3", "--affinity", "cosine-knn", "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.json().at("empty"), 2);
  EXPECT_EQ(run.json().at("isolated"), 2);
  EXPECT_NE(run.err.find("2 samples with zeros only"), std::string::npos) << run.err;
}

TEST_F(ClusterCommand, score_compares_label_files_and_the_labels_of_data_files) {
  folder_.write("t.csv", kClusterTable);
  folder_.write("a.txt", "p\np\np\nq\nq\nq\n");
  folder_.write("b.txt", "1\n1\n2\n2\n2\n2\n");
  const ProgramRun same = sfg_({"score", "t.csv", "a.txt", "--labels", "class", "--json"});
  ASSERT_EQ(same.status, 0) << same.err;
  EXPECT_EQ(same.json().at("nmi"), 1);
  EXPECT_EQ(same.json().at("acc"), 1);
  const ProgramRun other = sfg_({"score", "a.txt", "b.txt", "--json"});
  ASSERT_EQ(other.status, 0) << other.err;
  EXPECT_NEAR(other.json().at("acc").get<double>(), 5.0 / 6, 1e-12);
  EXPECT_NE(sfg_({"score", "a.txt", "b.txt"}).out.find("ACC  0.8333"), std::string::npos);
}

TEST_F(ClusterCommand, score_refuses_labels_that_do_not_fit) {
  folder_.write("t.csv", "a,b\n1,2\n3,4\n5,6\n");
  folder_.write("a.txt", "p\np\n");
  folder_.write("b.txt", "1\n1\n2\n");
  EXPECT_EQ(sfg_({"score", "a.txt", "b.txt"}).status, 5);
  const ProgramRun no_labels = sfg_({"score", "t.csv", "b.txt"});
  EXPECT_EQ(no_labels.status, 5);
  EXPECT_NE(no_labels.err.find("--labels"), std::string::npos) << no_labels.err;
  EXPECT_EQ(sfg_({"score", "a.txt", "missing.txt"}).status, 3);
  EXPECT_EQ(sfg_({"score", "a.txt"}).status, 2);
  EXPECT_EQ(sfg_({"score", "-", "-"}).status, 2);
}

}  // namespace
}  // namespace sfg
