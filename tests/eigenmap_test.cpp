#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/random.hpp"
#include "helpers.hpp"
#include "reference.hpp"
#include "sfg/cluster.hpp"

namespace sfg {
namespace {

using testing::expect_error;

/// A graph from edges {i, j, weight}, both directions.
Affinity affinity_of(Index n, const std::vector<Triplet>& edges) {
  std::vector<Triplet> entries;
  for (const Triplet& edge : edges) {
    entries.push_back(edge);
    entries.push_back({edge.column, edge.row, edge.value});
  }
  Affinity affinity;
  affinity.weights = assemble(n, n, entries, RepeatedEntries::refuse);
  return affinity;
}

/// Rings of `size` samples each with shortcuts; all of them equal, so that every eigenvalue occurs
/// as often as there are rings.
Affinity equal_rings(Index n_rings, Index size) {
  std::vector<Triplet> edges;
  for (Index ring = 0; ring < n_rings; ++ring) {
    for (Index i = 0; i < size; ++i) {
      const Index first = ring * size;
      edges.push_back({first + i, first + (i + 1) % size, 1.0 + 0.1 * (i % 5)});
      if (i % 7 == 0) edges.push_back({first + i, first + (i + size / 3) % size, 0.5});
    }
  }
  return affinity_of(n_rings * size, edges);
}

Affinity random_affinity(Index n, std::uint64_t seed) {
  return affinity(testing::random_matrix(n, 4, seed), {AffinityKind::heat_knn});
}

/// S = D^-1/2 W D^-1/2 times a vector, the slow way.
std::vector<double> reference_product(const Affinity& affinity, const std::vector<double>& degree,
                                      std::span<const double> vector) {
  const DenseMatrix weights = std::holds_alternative<DenseMatrix>(affinity.weights)
                                  ? std::get<DenseMatrix>(affinity.weights)
                                  : to_dense(std::get<SparseMatrix>(affinity.weights));
  std::vector<double> result(vector.size(), 0.0);
  for (Index i = 0; i < affinity.n_samples(); ++i) {
    for (Index j = 0; j < affinity.n_samples(); ++j) {
      const double scale = std::sqrt(degree[i] * degree[j]);
      if (scale == 0) continue;
      result[i] += (weights(i, j) + affinity.constant) / scale * vector[j];
    }
  }
  return result;
}

/// Residuals, orthonormal vectors, falling values, signs.
void expect_eigenvectors(const Affinity& affinity, const Eigenmap& map) {
  EXPECT_EQ(map.status, EigenStatus::converged);
  EXPECT_TRUE(std::ranges::is_sorted(map.values, [](double a, double b) { return a > b + 1e-12; }));
  for (Index k = 0; k < map.vectors.n_features(); ++k) {
    const auto vector = map.vectors.column(k);
    const auto image = reference_product(affinity, map.degree, vector);
    double largest = 0;
    for (std::size_t i = 0; i < image.size(); ++i) {
      EXPECT_NEAR(image[i], map.values[k] * vector[i], 1e-8);
      if (std::fabs(vector[i]) > std::fabs(largest) * (1 + 1e-8)) largest = vector[i];
    }
    EXPECT_GT(largest, 0);
    for (Index l = 0; l <= k; ++l) {
      double product = 0;
      for (std::size_t i = 0; i < image.size(); ++i)
        product += vector[i] * map.vectors.column(l)[i];
      EXPECT_NEAR(product, k == l ? 1 : 0, 1e-8);
    }
  }
}

TEST(Eigenmap, has_eigenvectors_of_either_solver_with_equal_values) {
  for (const Index n : {30, 120, 600}) {
    Affinity affinity = random_affinity(n, static_cast<std::uint64_t>(n));
    for (const double constant : {0.0, 0.01}) {
      affinity.constant = constant;
      const Eigenmap dense = eigenmap(affinity, {6, EigenSolver::dense});
      const Eigenmap lanczos = eigenmap(affinity, {6, EigenSolver::lanczos});
      ASSERT_EQ(dense.values.size(), 6U);
      ASSERT_EQ(lanczos.values.size(), 6U);
      EXPECT_EQ(dense.solver, EigenSolver::dense);
      EXPECT_EQ(lanczos.solver, EigenSolver::lanczos);
      for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(dense.values[k], lanczos.values[k], 1e-9);
      expect_eigenvectors(affinity, dense);
      expect_eigenvectors(affinity, lanczos);
    }
  }
}

TEST(Eigenmap, of_a_dense_affinity_has_eigenvectors) {
  const Affinity affinity = sfg::affinity(testing::random_matrix(550, 8, 1), {});
  const Eigenmap map = eigenmap(affinity, {4});
  EXPECT_EQ(map.solver, EigenSolver::lanczos);
  expect_eigenvectors(affinity, map);
}

TEST(Eigenmap, starts_with_the_square_root_of_the_degree) {
  for (const auto solver : {EigenSolver::dense, EigenSolver::lanczos}) {
    const Affinity affinity = equal_rings(3, 40);
    const Eigenmap map = eigenmap(affinity, {5, solver});
    EXPECT_EQ(map.n_components, 3);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(map.values[k], 1);
    EXPECT_LT(map.values[3], 1 - 1e-6);
    double sum = 0;
    for (const double degree : map.degree) sum += degree;
    for (std::size_t i = 0; i < map.degree.size(); ++i) {
      EXPECT_NEAR(map.vectors.column(0)[i], std::sqrt(map.degree[i] / sum), 1e-14);
    }
    expect_eigenvectors(affinity, map);
  }
}

TEST(Eigenmap, finds_every_copy_of_a_multiple_eigenvalue) {
  for (const Index n_rings : {2, 4}) {
    const Affinity affinity = equal_rings(n_rings, 150);
    const Eigenmap dense = eigenmap(affinity, {4 * n_rings, EigenSolver::dense});
    const Eigenmap lanczos = eigenmap(affinity, {4 * n_rings, EigenSolver::lanczos});
    ASSERT_EQ(lanczos.values.size(), dense.values.size());
    for (std::size_t k = 0; k < dense.values.size(); ++k) {
      EXPECT_NEAR(dense.values[k], lanczos.values[k], 1e-8) << k;
    }
    expect_eigenvectors(affinity, lanczos);
  }
}

TEST(Eigenmap, leaves_isolated_samples_at_zero) {
  // 0 and 4 are in no edge; 1-2-3 and 5-6 are parts.
  const Affinity affinity = affinity_of(7, {{1, 2, 1}, {2, 3, 2}, {5, 6, 1}});
  const Eigenmap map = eigenmap(affinity, {7});
  EXPECT_EQ(map.n_components, 2);
  ASSERT_EQ(map.values.size(), 5U);
  expect_eigenvectors(affinity, map);
  for (Index k = 0; k < 5; ++k) {
    EXPECT_EQ(map.vectors(0, k), 0);
    EXPECT_EQ(map.vectors(4, k), 0);
  }
}

TEST(Eigenmap, of_a_graph_without_edges_has_no_vectors) {
  const Eigenmap map = eigenmap(affinity_of(5, {}), {3});
  EXPECT_EQ(map.status, EigenStatus::converged);
  EXPECT_TRUE(map.values.empty());
  EXPECT_EQ(map.vectors.n_samples(), 5);
  EXPECT_EQ(map.n_components, 0);
}

TEST(Eigenmap, with_more_parts_than_vectors_separates_the_largest_parts) {
  // Parts of 2, 4 and 3 samples: the second vector sets the one of 4 apart.
  const Affinity affinity =
      affinity_of(9, {{0, 1, 1}, {2, 3, 1}, {3, 4, 1}, {4, 5, 1}, {6, 7, 1}, {7, 8, 1}});
  const Eigenmap map = eigenmap(affinity, {2});
  EXPECT_EQ(map.solver, EigenSolver::automatic);
  expect_eigenvectors(affinity, map);
  for (const Index i : {0, 1, 6, 7, 8}) EXPECT_LT(map.vectors(i, 1) * map.vectors(3, 1), 0);
}

TEST(Eigenmap, is_bit_equal_for_any_number_of_threads) {
  const Affinity affinity = sfg::affinity(testing::random_matrix(1100, 8, 1), {});
  sfg::RunContext run;
  run.threads = 1;
  const Eigenmap expected = eigenmap(affinity, {3}, run);
  run.threads = 4;
  const Eigenmap map = eigenmap(affinity, {3}, run);
  EXPECT_EQ(map.values, expected.values);
  EXPECT_TRUE(std::equal(map.vectors.data(), map.vectors.data() + 3300, expected.vectors.data()));
}

TEST(Eigenmap, says_so_when_nothing_converges_within_the_memory) {
  // All samples equally alike, and as many vectors asked for as there are: only LAPACK could.
  Affinity affinity = sfg::affinity(testing::random_matrix(600, 3, 1), {});
  sfg::RunContext run;
  run.memory_limit = 1'000'000;
  const Eigenmap map = eigenmap(affinity, {600}, run);
  EXPECT_EQ(map.status, EigenStatus::not_converged);
  EXPECT_EQ(map.values.size(), 1U);
}

TEST(Eigenmap, stops_when_asked_to_and_refuses_no_vectors) {
  const std::atomic<bool> stop = true;
  sfg::RunContext run;
  run.stop = &stop;
  const Affinity affinity = random_affinity(600, 1);
  expect_error(ErrorCode::interrupted, {"interrupted"},
               [&] { (void)eigenmap(affinity, {4}, run); });
  expect_error(ErrorCode::invalid_option, {"at least 1"}, [&] { (void)eigenmap(affinity, {0}); });
}

}  // namespace
}  // namespace sfg
