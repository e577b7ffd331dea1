#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "helpers.hpp"
#include "reference.hpp"
#include "sfg/pursuit.hpp"

namespace sfg {
namespace {

using testing::expect_error;
using testing::random_matrix;
using testing::reference_pursuit;
using testing::tied_matrix;

/// Coefficients of different engines may differ by rounding only.
constexpr double kSameWeight = 1e-12;
/// Against a refit in long double the condition of the atoms enters.
constexpr double kNearWeight = 1e-9;

UnitFeatures unit(const DenseMatrix& matrix, Centering centering = Centering::none) {
  return normalise(matrix, {centering});
}

const DenseMatrix& columns_of(const UnitFeatures& features) {
  return std::get<DenseMatrix>(features.matrix);
}

std::vector<Index> atoms(const Representations& all, Index target) {
  const auto found = all.atoms_of(target);
  return {found.begin(), found.end()};
}

void expect_same(const Representations& left, const Representations& right, double tolerance) {
  ASSERT_EQ(left.starts, right.starts);
  ASSERT_EQ(left.atoms, right.atoms);
  ASSERT_EQ(left.status, right.status);
  for (std::size_t k = 0; k < left.coefficients.size(); ++k) {
    const double size = std::max(1.0, std::fabs(right.coefficients[k]));
    ASSERT_NEAR(left.coefficients[k], right.coefficients[k], tolerance * size);
  }
  for (std::size_t i = 0; i < left.residual.size(); ++i) {
    ASSERT_NEAR(left.residual[i], right.residual[i], tolerance);
  }
}

void expect_reference(const UnitFeatures& features, const PursuitOptions& options) {
  const Representations found = pursue(features, options);
  for (Index target = 0; target < features.n_features(); ++target) {
    const auto expected = reference_pursuit(columns_of(features), target, options);
    ASSERT_EQ(atoms(found, target), expected.atoms) << "target " << target;
    const auto coefficients = found.coefficients_of(target);
    for (std::size_t k = 0; k < coefficients.size(); ++k) {
      ASSERT_NEAR(coefficients[k], expected.coefficients[k], kNearWeight);
    }
    ASSERT_NEAR(found.residual[target], expected.residual, kSameWeight);
  }
}

struct Case {
  PursuitMethod method;
  Engine engine;
  Centering centering;
};

class EveryPath : public ::testing::TestWithParam<Case> {
 protected:
  [[nodiscard]] static PursuitOptions options() {
    PursuitOptions options;
    options.method = GetParam().method;
    options.engine = GetParam().engine;
    return options;
  }
};

TEST_P(EveryPath, agrees_with_a_pursuit_refitted_from_scratch_on_normal_data) {
  for (const auto& [n, d] : {std::pair<Index, Index>{8, 40}, {60, 12}, {20, 20}, {3, 30}}) {
    expect_reference(
        unit(random_matrix(n, d, static_cast<std::uint64_t>(n * d)), GetParam().centering),
        options());
  }
}

TEST_P(EveryPath, agrees_with_a_pursuit_refitted_from_scratch_on_data_full_of_ties) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto n = static_cast<Index>(3 + seed % 10);
    const auto d = static_cast<Index>(2 + seed % 17);
    SCOPED_TRACE(seed);
    expect_reference(unit(tied_matrix(n, d, seed), GetParam().centering), options());
  }
}

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
  return std::string(info.param.method == PursuitMethod::omp ? "omp_" : "ols_") +
         choice_name(info.param.engine) +
         (info.param.centering == Centering::mean ? "_centred" : "");
}

INSTANTIATE_TEST_SUITE_P(
    Pursuit, EveryPath,
    ::testing::Values(Case{PursuitMethod::omp, Engine::gram, Centering::none},
                      Case{PursuitMethod::omp, Engine::stream, Centering::none},
                      Case{PursuitMethod::omp, Engine::sparse, Centering::none},
                      Case{PursuitMethod::omp, Engine::gram, Centering::mean},
                      Case{PursuitMethod::omp, Engine::sparse, Centering::mean},
                      Case{PursuitMethod::ols, Engine::gram, Centering::none},
                      Case{PursuitMethod::ols, Engine::stream, Centering::mean},
                      Case{PursuitMethod::ols, Engine::sparse, Centering::none}),
    case_name);

