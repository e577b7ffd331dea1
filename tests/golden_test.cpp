// The paper's data: counts to the digit. Skipped where the files are not there.
#include <gtest/gtest.h>

#include <filesystem>

#include "sfg/pipeline.hpp"
#include "sfg/read.hpp"

namespace sfg {
namespace {

const std::vector<double> kThetas{0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1};

std::filesystem::path data_file(const std::string& name) {
  return std::filesystem::path(SFG_TEST_DATA_FOLDER) / (name + ".mat");
}

/// The paper's graph, without the permuted features.
MethodOptions paper_method() {
  MethodOptions options;
  options.grouping = GroupingMethod::lcs;
  options.n_permuted = 0;
  return options;
}

struct Golden {
  std::string name;
  std::vector<Index> counts;
};

class PaperCounts : public ::testing::TestWithParam<Golden> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(data_file(GetParam().name))) {
      GTEST_SKIP() << "the paper's data are not in " << SFG_TEST_DATA_FOLDER;
    }
  }
};

TEST_P(PaperCounts, are_reproduced_at_all_nine_thetas) {
  const Dataset data = read_dataset(data_file(GetParam().name), {});
  const auto graph = make_graph(data, paper_method()).graph;
  std::vector<Index> counts;
  for (const SweepLevel& level : sweep(graph, kThetas, nullptr, paper_method()))
    counts.push_back(level.n_kept);
  EXPECT_EQ(counts, GetParam().counts);
}

INSTANTIATE_TEST_SUITE_P(
    Golden, PaperCounts,
    ::testing::Values(Golden{"ORL", {913, 620, 535, 469, 327, 160, 104, 58, 33}},
                      Golden{"Yale", {1023, 964, 654, 525, 427, 271, 152, 83, 34}},
                      Golden{"warpPIE10P", {2409, 1871, 793, 698, 662, 654, 630, 566, 324}},
                      Golden{"orlraws10P", {10302, 8503, 3803, 3408, 3244, 3030, 2822, 2638, 2175}},
                      // Rounding decided ties when the paper's row was made: 4009 3978 3899 3737
                      // 3456 2671 1203 334 136. With the lowest index it is this one.
                      Golden{"lymphoma", {4009, 3978, 3900, 3738, 3457, 2668, 1203, 334, 135}}),
    [](const auto& info) { return info.param.name; });

class EnginesOnPaperData : public ::testing::TestWithParam<std::string> {};

TEST_P(EnginesOnPaperData, give_the_same_edges_and_weights) {
  if (!std::filesystem::exists(data_file(GetParam()))) {
    GTEST_SKIP() << "the paper's data are not in " << SFG_TEST_DATA_FOLDER;
  }
  const Dataset data = read_dataset(data_file(GetParam()), {});
  for (const auto& [method, centering] : {std::pair{PursuitMethod::omp, Centering::none},
                                          {PursuitMethod::omp, Centering::mean},
                                          {PursuitMethod::ols, Centering::none}}) {
    MethodOptions options = paper_method();
    options.pursuit.method = method;
    options.centering = centering;
    options.pursuit.engine = Engine::gram;
    const auto expected = make_graph(data, options).graph;
    options.pursuit.engine = Engine::stream;
    sfg::Run run;
    run.threads = 3;
    for (const Screen screen : {Screen::int8, Screen::bf16, Screen::f32}) {
      options.pursuit.screen = screen;
      const auto graph = make_graph(data, options, run).graph;
      ASSERT_EQ(graph.neighbours, expected.neighbours);
      ASSERT_EQ(graph.weights, expected.weights);
    }
    options.pursuit.engine = Engine::sparse;
    const auto graph = make_graph(data, options, run).graph;
    ASSERT_EQ(graph.neighbours, expected.neighbours);
    for (std::size_t k = 0; k < graph.weights.size(); ++k) {
      ASSERT_NEAR(graph.weights[k], expected.weights[k], 1e-12);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, EnginesOnPaperData, ::testing::Values("Yale", "ORL"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace sfg
