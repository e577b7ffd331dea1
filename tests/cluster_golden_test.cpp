// The paper's data: scores within the spread that k-means leaves. Skipped where the files are not
// there.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "sfg/cluster.hpp"
#include "sfg/normalise.hpp"
#include "sfg/read.hpp"
#include "sfg/score.hpp"

namespace sfg {
namespace {

/// Twice the standard error of a mean over ten seeds on these data, rounded up.
constexpr double kTolerance = 0.02;
constexpr int kSeeds = 10;

struct Expected {
  std::string name;
  double nmi;
  double acc;
};

class PaperScores : public ::testing::TestWithParam<Expected> {
 protected:
  void SetUp() override {
    const auto path = std::filesystem::path(SFG_TEST_DATA_FOLDER) / (GetParam().name + ".mat");
    if (!std::filesystem::exists(path)) {
      GTEST_SKIP() << "the paper's data are not in " << SFG_TEST_DATA_FOLDER;
    }
    data_ = read_dataset(path, {});
    const auto& labels = data_.labels->values;
    n_classes_ = static_cast<Index>(std::set<std::string>(labels.begin(), labels.end()).size());
  }

  void expect_scores(const Matrix& matrix, const SpectralOptions& options) const {
    const auto embedding = spectral_embedding(matrix, options);
    EXPECT_EQ(embedding.status, EigenStatus::converged);
    double nmi = 0;
    double acc = 0;
    for (const auto& clusters : cluster(embedding, options, kSeeds)) {
      const auto scores =
          score_labels(std::span<const std::string>(data_.labels->values), clusters.labels);
      nmi += scores.nmi / kSeeds;
      acc += scores.acc / kSeeds;
    }
    EXPECT_NEAR(nmi, GetParam().nmi, kTolerance);
    EXPECT_NEAR(acc, GetParam().acc, kTolerance);
  }

  Dataset data_;
  Index n_classes_ = 0;
};

class PaperFaces : public PaperScores {};
TEST_P(PaperFaces, are_those_of_the_papers_clustering_of_all_features) {
  expect_scores(normalise(data_.matrix, {}).matrix, paper_spectral_options(n_classes_));
}
INSTANTIATE_TEST_SUITE_P(Golden, PaperFaces,
                         ::testing::Values(Expected{"ORL", 0.80372, 0.64175},
                                           Expected{"Yale", 0.56078, 0.51879}),
                         [](const auto& info) { return info.param.name; });

class PaperTexts : public PaperScores {};
TEST_P(PaperTexts, are_far_above_chance_with_tfidf_and_cosine_neighbours) {
  SpectralOptions options;
  options.n_clusters = n_classes_;
  options.affinity.kind = AffinityKind::cosine_knn;
  expect_scores(tfidf(data_.matrix), options);
}
INSTANTIATE_TEST_SUITE_P(Golden, PaperTexts,
                         ::testing::Values(Expected{"PCMAC", 0.286, 0.803},
                                           Expected{"RELATHE", 0.355, 0.832}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace sfg