RC_GTEST_PROP(Pursuit, every_engine_gives_the_same_representations_on_tied_data, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const auto n = *rc::gen::inRange<Index>(2, 15);
  const auto d = *rc::gen::inRange<Index>(1, 40);
  const auto method = *rc::gen::element(PursuitMethod::omp, PursuitMethod::ols);
  const auto centering = *rc::gen::element(Centering::none, Centering::mean);
  const DenseMatrix dense = tied_matrix(n, d, seed);
  PursuitOptions options;
  options.method = method;
  options.engine = Engine::gram;
  const auto expected = pursue(normalise(dense, {centering}), options);
  options.engine = Engine::stream;
  sfg::RunContext run;
  run.threads = *rc::gen::inRange(1, 4);
  // From no choice of the block's size down to single targets.
  run.memory_limit = *rc::gen::element<std::size_t>(0, 100'000'000, 60'000);
  for (const Screen screen : {Screen::automatic, Screen::int8, Screen::bf16, Screen::f32}) {
    options.screen = screen;
    expect_same(pursue(normalise(dense, {centering}), options, run), expected, 0);
  }
  for (const Engine engine : {Engine::automatic, Engine::sparse}) {
    options.engine = engine;
    expect_same(pursue(normalise(dense, {centering}), options, run), expected, kSameWeight);
    // The same data stored sparse: centring is implicit there.
    expect_same(pursue(normalise(to_sparse(dense), {centering}), options), expected, kSameWeight);
  }
  RC_ASSERT(!::testing::Test::HasFailure());
}

TEST(Pursuit, the_answer_is_bit_identical_for_1_2_and_5_threads) {
  const auto features = unit(random_matrix(30, 150, 7));
  for (const Engine engine : {Engine::gram, Engine::stream, Engine::sparse}) {
    PursuitOptions options;
    options.engine = engine;
    sfg::RunContext run;
    run.threads = 1;
    const auto one = pursue(features, options, run);
    for (const int threads : {2, 5}) {
      run.threads = threads;
      expect_same(pursue(features, options, run), one, 0);
    }
  }
}

TEST(Pursuit, the_residual_is_orthogonal_to_the_chosen_atoms) {
  const auto features = unit(random_matrix(25, 80, 3));
  const auto& columns = columns_of(features);
  const auto found = pursue(features, {});
  for (Index target = 0; target < 80; ++target) {
    std::vector<double> residual(columns.column(target).begin(), columns.column(target).end());
    const auto chosen = found.atoms_of(target);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      EXPECT_NE(chosen[k], target);
      for (std::size_t i = 0; i < residual.size(); ++i) {
        residual[i] -= found.coefficients_of(target)[k] * columns.column(chosen[k])[i];
      }
    }
    for (const Index atom : chosen) {
      double product = 0;
      for (std::size_t i = 0; i < residual.size(); ++i) {
        product += residual[i] * columns.column(atom)[i];
      }
      EXPECT_NEAR(product, 0, kNearWeight);
    }
  }
}

TEST(Pursuit, the_lowest_index_wins_among_identical_atoms) {
  DenseMatrix matrix = random_matrix(10, 4, 1);
  for (const Index copy : {1, 2, 3}) {
    std::ranges::copy(matrix.column(0), matrix.column(copy).begin());
  }
  for (double& value : matrix.column(2)) value = -value;
  const auto found = pursue(unit(matrix), {});
  EXPECT_EQ(atoms(found, 0), std::vector<Index>{1});
  EXPECT_EQ(atoms(found, 1), std::vector<Index>{0});
  EXPECT_EQ(atoms(found, 2), std::vector<Index>{0});
  EXPECT_NEAR(found.coefficients_of(2)[0], -1, kSameWeight);
  EXPECT_EQ(found.status[3], PursuitStatus::exact);
}

TEST(Pursuit, the_atom_that_gains_less_than_epsilon_is_kept_unless_asked_otherwise) {
  // e1 + 0.05 e2 is e1 and a little of e2: the second atom gains 0.0025 < 0.01.
  DenseMatrix matrix(3, 3);
  matrix(0, 0) = 1;
  matrix(1, 0) = 0.05;
  matrix(0, 1) = 1;
  matrix(1, 2) = 1;
  PursuitOptions options;
  auto found = pursue(unit(matrix), options);
  EXPECT_EQ(atoms(found, 0), (std::vector<Index>{1, 2}));
  EXPECT_EQ(found.status[0], PursuitStatus::small_gain);
  options.last_atom = LastAtom::drop;
  found = pursue(unit(matrix), options);
  EXPECT_EQ(atoms(found, 0), std::vector<Index>{1});
  EXPECT_NEAR(found.residual[0], 0.0025 / 1.0025, kSameWeight);
}

