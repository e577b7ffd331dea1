#include "sfg/select.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random.hpp"
#include "helpers.hpp"
#include "reference.hpp"
#include "select/selectors.hpp"
#include "sfg/read.hpp"

namespace sfg {
namespace {

using testing::clustered_matrix;
using testing::expect_error;
using testing::random_matrix;
using testing::read_file;

const std::vector<SelectMethod> kMethods{
    SelectMethod::mcfs, SelectMethod::laplacian, SelectMethod::spec,    SelectMethod::fsasl,
    SelectMethod::mrsf, SelectMethod::grm,       SelectMethod::sparsity};

SelectOptions options_of(SelectMethod method, std::vector<Index> sizes) {
  SelectOptions options;
  options.method = method;
  options.sizes = std::move(sizes);
  options.n_responses = 2;
  return options;
}

DenseMatrix dense(const Matrix& matrix) {
  if (const auto* sparse = std::get_if<SparseMatrix>(&matrix)) return to_dense(*sparse);
  return std::get<DenseMatrix>(matrix);
}

/// a'B c, written out.
long double form(std::span<const double> a, const DenseMatrix& b, std::span<const double> c) {
  long double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < c.size(); ++j) {
      sum +=
          static_cast<long double>(a[i]) * b(static_cast<Index>(i), static_cast<Index>(j)) * c[j];
    }
  }
  return sum;
}

/// D and L = D - W of a graph.
struct Laplacian {
  explicit Laplacian(const DenseMatrix& weights)
      : degree(weights.n_samples(), weights.n_samples()),
        laplacian(weights.n_samples(), weights.n_samples()) {
    for (Index i = 0; i < weights.n_samples(); ++i) {
      for (Index j = 0; j < weights.n_samples(); ++j) {
        degree(i, i) += weights(i, j);
        laplacian(i, j) -= weights(i, j);
      }
      laplacian(i, i) += degree(i, i);
    }
  }
  DenseMatrix degree;
  DenseMatrix laplacian;
};

RC_GTEST_PROP(LaplacianScore, is_what_its_definition_says, ()) {
  const auto n = *rc::gen::inRange<Index>(3, 20);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const auto features = normalise(random_matrix(n, 6, seed), {});
  SelectOptions options = options_of(SelectMethod::laplacian, {3});
  options.n_neighbors = std::min<Index>(3, n - 1);
  const auto result = select_best(features, options);
  const Laplacian graph(dense(detail::sample_graph(features.matrix, options, {}).weights));
  const std::vector<double> ones(static_cast<std::size_t>(n), 1.0);
  for (Index j = 0; j < 6; ++j) {
    const auto column = std::get<DenseMatrix>(features.matrix).column(j);
    std::vector<double> centred(column.begin(), column.end());
    const long double mean = form(column, graph.degree, ones) / form(ones, graph.degree, ones);
    for (double& value : centred) value -= static_cast<double>(mean);
    const auto expected = static_cast<double>(form(centred, graph.laplacian, centred) /
                                              form(centred, graph.degree, centred));
    RC_ASSERT(std::fabs(result.scores[j] - expected) < 1e-10);
  }
}

TEST(Spec, phi_1_is_the_normalised_cut_of_the_feature) {
  const auto features = normalise(random_matrix(12, 5, 3), {});
  SelectOptions options = options_of(SelectMethod::spec, {3});
  options.spec_ranking = SpecRanking::phi_1;
  options.n_neighbors = 0;
  const auto result = select_best(features, options);
  const Laplacian graph(dense(detail::sample_graph(features.matrix, options, {}).weights));
  for (Index j = 0; j < 5; ++j) {
    const auto column = std::get<DenseMatrix>(features.matrix).column(j);
    const auto expected = static_cast<double>(form(column, graph.laplacian, column) /
                                              form(column, graph.degree, column));
    EXPECT_NEAR(result.scores[j], expected, 1e-12);
  }
}

TEST(Spec, phi_2_is_the_laplacian_score_on_the_same_graph) {
  const auto features = normalise(random_matrix(20, 8, 4), {});
  SelectOptions options = options_of(SelectMethod::spec, {8});
  EXPECT_EQ(select_best(features, options).n_neighbors, 0);
  options.n_neighbors = 4;
  const auto spec = select_best(features, options);
  options.method = SelectMethod::laplacian;
  EXPECT_EQ(spec.scores, select_best(features, options).scores);
}

