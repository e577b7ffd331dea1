#include "sfg/graph.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "helpers.hpp"
#include "io/npy.hpp"
#include "io/zip.hpp"
#include "reference.hpp"
#include "sfg/read.hpp"

namespace sfg {
namespace {

using testing::expect_error;
using testing::TemporaryFolder;

FeatureGraph small_graph() {
  const auto features = normalise(testing::random_matrix(12, 9, 3), {});
  FeatureGraph graph = build_graph(pursue(features, {}), {});
  graph.feature_names = generated_names(9);
  graph.description = "pursuit omp";
  return graph;
}

TEST(Graph, the_angle_is_that_between_a_feature_and_its_reconstruction) {
  const auto features = normalise(testing::random_matrix(15, 30, 3), {});
  const auto& columns = std::get<DenseMatrix>(features.matrix);
  const auto graph = build_graph(pursue(features, {}), {});
  for (Index i = 0; i < 30; ++i) {
    std::vector<double> sum(15, 0.0);
    for (std::size_t k = 0; k < graph.neighbours_of(i).size(); ++k) {
      for (std::size_t s = 0; s < sum.size(); ++s) {
        sum[s] += graph.weights_of(i)[k] * columns.column(graph.neighbours_of(i)[k])[s];
      }
    }
    double product = 0;
    double squares = 0;
    for (std::size_t s = 0; s < sum.size(); ++s) {
      product += sum[s] * columns.column(i)[s];
      squares += sum[s] * sum[s];
    }
    const double angle = std::acos(product / std::sqrt(squares)) * 180 / std::numbers::pi;
    EXPECT_NEAR(graph.angle[i], angle, 1e-6);
  }
}

TEST(Graph, representations_with_a_larger_angle_fail_and_stay_visible) {
  Representations representations;
  representations.starts = {0, 1, 2, 2};
  representations.atoms = {1, 0};
  representations.coefficients = {0.9, 0.99};
  const double limit = std::pow(std::sin(15 * std::numbers::pi / 180), 2);
  representations.residual = {limit + 1e-6, limit, 1};
  representations.status.assign(3, PursuitStatus::small_gain);
  const auto graph = build_graph(representations, {});
  EXPECT_EQ(graph.failed, (std::vector<std::uint8_t>{1, 0, 1}));
  EXPECT_EQ(graph.n_edges(), 2);
  EXPECT_DOUBLE_EQ(graph.angle[2], 90);
  EXPECT_EQ(build_graph(representations, {90}).failed, (std::vector<std::uint8_t>{0, 0, 0}));
  expect_error(ErrorCode::invalid_option, {"max_angle"},
               [&] { (void)build_graph(representations, {-1}); });
}

TEST(GraphFile, reads_back_as_it_was) {
  const TemporaryFolder folder;
  FeatureGraph graph = small_graph();
  graph.feature_names[2] = "Größe \"x\"\t<1>";
  const auto path = folder.write("g.npz", graph_to_npz(graph));
  const FeatureGraph read = load_graph(path);
  EXPECT_EQ(read.starts, graph.starts);
  EXPECT_EQ(read.neighbours, graph.neighbours);
  EXPECT_EQ(read.weights, graph.weights);
  EXPECT_EQ(read.angle, graph.angle);
  EXPECT_EQ(read.failed, graph.failed);
  EXPECT_EQ(read.status, graph.status);
  EXPECT_EQ(read.feature_names, graph.feature_names);
  EXPECT_EQ(read.description, graph.description);
}

TEST(GraphFile, that_is_damaged_is_refused) {
  const TemporaryFolder folder;
  const std::string whole = graph_to_npz(small_graph());
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{10}, whole.size() / 2, whole.size() - 1}) {
    const auto path = folder.write("g.npz", whole.substr(0, length));
    expect_error(ErrorCode::malformed_input, {"g.npz"}, [&] { (void)load_graph(path); });
  }
  std::string flipped = whole;
  flipped[whole.size() / 3] = static_cast<char>(flipped[whole.size() / 3] ^ 0x55);
  const auto path = folder.write("f.npz", flipped);
  expect_error(ErrorCode::malformed_input, {"f.npz"}, [&] { (void)load_graph(path); });
  expect_error(ErrorCode::cannot_read, {"none.npz"},
               [&] { (void)load_graph(folder / "none.npz"); });
}

TEST(GraphFile, that_lacks_an_array_or_has_two_descriptions_is_refused) {
  const TemporaryFolder folder;
  const auto arrays = detail::read_zip("g", graph_to_npz(small_graph()), 0);
  for (const char* name :
       {"indices", "indptr", "data", "angle", "status", "failed", "feature_names"}) {
    auto others = arrays;
    ASSERT_EQ(others.erase(name + std::string(".npy")), 1U);
    const auto path = folder.write("g.npz", detail::write_zip({others.begin(), others.end()}));
    expect_error(ErrorCode::malformed_input, {"g.npz", name}, [&] { (void)load_graph(path); });
  }
  auto more = arrays;
  more["description.npy"] = arrays.at("feature_names.npy");
  const auto path = folder.write("g.npz", detail::write_zip({more.begin(), more.end()}));
  expect_error(ErrorCode::malformed_input, {"description"}, [&] { (void)load_graph(path); });
}

TEST(GraphFile, with_an_edge_to_a_feature_that_does_not_exist_is_refused) {
  const TemporaryFolder folder;
  FeatureGraph graph = small_graph();
  graph.neighbours[0] = 9;
  const auto path = folder.write("g.npz", graph_to_npz(graph));
  expect_error(ErrorCode::malformed_input, {"9"}, [&] { (void)load_graph(path); });
}

TEST(GraphMl, escapes_names_and_leaves_out_failed_representations) {
  FeatureGraph graph = small_graph();
  graph.feature_names[0] = "<b>&\"\x01";
  graph.failed.assign(9, 0);
  graph.failed[1] = 1;
  const std::string text = graph_to_graphml(graph, {});
  EXPECT_NE(text.find("&lt;b&gt;&amp;&quot;\xEF\xBF\xBD"), std::string::npos);
  EXPECT_EQ(text.find("source=\"n1\""), std::string::npos);
  EXPECT_NE(text.find("source=\"n2\""), std::string::npos);
  const std::string all = graph_to_graphml(graph, {{}, true});
  EXPECT_NE(all.find("source=\"n1\""), std::string::npos);
}

TEST(EdgeList, can_be_limited_to_some_features) {
  FeatureGraph graph = small_graph();
  graph.failed.assign(9, 0);
  const Index other = graph.neighbours_of(4)[0];
  const std::string text = graph_to_edge_list(graph, {{4, other}, false});
  EXPECT_TRUE(text.starts_with("source\ttarget\tweight\n"));
  EXPECT_NE(text.find("f4\tf" + std::to_string(other) + "\t"), std::string::npos);
  EXPECT_LE(std::ranges::count(text, '\n'), 3);
}

}  // namespace
}  // namespace sfg