TEST(Pursuit, a_gain_of_exactly_epsilon_does_not_stop_the_pursuit_whatever_the_rounding) {
  // Orthogonal atoms with squared shares 0.98, 0.01, 0.01: each gain of 0.01 equals epsilon.
  DenseMatrix matrix(3, 4);
  matrix(0, 0) = std::sqrt(0.98);
  matrix(1, 0) = 0.1;
  matrix(2, 0) = 0.1;
  for (Index k = 0; k < 3; ++k) matrix(k, k + 1) = 1;
  const auto found = pursue(unit(matrix), {});
  EXPECT_EQ(atoms(found, 0), (std::vector<Index>{1, 2, 3}));
  EXPECT_EQ(found.status[0], PursuitStatus::exact);
}

TEST(Pursuit, features_without_direction_are_neither_targets_nor_atoms) {
  DenseMatrix matrix = random_matrix(6, 5, 2);
  std::ranges::fill(matrix.column(1), 0.0);
  std::ranges::fill(matrix.column(3), 4.0);
  const auto found = pursue(unit(matrix, Centering::mean), {});
  EXPECT_EQ(found.status[1], PursuitStatus::no_direction);
  EXPECT_EQ(found.status[3], PursuitStatus::no_direction);
  EXPECT_EQ(std::ranges::count(found.atoms, 1) + std::ranges::count(found.atoms, 3), 0);
}

TEST(Pursuit, an_atom_in_the_span_of_the_chosen_ones_is_never_added) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    // More features than samples: after n atoms everything is in the span.
    PursuitOptions options;
    options.epsilon = 1e-12;
    const auto found = pursue(unit(tied_matrix(4, 30, seed)), options);
    for (Index target = 0; target < 30; ++target) EXPECT_LE(found.atoms_of(target).size(), 4U);
    for (const double coefficient : found.coefficients) EXPECT_LT(std::fabs(coefficient), 1e6);
  }
}

TEST(Pursuit, no_representation_has_more_atoms_than_allowed) {
  PursuitOptions options;
  options.max_atoms = 2;
  options.epsilon = 1e-6;
  const auto found = pursue(unit(random_matrix(40, 60, 9)), options);
  for (Index target = 0; target < 60; ++target) EXPECT_EQ(found.atoms_of(target).size(), 2U);
  EXPECT_EQ(found.status[0], PursuitStatus::reached_max_atoms);
}

TEST(Pursuit, one_feature_alone_has_no_representation) {
  const auto found = pursue(unit(random_matrix(5, 1, 1)), {});
  EXPECT_TRUE(found.atoms.empty());
  EXPECT_EQ(found.status[0], PursuitStatus::stalled);
}

TEST(Pursuit, two_identical_features_represent_each_other_exactly) {
  DenseMatrix matrix = random_matrix(5, 2, 1);
  std::ranges::copy(matrix.column(0), matrix.column(1).begin());
  const auto found = pursue(unit(matrix), {});
  EXPECT_EQ(atoms(found, 0), std::vector<Index>{1});
  EXPECT_EQ(atoms(found, 1), std::vector<Index>{0});
  EXPECT_NEAR(found.residual[0], 0, kSameWeight);
}

TEST(Pursuit, targets_outside_the_dictionary_may_use_every_atom) {
  const auto all = unit(random_matrix(12, 10, 5));
  const std::vector<Index> targets{0, 1};
  const std::vector<Index> dictionary{0, 5, 6};
  const auto found = pursue(select_features(all, targets), select_features(all, dictionary), {});
  // Target 0 is in the dictionary too, and not excluded from it.
  EXPECT_EQ(atoms(found, 0), std::vector<Index>{0});
  EXPECT_NEAR(found.coefficients_of(0)[0], 1, kSameWeight);
}

TEST(Pursuit, options_out_of_range_are_refused) {
  const auto features = unit(random_matrix(5, 3, 1));
  PursuitOptions options;
  options.epsilon = 0;
  expect_error(ErrorCode::invalid_option, {"epsilon", "0"},
               [&] { (void)pursue(features, options); });
  options.epsilon = 0.1;
  options.max_atoms = 0;
  expect_error(ErrorCode::invalid_option, {"max_atoms"}, [&] { (void)pursue(features, options); });
}

TEST(Pursuit, what_does_not_fit_the_memory_limit_is_refused_with_the_number_needed) {
  const auto features = unit(random_matrix(50, 400, 1));
  sfg::RunContext run;
  run.memory_limit = 1000;
  expect_error(ErrorCode::over_memory, {"needs", "limit"},
               [&] { (void)pursue(features, {}, run); });
  // Room for the data and the streaming engine, but not for 4 d^2 bytes.
  run.memory_limit = 700'000;
  run.threads = 1;
  EXPECT_EQ(pursue(features, {}, run).engine, Engine::stream);
  PursuitOptions options;
  options.engine = Engine::gram;
  expect_error(ErrorCode::over_memory, {"gram", "needs", "700 kB"},
               [&] { (void)pursue(features, options, run); });
  // What the caller holds counts.
  run.memory_held = 600'000;
  expect_error(ErrorCode::over_memory, {"stream"}, [&] { (void)pursue(features, {}, run); });
}