TEST(Select, puts_features_that_tell_clusters_apart_before_noise) {
  const auto features = normalise(clustered_matrix(60, 40, 1), {});
  for (const SelectMethod method : kMethods) {
    SelectOptions options = options_of(method, {3});
    if (method == SelectMethod::spec) options.n_neighbors = 5;
    const auto result = select_best(features, options);
    for (const Index feature : result.selections[0]->features) {
      EXPECT_LT(feature, 4) << choice_name(method);
    }
  }
}

TEST(Select, orders_by_score_with_ties_to_the_lowest_index) {
  const auto largest = detail::best_features({1, 3, 2, 3}, ScoreOrder::largest_first, 3);
  EXPECT_EQ(largest.features, (std::vector<Index>{1, 3, 2}));
  EXPECT_EQ(largest.scores, (std::vector<double>{3, 3, 2}));
  const auto smallest = detail::best_features({1, 3, 1, 2}, ScoreOrder::smallest_first, 3);
  EXPECT_EQ(smallest.features, (std::vector<Index>{0, 2, 3}));
}

TEST(Select, says_which_sizes_are_not_possible) {
  const auto features = normalise(random_matrix(15, 6, 2), {});
  for (const SelectMethod method : kMethods) {
    const auto result = select_best(features, options_of(method, {7, 6, 1}));
    ASSERT_EQ(result.selections.size(), 3U);
    EXPECT_FALSE(result.selections[0]);
    EXPECT_EQ(result.selections[1]->features.size(), 6U);
    EXPECT_EQ(result.selections[2]->features.size(), 1U);
    EXPECT_EQ(result.scores.size(), 6U);
    const auto none = select_best(features, options_of(method, {99}));
    EXPECT_FALSE(none.selections[0]);
  }
}

TEST(Select, gives_the_same_answer_for_sparse_data) {
  DenseMatrix x = clustered_matrix(30, 20, 5);
  detail::Random random(1);
  for (Index j = 0; j < x.n_features(); ++j) {
    for (double& value : x.column(j)) value = random.below(2) == 0 ? value : 0.0;
  }
  const auto features = normalise(x, {});
  const auto sparse = normalise(to_sparse(x), {});
  for (const SelectMethod method : kMethods) {
    const auto expected = select_best(features, options_of(method, {4, 12}));
    const auto result = select_best(sparse, options_of(method, {4, 12}));
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(result.selections[k]->features, expected.selections[k]->features)
          << choice_name(method);
    }
  }
}

TEST(Select, gives_the_same_bits_for_any_number_of_threads) {
  const auto features = normalise(clustered_matrix(40, 300, 6), {});
  for (const SelectMethod method : kMethods) {
    sfg::RunContext run;
    run.threads = 1;
    const auto expected = select_best(features, options_of(method, {20}), run);
    run.threads = 3;
    const auto result = select_best(features, options_of(method, {20}), run);
    EXPECT_EQ(result.scores, expected.scores) << choice_name(method);
    EXPECT_EQ(result.objective, expected.objective);
  }
}

TEST(Select, permutes_its_answer_with_the_features) {
  const DenseMatrix x = clustered_matrix(40, 30, 7);
  std::vector<Index> order(30);
  std::iota(order.begin(), order.end(), Index{0});
  detail::Random random(2);
  detail::shuffle(order, random);
  const auto features = normalise(x, {});
  const auto permuted = select_features(features, order);
  for (const SelectMethod method : kMethods) {
    const auto expected = select_best(features, options_of(method, {8}));
    auto found = select_best(permuted, options_of(method, {8})).selections[0]->features;
    for (Index& feature : found) feature = order[feature];
    EXPECT_EQ(found, expected.selections[0]->features) << choice_name(method);
  }
}

