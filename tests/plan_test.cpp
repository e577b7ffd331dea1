// What the plan allows a trial to turn to, and what the trial turns to.
#include "pursuit/plan.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/random.hpp"
#include "pursuit/engines/stream/tile.hpp"
#include "reference.hpp"

namespace sfg::detail {
namespace {

using testing::random_matrix;

bool int8_is_fast() {
  return fastest_tile_kernel(Screen::int8).speed > fastest_tile_kernel(Screen::f32).speed;
}

/// Features like the points of smooth curves: each has dozens that are as good as equal to it.
DenseMatrix smooth_curves(Index n, Index d) {
  constexpr int kWaves = 12;
  DenseMatrix matrix(n, d);
  Random random(5);
  for (Index sample = 0; sample < n; ++sample) {
    for (int wave = 1; wave <= kWaves; ++wave) {
      const double height = random.normal() / wave;
      for (Index k = 0; k < d; ++k) {
        matrix(sample, k) += height * std::cos(std::numbers::pi * wave * k / d);
      }
    }
  }
  return matrix;
}

TEST(PursuitPlan, more_bits_are_turned_to_only_where_they_fit_the_memory) {
  if (!int8_is_fast()) GTEST_SKIP() << "this processor starts with f32";
  const auto features = normalise(random_matrix(200, 3000, 1), {});
  PursuitOptions options;
  const PursuitProblem problem{features, features, options};
  sfg::RunContext run;
  run.threads = 1;
  const PursuitPlan plan = plan_pursuit(problem, run);
  ASSERT_EQ(plan.screen, Screen::int8);
  EXPECT_EQ(plan.other_screens, (std::vector{Screen::bf16, Screen::f32}));

  run.memory_limit = static_cast<std::size_t>(plan.bytes()) + 1;
  EXPECT_TRUE(plan_pursuit(problem, run).other_screens.empty());
  run.memory_limit += 200 * 3000;  // one byte more for each entry
  EXPECT_EQ(plan_pursuit(problem, run).other_screens, std::vector{Screen::bf16});

  options.screen = Screen::int8;
  run.memory_limit = 0;
  EXPECT_TRUE(plan_pursuit(problem, run).other_screens.empty());
}

TEST(PursuitPlan, the_longer_the_lists_of_candidates_the_more_bits) {
  constexpr Index kFeatures = 10'000;
  PursuitPlan plan;
  plan.screen = Screen::int8;
  plan.other_screens = {Screen::bf16, Screen::f32};
  const auto after = [&](double candidates) {
    Representations trial;
    trial.candidates_per_step = candidates;
    return screen_after_trial(trial, plan, kFeatures);
  };
  if (int8_is_fast()) {
    EXPECT_EQ(after(1), Screen::int8);
    EXPECT_EQ(after(10), Screen::int8);
  }
  EXPECT_EQ(after(kFeatures), Screen::f32);
  // bf16 is worth a thought only where the processor has it.
  const bool has_bf16 =
      fastest_tile_kernel(Screen::bf16).speed > fastest_tile_kernel(Screen::f32).speed;
  bool seen_bf16 = false;
  for (double candidates = 1; candidates < kFeatures; candidates *= 1.1) {
    seen_bf16 = seen_bf16 || after(candidates) == Screen::bf16;
  }
  EXPECT_EQ(seen_bf16, has_bf16);

  plan.other_screens.clear();
  EXPECT_EQ(after(kFeatures), Screen::int8);
}

TEST(PursuitPlan, a_trial_that_turns_to_more_bits_changes_no_atom) {
  const auto features = normalise(smooth_curves(40, 4000), {});
  sfg::RunContext run;
  run.threads = 2;
  const auto with = [&](Screen screen) {
    PursuitOptions options;
    options.engine = Engine::stream;
    options.screen = screen;
    return pursue(features, options, run);
  };
  const Representations automatic = with(Screen::automatic);
  if (int8_is_fast()) {
    EXPECT_EQ(automatic.screen.find("int8"), std::string::npos) << automatic.screen;
  }
  for (const Screen screen : {Screen::int8, Screen::bf16, Screen::f32}) {
    const Representations found = with(screen);
    EXPECT_EQ(automatic.starts, found.starts);
    EXPECT_EQ(automatic.atoms, found.atoms);
    EXPECT_EQ(automatic.coefficients, found.coefficients);
  }
}

TEST(PursuitPlan, a_few_targets_of_many_atoms_count_by_their_squares_for_the_gram_matrix) {
  const auto with_atoms = [](std::vector<Index> counts) {
    Representations sample;
    for (const Index count : counts) {
      sample.atoms.resize(sample.atoms.size() + static_cast<std::size_t>(count));
      sample.starts.push_back(static_cast<Offset>(sample.atoms.size()));
      sample.status.push_back(PursuitStatus::small_gain);
    }
    return sample;
  };
  constexpr Index kSamples = 500;
  const EngineCosts even = engine_costs(with_atoms({10, 10, 10, 10}), Screen::f32, kSamples);
  const EngineCosts uneven = engine_costs(with_atoms({1, 1, 1, 37}), Screen::f32, kSamples);
  EXPECT_DOUBLE_EQ(even.stream, uneven.stream);
  // Columns read: 65 each; 2, 2, 2 and 740.
  EXPECT_GT(uneven.gram, even.gram);
  const EngineCosts none = engine_costs(with_atoms({0}), Screen::f32, kSamples);
  EXPECT_NEAR((uneven.gram - none.gram) / (even.gram - none.gram), 746.0 / 260.0, 1e-9);
}

TEST(PursuitPlan, an_estimate_settles_on_the_screen_that_a_run_settles_on) {
  const auto features = normalise(smooth_curves(40, 4000), {});
  PursuitOptions options;
  options.engine = Engine::stream;
  const PursuitEstimate estimate = sfg::estimate_pursuit(features, options, {});
  EXPECT_EQ(estimate.plan.kernel, pursue(features, options).screen);
}

TEST(PursuitPlan, an_estimate_settles_on_the_engine_that_a_run_settles_on) {
  // Noise takes dozens of atoms: the Gram matrix pays.
  const auto features = normalise(random_matrix(400, 2500, 3), {});
  const PursuitEstimate estimate = sfg::estimate_pursuit(features, {}, {});
  EXPECT_EQ(estimate.plan.engine, pursue(features, {}).engine);
  EXPECT_FALSE(estimate.plan.gram_fits) << "no choice is left";
  if (estimate.plan.engine == Engine::gram) {
    EXPECT_EQ(estimate.plan.kernel, "none");
    EXPECT_GE(estimate.plan.engine_bytes, 4.0 * 2500 * 2500);
  }
}

TEST(PursuitPlan, an_estimate_knows_that_doubtful_targets_end_early) {
  const auto features = normalise(random_matrix(100, 1500, 4), {});
  EarlyEnd early;
  early.doubtful.assign(1500, 1);
  early.enough = 1;
  early.most_atoms = 3;
  EXPECT_GT(sfg::estimate_pursuit(features, {}, {}).mean_atoms, 4);
  EXPECT_LE(estimate_pursuit(features, {}, {}, early).mean_atoms, 3);
}

}  // namespace
}  // namespace sfg::detail