TEST(Pursuit, of_equal_features_the_first_is_chosen_and_the_first_itself_takes_the_second) {
  // 0 and 3 and 5 are equal up to sign; 2 is nearly so, within a tie.
  DenseMatrix matrix = random_matrix(12, 6, 5);
  for (std::size_t i = 0; i < 12; ++i) {
    const double value = matrix.column(0)[i];
    matrix.column(3)[i] = -value;
    matrix.column(5)[i] = value;
    matrix.column(2)[i] = value * 3 * (1 + (i % 2 == 0 ? 1e-11 : -1e-11));
  }
  for (const Engine engine : {Engine::gram, Engine::stream, Engine::sparse}) {
    PursuitOptions options;
    options.engine = engine;
    const auto found = pursue(unit(matrix), options);
    EXPECT_EQ(found.atoms_of(0).front(), 2);
    EXPECT_EQ(found.atoms_of(2).front(), 0);
    EXPECT_EQ(found.atoms_of(3).front(), 0);
    EXPECT_NEAR(found.coefficients_of(3).front(), -1, kSameWeight);
    EXPECT_EQ(found.atoms_of(5).front(), 0);
  }
  for (std::size_t i = 0; i < 12; ++i) matrix.column(2)[i] = static_cast<double>(i);
  EXPECT_EQ(atoms(pursue(unit(matrix), {}), 0), std::vector<Index>{3});
}

TEST(Pursuit, an_estimate_tells_the_plan_and_the_atoms_without_doing_the_work) {
  const auto features = unit(random_matrix(40, 3000, 2));
  const PursuitEstimate estimate = estimate_pursuit(features, {});
  EXPECT_EQ(estimate.plan.engine, Engine::stream);
  EXPECT_GT(estimate.plan.bytes(), 40 * 3000 * 8);
  const auto found = pursue(features, {});
  const double atoms_each = static_cast<double>(found.atoms.size()) / 3000;
  EXPECT_NEAR(estimate.mean_atoms, atoms_each, 0.1 * atoms_each);
  EXPECT_GT(estimate.seconds, 0);
}

TEST(Pursuit, many_samples_are_reduced_by_a_factorisation_with_the_same_answer) {
  // More than one piece of rows; equal, dependent and empty features among them.
  DenseMatrix matrix = random_matrix(5000, 14, 8);
  for (std::size_t i = 0; i < 5000; ++i) {
    matrix.column(4)[i] = matrix.column(1)[i];
    matrix.column(9)[i] = matrix.column(2)[i] + 0.5 * matrix.column(3)[i];
    matrix.column(11)[i] = 0;
    matrix.column(12)[i] = matrix.column(7)[i] + 0.01 * matrix.column(13)[i];
  }
  for (const PursuitMethod method : {PursuitMethod::omp, PursuitMethod::ols}) {
    PursuitOptions options;
    options.method = method;
    expect_reference(unit(matrix), options);
    expect_reference(unit(matrix, Centering::mean), options);
    sfg::RunContext run;
    run.threads = 1;
    const auto one = pursue(unit(matrix), options, run);
    run.threads = 3;
    expect_same(pursue(unit(matrix), options, run), one, 0);
    // The sparse engine works on the samples as they are.
    options.engine = Engine::sparse;
    expect_same(pursue(unit(matrix), options), one, kSameWeight);
  }
}

TEST(Pursuit, a_request_to_stop_ends_it) {
  const std::atomic<bool> stop = true;
  sfg::RunContext run;
  run.stop = &stop;
  expect_error(ErrorCode::interrupted, {"interrupted"},
               [&] { (void)pursue(unit(random_matrix(5, 30, 1)), {}, run); });
}

TEST(Pursuit, progress_rises_to_the_total) {
  double last = 0;
  double total = -1;
  sfg::RunContext run;
  run.threads = 2;
  run.progress = [&](std::string_view stage, double done, double all) {
    if (stage != "pursuit") return;
    EXPECT_GT(done, last);
    last = done;
    total = all;
  };
  PursuitOptions options;
  options.engine = Engine::gram;
  (void)pursue(unit(random_matrix(10, 50, 1)), options, run);
  EXPECT_EQ(last, total);
}

}  // namespace
}  // namespace sfg