TEST(Select, survives_copies_constants_empty_features_and_equal_samples) {
  DenseMatrix x = testing::tied_matrix(20, 30, 9);
  std::ranges::fill(x.column(3), 1.0);
  std::ranges::fill(x.column(4), 0.0);
  for (Index j = 0; j < x.n_features(); ++j) x(1, j) = x(0, j);
  const auto features = normalise(x, {});
  for (const SelectMethod method : kMethods) {
    const auto result = select_best(features, options_of(method, {5, 30}));
    EXPECT_EQ(result.selections[1]->features.size(), 30U);
    if (result.order == ScoreOrder::smallest_first) {
      EXPECT_TRUE(std::isinf(result.scores[3]));
      EXPECT_TRUE(std::isinf(result.scores[4]));
    } else {
      EXPECT_LE(result.scores[4], 0);
    }
  }
}

TEST(Select, refuses_values_out_of_range_and_too_few_samples) {
  const auto refused = [](const std::string& word, const auto& change) {
    SelectOptions options;
    change(options);
    expect_error(ErrorCode::invalid_option, {word}, [&] { check(options); });
  };
  refused("number", [](SelectOptions& options) { options.sizes.clear(); });
  refused("0", [](SelectOptions& options) { options.sizes = {5, 0}; });
  refused("n_neighbors", [](SelectOptions& options) { options.n_neighbors = -2; });
  refused("n_responses", [](SelectOptions& options) { options.n_responses = 0; });
  refused("ridge", [](SelectOptions& options) { options.ridge = std::nan(""); });
  refused("alpha", [](SelectOptions& options) { options.fsasl.alpha = 0; });
  refused("beta", [](SelectOptions& options) { options.fsasl.beta = -1; });
  refused("gamma", [](SelectOptions& options) { options.fsasl.gamma = -1; });
  refused("max_iter", [](SelectOptions& options) { options.fsasl.max_iter = 0; });
  refused("tol", [](SelectOptions& options) { options.fsasl.tol = -1; });
  expect_error(ErrorCode::degenerate_data, {"2 samples"},
               [] { (void)select_best(normalise(random_matrix(2, 4, 1), {}), {}); });
  expect_error(ErrorCode::degenerate_data, {"zero"},
               [] { (void)select_best(normalise(DenseMatrix(5, 4), {}), {}); });
  expect_error(ErrorCode::invalid_option, {"centred"}, [] {
    (void)select_best(normalise(to_sparse(random_matrix(5, 4, 1)), {Centering::mean}), {});
  });
}

TEST(Select, refuses_what_does_not_fit_the_memory) {
  const auto features = normalise(random_matrix(40, 50, 1), {});
  sfg::RunContext run;
  run.memory_limit = 1000;
  expect_error(ErrorCode::over_memory, {"FSASL", "memory_limit"},
               [&] { (void)select_best(features, options_of(SelectMethod::fsasl, {5}), run); });
}

TEST(SelectMethods, have_names_that_read_back) {
  for (const SelectMethod method : kMethods) {
    EXPECT_EQ(choice_from_name<SelectMethod>(choice_name(method), "method"), method);
  }
  expect_error(ErrorCode::invalid_option, {"'variance'", "mcfs"},
               [] { (void)choice_from_name<SelectMethod>("variance", "method"); });
}

/// The features that the original MCFS code selects on all features of a data set.
class PaperSelections : public ::testing::TestWithParam<std::string> {};

TEST_P(PaperSelections, are_reproduced_in_their_order) {
  const auto folder = std::filesystem::path(SFG_TEST_DATA_FOLDER);
  const auto stored = folder.parent_path() / "reference" / "mcfs_features.json";
  const auto data_file = folder / (GetParam() + ".mat");
  if (!std::filesystem::exists(data_file) || !std::filesystem::exists(stored)) {
    GTEST_SKIP() << "the paper's data are not in " << SFG_TEST_DATA_FOLDER;
  }
  const auto reference = nlohmann::json::parse(read_file(stored)).at("datasets").at(GetParam());
  const std::vector<Index> sizes = reference.at("n_selected");
  const auto features = normalise(read_dataset(data_file, {}).matrix, {});
  const auto result = select_best(features, paper_selection(sizes));
  EXPECT_EQ(result.status, SelectStatus::done);
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const std::vector<Index> expected =
        reference.at("features_0based_in_order").at(std::to_string(sizes[k]));
    EXPECT_EQ(result.selections[k]->features, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, PaperSelections, ::testing::Values("ORL", "Yale"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace sfg
