// Global redundancy minimisation, MRSF and the sparsity score against their definitions.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random.hpp"
#include "helpers.hpp"
#include "reference.hpp"
#include "sampling.hpp"
#include "select/fsasl_steps.hpp"
#include "select/global_redundancy.hpp"
#include "select/group_lasso.hpp"
#include "select/sample_gram.hpp"
#include "sfg/select.hpp"

namespace sfg {
namespace {

using testing::clustered_matrix;
using testing::random_matrix;
using testing::with_threads;

SelectOptions selection_by(SelectMethod method, std::vector<Index> sizes) {
  SelectOptions options;
  options.method = method;
  options.sizes = std::move(sizes);
  options.n_responses = 2;
  return options;
}

Target three_classes(Index n) {
  Labels labels{"class", {}};
  for (Index i = 0; i < n; ++i) labels.values.push_back(std::to_string(i % 3));
  return read_target(labels, n);
}

/// All d x d squared cosines.
std::vector<std::vector<double>> squared_cosines(const UnitFeatures& features) {
  const Index d = features.n_features();
  std::vector<std::vector<double>> a(static_cast<std::size_t>(d));
  for (Index i = 0; i < d; ++i) {
    for (Index j = 0; j < d; ++j) {
      const double cosine = inner_product(features, i, j);
      a[i].push_back(cosine * cosine);
    }
  }
  return a;
}

RC_GTEST_PROP(SquaredCosines, are_summed_without_the_matrix_of_all_pairs, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const auto n = *rc::gen::inRange<Index>(3, 30);
  const auto d = *rc::gen::inRange<Index>(1, 150);
  const bool sparse = *rc::gen::arbitrary<bool>();
  DenseMatrix x = random_matrix(n, d, seed);
  detail::Random random(seed);
  std::vector<double> z(static_cast<std::size_t>(d));
  const auto n_used = *rc::gen::inRange<Index>(0, d + 1);
  for (Index j = 0; j < n_used; ++j) z[j] = random.uniform();
  const auto features = sparse ? normalise(to_sparse(x), {}) : normalise(x, {});
  const auto a = squared_cosines(features);
  const auto sums = detail::squared_cosine_sums(features.matrix, z, with_threads(2));
  RC_ASSERT(sums == detail::squared_cosine_sums(features.matrix, z, with_threads(1)));
  for (Index j = 0; j < d; ++j) {
    double expected = 0;
    for (Index i = 0; i < d; ++i) expected += z[i] * a[i][j];
    RC_ASSERT(std::fabs(sums[j] - expected) < 1e-10);
  }
}

RC_GTEST_PROP(Simplex, the_projection_is_the_nearest_point, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  detail::Random random(seed);
  std::vector<double> values(8);
  for (double& value : values) value = 3 * random.normal();
  std::vector<double> nearest = values;
  detail::project_on_simplex(nearest);
  RC_ASSERT(std::fabs(std::accumulate(nearest.begin(), nearest.end(), 0.0) - 1) < 1e-12);
  // (values - nearest)'(v - nearest) <= 0 at every corner v.
  for (std::size_t corner = 0; corner < values.size(); ++corner) {
    double product = 0;
    for (std::size_t k = 0; k < values.size(); ++k) {
      RC_ASSERT(nearest[k] >= 0);
      product += (values[k] - nearest[k]) * ((k == corner ? 1.0 : 0.0) - nearest[k]);
    }
    RC_ASSERT(product < 1e-10);
  }
}

/// How far z is from the minimum: all positive ones have one gradient, and no other is smaller.
double distance_from_minimum(const UnitFeatures& features, const std::vector<double>& scores,
                             double weight, const std::vector<double>& z) {
  const auto a = squared_cosines(features);
  double total = 0;
  double multiplier = 0;
  double lowest = 0;
  std::vector<double> gradient(z.size());
  for (std::size_t j = 0; j < z.size(); ++j) {
    lowest = std::min(lowest, z[j]);
    total += z[j];
    gradient[j] = -scores[j];
    for (std::size_t i = 0; i < z.size(); ++i) gradient[j] += 2 * weight * a[j][i] * z[i];
    multiplier += z[j] * gradient[j];
  }
  double distance = std::max(std::fabs(total - 1), -lowest);
  for (std::size_t j = 0; j < z.size(); ++j) {
    distance = std::max(distance, multiplier - gradient[j]);
    distance = std::max(distance, z[j] * (gradient[j] - multiplier));
  }
  return distance;
}

std::vector<double> random_scores(Index d, std::uint64_t seed) {
  detail::Random random(seed);
  std::vector<double> scores(static_cast<std::size_t>(d));
  for (double& score : scores) score = random.uniform();
  return scores;
}

RC_GTEST_PROP(GlobalRedundancy, meets_the_conditions_of_its_minimum, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const auto n = *rc::gen::inRange<Index>(5, 25);
  const auto d = *rc::gen::inRange<Index>(2, 40);
  const auto weight = *rc::gen::element(0.1, 1.0, 10.0);
  const auto features = normalise(random_matrix(n, d, seed), {});
  const std::vector<double> scores = random_scores(d, seed);
  const auto found = detail::minimise_redundancy(features.matrix, scores, weight, {});
  RC_ASSERT(found.converged);
  RC_ASSERT(distance_from_minimum(features, scores, weight, found.z) < 1e-6);
}

TEST(GlobalRedundancy, meets_them_on_long_and_on_wide_tables) {
  for (const auto& [n, d] : {std::pair<Index, Index>{1000, 200}, {100, 2000}}) {
    if (testing::kSampled && n < d) continue;
    const auto features = normalise(clustered_matrix(n, d, 8), {});
    const std::vector<double> scores = random_scores(d, 8);
    const auto found = detail::minimise_redundancy(features.matrix, scores, 1.0, {});
    EXPECT_TRUE(found.converged);
    EXPECT_LT(distance_from_minimum(features, scores, 1.0, found.z), 1e-6) << n << " x " << d;
  }
}

TEST(GlobalRedundancy, of_two_groups_of_copies_takes_both_where_scores_take_one) {
  // Five copies of a good feature, one feature that is nearly as good.
  DenseMatrix x = clustered_matrix(60, 30, 3);
  for (Index j = 10; j < 15; ++j) std::ranges::copy(x.column(0), x.column(j).begin());
  const auto features = normalise(x, {});
  SelectOptions options = selection_by(SelectMethod::grm, {3});
  options.redundancy.base_method = SelectMethod::laplacian;
  const auto plain = select_best(features, selection_by(SelectMethod::laplacian, {30}));
  const auto refined = select_best(features, options);
  EXPECT_EQ(refined.status, SelectStatus::done);
  EXPECT_EQ(refined.order, ScoreOrder::largest_first);
  // Copies share what one of them would have: each has less than a feature that is alone.
  EXPECT_NEAR(refined.scores[10], refined.scores[14], 1e-9);
  EXPECT_GT(std::max(refined.scores[1], refined.scores[2]), refined.scores[10]);
  EXPECT_EQ(plain.scores[10], plain.scores[14]);
}

TEST(GlobalRedundancy, puts_constant_features_last) {
  DenseMatrix x = clustered_matrix(40, 12, 5);
  std::ranges::fill(x.column(3), 2.0);
  std::ranges::fill(x.column(7), 0.0);
  const auto found = select_best(normalise(x, {}), selection_by(SelectMethod::grm, {12}));
  const auto& order = found.selections[0]->features;
  EXPECT_EQ(order[10], 3);
  EXPECT_EQ(order[11], 7);
}

/// |x_j'R| of every feature with R = Y - X W, features centred and of unit length.
void expect_optimal(const DenseMatrix& x, const DenseMatrix& y,
                    const detail::GroupLassoStep& step) {
  const auto centred = testing::centred(x);
  const auto& unit = std::get<DenseMatrix>(centred.matrix);
  const auto k = static_cast<std::size_t>(y.n_features());
  DenseMatrix rest = y;
  for (std::size_t f = 0; f < step.features.size(); ++f) {
    for (std::size_t r = 0; r < k; ++r) {
      for (Index i = 0; i < y.n_samples(); ++i) {
        rest(i, static_cast<Index>(r)) -= unit(i, step.features[f]) * step.coefficients[f * k + r];
      }
    }
  }
  for (Index j = 0; j < x.n_features(); ++j) {
    const auto place = std::ranges::find(step.features, j) - step.features.begin();
    const bool inside = place < static_cast<std::ptrdiff_t>(step.features.size());
    double squares = 0;
    for (std::size_t r = 0; r < k; ++r) {
      double product = 0;
      for (Index i = 0; i < y.n_samples(); ++i) {
        product += unit(i, j) * rest(i, static_cast<Index>(r));
      }
      if (inside) {
        const double row = step.coefficients[static_cast<std::size_t>(place) * k + r];
        EXPECT_NEAR(product, step.lambda * row / step.row_norm[place], 1e-6) << j;
      }
      squares += product * product;
    }
    EXPECT_LT(std::sqrt(squares), step.lambda + 1e-6) << j;
  }
}

TEST(Mrsf, meets_the_conditions_of_optimality_along_its_path) {
  for (const auto& [n, d] : {std::pair<Index, Index>{25, 80}, {60, 20}, {100, 2000}, {1000, 200}}) {
    if (testing::kSampled && n + d > 1000) continue;
    DenseMatrix x = clustered_matrix(n, d, 4);
    std::ranges::copy(x.column(1), x.column(9).begin());
    std::ranges::fill(x.column(11), 1.0);
    const auto features = normalise(x, {});
    const DenseMatrix y = detail::label_targets(three_classes(n));
    const detail::Columns columns(features.matrix);
    const auto path =
        detail::group_lasso(columns, detail::spreads_of(columns, {}), y, {1, 3, 8}, {});
    EXPECT_TRUE(path.exact);
    ASSERT_EQ(path.steps.size(), 3U);
    for (const auto& step : path.steps) {
      expect_optimal(x, y, step);
      EXPECT_EQ(std::ranges::count(step.features, 11), 0);
    }
    EXPECT_GE(path.steps[1].features.size(), 3U);
    EXPECT_GE(path.steps[1].lambda, path.steps[2].lambda);
  }
}

TEST(Mrsf, regresses_eigenvectors_of_similarity_or_classes) {
  DenseMatrix x = clustered_matrix(60, 40, 1);
  std::ranges::copy(x.column(0), x.column(20).begin());
  const auto features = normalise(x, {});
  SelectOptions options = selection_by(SelectMethod::mrsf, {3});
  const auto check_found = [](const SelectResult& result) {
    EXPECT_EQ(result.status, SelectStatus::done);
    for (const Index feature : result.selections[0]->features) EXPECT_LT(feature, 4);
    EXPECT_EQ(result.scores[20], 0);  // the copy has nothing to add
  };
  check_found(select_best(features, options));
  options.redundancy.spectral_targets = SpectralTargets::labels;
  EXPECT_TRUE(needs_labels(options));
  const auto by_classes = select_best(features, three_classes(60), options);
  check_found(by_classes);
  EXPECT_EQ(by_classes.n_responses, 3);
}

/// Lasso of one sample on the others by coordinate descent on all features.
std::vector<double> slow_representation(const DenseMatrix& x, Index sample, double alpha) {
  const Index n = x.n_samples();
  std::vector<double> s(static_cast<std::size_t>(n), 0.0);
  for (int sweep = 0; sweep < 4000; ++sweep) {
    for (Index j = 0; j < n; ++j) {
      if (j == sample) continue;
      double product = 0;
      double squares = 0;
      for (Index f = 0; f < x.n_features(); ++f) {
        double rest = x(sample, f);
        for (Index k = 0; k < n; ++k) rest -= k == j ? 0 : s[k] * x(k, f);
        product += rest * x(j, f);
        squares += x(j, f) * x(j, f);
      }
      const double size = std::max(0.0, std::fabs(product) - alpha / 2);
      s[j] = std::copysign(size, product) / squares;
    }
  }
  return s;
}

TEST(SparsityScore, is_what_its_definition_says) {
  for (const auto& [n, d] : {std::pair<Index, Index>{8, 20}, {12, 5}}) {
    const auto features = normalise(random_matrix(n, d, 3), {});
    const auto& x = std::get<DenseMatrix>(features.matrix);
    double sum = 0;
    for (Index i = 0; i < n; ++i) {
      double largest = 0;
      for (Index j = 0; j < n; ++j) {
        double product = 0;
        for (Index f = 0; f < d; ++f) product += x(i, f) * x(j, f);
        if (j != i) largest = std::max(largest, std::fabs(product));
      }
      sum += 2 * largest;
    }
    std::vector<std::vector<double>> graph;
    for (Index i = 0; i < n; ++i) graph.push_back(slow_representation(x, i, 0.1 * sum / n));
    const auto found = select_best(features, selection_by(SelectMethod::sparsity, {2}));
    EXPECT_EQ(found.order, ScoreOrder::smallest_first);
    for (Index f = 0; f < d; ++f) {
      double loss = 0;
      double mean = 0;
      for (Index i = 0; i < n; ++i) mean += x(i, f) / n;
      double spread = 0;
      for (Index i = 0; i < n; ++i) {
        double rest = x(i, f);
        for (Index j = 0; j < n; ++j) rest -= graph[i][j] * x(j, f);
        loss += rest * rest;
        spread += (x(i, f) - mean) * (x(i, f) - mean);
      }
      EXPECT_NEAR(found.scores[f], loss / spread, 1e-6);
    }
  }
}

TEST(SparsityScore, represents_every_sample_as_the_lasso_does) {
  for (const auto& [n, d] : {std::pair<Index, Index>{100, 2000}, {1000, 200}, {150, 40}}) {
    if (testing::kSampled && n > 150) continue;
    const auto features = normalise(clustered_matrix(n, d, 6), {});
    const auto& x = std::get<DenseMatrix>(features.matrix);
    const std::vector<double> ones(static_cast<std::size_t>(d), 1.0);
    const DenseMatrix products = detail::sample_gram(x, ones, {});
    double sum = 0;
    for (Index i = 0; i < n; ++i) {
      double largest = 0;
      for (Index j = 0; j < n; ++j) {
        if (j != i) largest = std::max(largest, std::fabs(products(i, j)));
      }
      sum += 2 * largest;
    }
    const double alpha = 0.1 * sum / n;
    const auto rows = detail::sparse_representation(x, 0.1, {});
    // Of many samples some: each is represented by itself.
    for (Index i = 0; i < n; i += std::max<Index>(1, n / 100)) {
      // |x_j'(x_i - X s)| <= alpha / 2, with equality and the sign of s_j where s_j is not zero.
      for (Index j = 0; j < n; ++j) {
        if (j == i) continue;
        double slope = products(i, j);
        double own = 0;
        for (std::size_t k = 0; k < rows[i].places.size(); ++k) {
          slope -= products(j, rows[i].places[k]) * rows[i].values[k];
          if (rows[i].places[k] == j) own = rows[i].values[k];
        }
        EXPECT_LE(std::fabs(slope), alpha / 2 * (1 + 1e-6));
        if (own != 0) {
          EXPECT_NEAR(slope, std::copysign(alpha / 2, own), 1e-6 * alpha);
        }
      }
    }
  }
}

TEST(SparsityScore, likes_features_that_say_what_similar_samples_say) {
  DenseMatrix x = clustered_matrix(45, 30, 2);
  std::ranges::fill(x.column(6), 3.0);
  const auto found = select_best(normalise(x, {}), selection_by(SelectMethod::sparsity, {4}));
  for (const Index feature : found.selections[0]->features) EXPECT_LT(feature, 4);
  EXPECT_TRUE(std::isinf(found.scores[6]));
}

TEST(RedundancySelectors, give_the_same_for_any_number_of_threads_and_for_sparse_data) {
  DenseMatrix x = clustered_matrix(30, 150, 7);
  detail::Random random(1);
  for (Index j = 4; j < 150; ++j) {
    for (double& value : x.column(j)) value = random.below(2) == 0 ? value : 0.0;
  }
  for (const SelectMethod method :
       {SelectMethod::grm, SelectMethod::mrsf, SelectMethod::sparsity}) {
    const SelectOptions options = selection_by(method, {8});
    const auto expected = select_best(normalise(x, {}), options, with_threads(1));
    const auto threaded = select_best(normalise(x, {}), options, with_threads(3));
    EXPECT_EQ(threaded.scores, expected.scores) << choice_name(method);
    const auto sparse = select_best(normalise(to_sparse(x), {}), options);
    EXPECT_EQ(sparse.selections[0]->features, expected.selections[0]->features);
    for (const double score : expected.scores) EXPECT_FALSE(std::isnan(score));
  }
}

}  // namespace
}  // namespace sfg
