// The answer of the whole method: what is kept by default, and what is promised about the rest.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "core/random.hpp"
#include "helpers.hpp"
#include "reference.hpp"
#include "sfg/pipeline.hpp"
#include "sfg/synth.hpp"
#include "sfg/verdict.hpp"

namespace sfg {
namespace {

using testing::random_matrix;
using testing::table_of;
using testing::with_level;
using testing::with_threads;

MethodOptions with_unshared(Unshared unshared) {
  MethodOptions options;
  options.grouping = CompactOptions{.level = {.unshared = unshared}};
  return options;
}

/// 20 informative features, 200 noisy combinations of them, 300 columns of pure noise.
DenseMatrix signal_and_noise(Index n, std::uint64_t seed) {
  DenseMatrix data = random_matrix(n, 520, seed);
  detail::Random random(seed + 100);
  for (Index j = 20; j < 220; ++j) {
    std::vector<double> weights(20);
    for (double& weight : weights) weight = random.normal() / std::sqrt(20.0);
    for (Index i = 0; i < n; ++i) {
      data(i, j) *= 0.5;
      for (Index k = 0; k < 20; ++k) data(i, j) += weights[k] * data(i, k);
    }
  }
  return data;
}

struct Shape {
  Index samples;
  Index features;
};

class PlantedTables : public ::testing::TestWithParam<Shape> {};

TEST_P(PlantedTables, keep_one_of_every_family_no_sums_all_noise_and_lose_nothing) {
  SynthOptions synth;
  synth.n_samples = GetParam().samples;
  synth.n_features = GetParam().features;
  const SynthResult planted = synthesise(synth, 5);
  const MethodResult result = reduce(planted.dataset, with_unshared(Unshared::keep));
  const TruthReport report = compare_with_truth(planted.truth, result.reduction);
  EXPECT_EQ(report.families_with_one_kept, report.families);
  Index lost = 0;
  for (const PlantedOutcome& outcome : report.outcomes) {
    lost += outcome.lost;
    if (outcome.kind == PlantedKind::combination) {
      EXPECT_GE(outcome.removed, 0.95 * outcome.planted);
    }
    if (outcome.kind == PlantedKind::irrelevant) {
      EXPECT_EQ(outcome.removed, 0);
    }
  }
  EXPECT_LE(lost, 0.002 * synth.n_features);
}

INSTANTIATE_TEST_SUITE_P(Answer, PlantedTables,
                         ::testing::Values(Shape{300, 2000}, Shape{800, 1000}, Shape{200, 1500}),
                         [](const auto& info) {
                           return fmt::format("{}_x_{}", info.param.samples, info.param.features);
                         });

TEST(Unshared, noise_goes_and_no_signal_does) {
  const Dataset dataset = table_of(signal_and_noise(400, 1));
  const MethodResult result = reduce(dataset, with_unshared(Unshared::drop));
  Index noise = 0;
  for (const RemovedFeature& removed : result.reduction.removed) {
    if (removed.reason != RemovalReason::unshared) continue;
    EXPECT_GE(removed.feature, 220);
    EXPECT_EQ(removed.certificate, CertificateKind::unshared);
    EXPECT_EQ(removed.representative, -1);
    EXPECT_TRUE(removed.combination.terms.empty()) << "what explains noise is chance";
    EXPECT_EQ(removed.combination.r2, 0);
    ++noise;
  }
  EXPECT_GE(noise, 0.95 * 300);
}

TEST(Unshared, are_dropped_by_themselves_from_wide_tables_only) {
  const MethodResult wide = reduce(table_of(signal_and_noise(400, 2)), {});
  EXPECT_TRUE(wide.shared.dropped);
  EXPECT_GT(wide.shared.n_unshared, 250);
  const MethodResult tall = reduce(table_of(signal_and_noise(600, 2)), {});
  EXPECT_FALSE(tall.shared.dropped);
  const std::set<Index> kept(tall.reduction.kept.begin(), tall.reduction.kept.end());
  for (Index j = 220; j < 520; ++j) {
    EXPECT_TRUE(tall.shared.is_unshared[j] == 0 || kept.contains(j)) << j;
  }
}

TEST(Unshared, a_table_of_nothing_but_noise_is_kept_as_it_is) {
  const MethodResult result = reduce(table_of(random_matrix(60, 300, 3)), {});
  EXPECT_EQ(result.reduction.kept.size(), 300U);
  EXPECT_FALSE(result.shared.dropped);
}

TEST(Unshared, are_not_dropped_if_nothing_would_be_left) {
  const Dataset dataset = table_of(random_matrix(60, 200, 7));
  testing::expect_error(ErrorCode::degenerate_data, {"nothing would be left", "unshared"},
                        [&] { static_cast<void>(reduce(dataset, with_unshared(Unshared::drop))); });
}

TEST(Unshared, protected_features_stay) {
  const Dataset dataset = table_of(signal_and_noise(400, 4));
  MethodOptions options = with_unshared(Unshared::drop);
  options.keep = {300, 301};
  const auto kept = reduce(dataset, options).reduction.kept;
  for (const Index feature : {300, 301}) EXPECT_EQ(std::ranges::count(kept, feature), 1);
}

TEST(Unshared, nothing_is_called_so_on_fewer_than_thirty_samples) {
  const MethodResult result = reduce(table_of(signal_and_noise(29, 5)), {});
  EXPECT_FALSE(result.shared.looked_at);
  EXPECT_FALSE(reduce(table_of(signal_and_noise(30, 5)), {}).tried.empty());
}

TEST(Unshared, fill_up_where_more_features_are_asked_for_than_are_shared) {
  MethodOptions options;
  options.grouping = CompactOptions{.level = {.n_features = 400}};
  const MethodResult result = reduce(table_of(signal_and_noise(300, 6)), options);
  EXPECT_EQ(result.reduction.kept.size(), 400U);
}

TEST(ExactSums, go_at_the_automatic_level_so_that_a_long_table_keeps_its_rank) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    DenseMatrix data = random_matrix(160, 30, seed);
    detail::Random random(seed);
    const auto part = [&] { return static_cast<Index>(random.below(24)); };
    for (Index j = 24; j < 30; ++j) {
      const Index a = part();
      const Index b = (a + 1 + static_cast<Index>(random.below(23))) % 24;
      for (Index i = 0; i < 160; ++i) data(i, j) = data(i, a) + 2 * data(i, b) - 3;
    }
    const MethodResult result = reduce(table_of(std::move(data)), {});
    // Two of the sums may have the same parts.
    EXPECT_EQ(result.reduction.kept.size(), 24U) << "seed " << seed;
    EXPECT_EQ(result.reduction.equations.size(), 6U) << "seed " << seed;
  }
}

TEST(AutomaticLevel, keeps_the_neighbours_and_what_the_table_knows) {
  // 300 noisy mixtures of 12 sources: groups can stand for each other, none is a copy.
  DenseMatrix data = random_matrix(150, 300, 8);
  detail::Random random(9);
  DenseMatrix sources = random_matrix(150, 12, 10);
  for (Index j = 0; j < 300; ++j) {
    const Index a = j % 12;
    const double share = random.uniform(0, 0.4);
    for (Index i = 0; i < 150; ++i) {
      data(i, j) = sources(i, a) + share * sources(i, (a + 1) % 12) + 0.3 * data(i, j);
    }
  }
  for (const auto grouping : {GroupingKind::compact, GroupingKind::cover}) {
    MethodOptions options;
    options.grouping = with_level(grouping, {});
    const MethodResult result = reduce(table_of(data), options);
    EXPECT_LT(result.reduction.kept.size(), 240U) << choice_name(grouping);
    EXPECT_GE(result.neighbour_overlap, kUsualOverlap - 1e-12) << choice_name(grouping);
    const auto good = std::ranges::find(result.tried, true, &TriedLevel::is_good);
    ASSERT_NE(good, result.tried.end());
    EXPECT_TRUE(good->loss_ratio.has_value());
    EXPECT_EQ(static_cast<std::size_t>(good->n_kept), result.reduction.kept.size());
  }
}

TEST(AutomaticLevel, asks_for_more_neighbours_where_chance_would_keep_many) {
  EXPECT_DOUBLE_EQ(enough_overlap(1001), 0.01 + kUsualOverlap * 0.99);
  EXPECT_DOUBLE_EQ(enough_overlap(41), 0.25 + kUsualOverlap * 0.75);
  EXPECT_DOUBLE_EQ(chance_overlap(5), 0.5);  // half of the others are asked, not ten
  EXPECT_DOUBLE_EQ(chance_overlap(1), 1.0);
  // Features that know nothing of the others keep as many neighbours as chance does.
  const UnitFeatures centred = normalise(random_matrix(60, 400, 21), {Centering::mean});
  std::vector<Index> first(200);
  std::vector<Index> second(200);
  std::iota(first.begin(), first.end(), Index{0});
  std::iota(second.begin(), second.end(), Index{200});
  const SampleNeighbours neighbours(centred, first, {}, {});
  EXPECT_NEAR(neighbours.overlap(second, {}), chance_overlap(60), 0.05);
}

TEST(AutomaticLevel, families_of_near_copies_go_whatever_they_do_to_neighbours) {
  // 30 independent features, ten of them with twenty near-copies: neighbours change a lot.
  DenseMatrix data = random_matrix(120, 230, 11);
  for (Index j = 30; j < 230; ++j) {
    for (Index i = 0; i < 120; ++i) data(i, j) = data(i, j % 10) + 0.03 * data(i, j);
  }
  const MethodResult result = reduce(table_of(std::move(data)), with_unshared(Unshared::keep));
  EXPECT_EQ(result.reduction.kept.size(), 30U);
  EXPECT_LT(result.neighbour_overlap, kUsualOverlap);
  EXPECT_GE(result.reduction.mean_best_r2, 0.99);
}

TEST(Answer, is_the_same_for_any_threads_and_for_permuted_and_rescaled_columns) {
  const DenseMatrix data = signal_and_noise(120, 12);
  const auto kept = reduce(table_of(data), {}, with_threads(1)).reduction.kept;
  EXPECT_EQ(reduce(table_of(data), {}, with_threads(3)).reduction.kept, kept);
  const Index d = data.n_features();
  DenseMatrix other(data.n_samples(), d);
  for (Index j = 0; j < d; ++j) {
    for (Index i = 0; i < data.n_samples(); ++i) {
      other(i, j) = std::ldexp(data(i, d - 1 - j), j % 9 - 4);
    }
  }
  std::vector<Index> moved = reduce(table_of(std::move(other)), {}).reduction.kept;
  for (Index& feature : moved) feature = d - 1 - feature;
  std::ranges::sort(moved);
  EXPECT_EQ(moved, kept);
}

TEST(Certify, keeps_few_features_where_few_suffice) {
  // A smooth curve: 120 points on sums of three waves.
  DenseMatrix data(100, 120);
  const DenseMatrix weights = random_matrix(100, 3, 13);
  detail::Random random(14);
  for (Index i = 0; i < 100; ++i) {
    for (Index j = 0; j < 120; ++j) {
      const double x = j / 120.0;
      data(i, j) = weights(i, 0) * std::sin(5 * x) + weights(i, 1) * std::cos(7 * x) +
                   weights(i, 2) * x + 0.001 * random.normal();
    }
  }
  MethodOptions options;
  options.reduce.certify = 0.99;
  const MethodResult result = reduce(table_of(std::move(data)), options);
  EXPECT_LE(result.reduction.kept.size(), 12U);
  for (const RemovedFeature& removed : result.reduction.removed) {
    EXPECT_GE(*removed.held_out_r2, 0.99);
    EXPECT_GE(removed.representative, 0) << "every one has a substitute";
  }
}

TEST(Verdict, says_in_plain_words_what_became_of_the_features) {
  const MethodResult result = reduce(table_of(signal_and_noise(400, 1)), {});
  const std::string text = verdict({}, result);
  EXPECT_NE(text.find("520 features: "), std::string::npos);
  EXPECT_NE(text.find("redundant"), std::string::npos);
  EXPECT_NE(text.find("share nothing with the others (noise, or unique)"), std::string::npos);
  EXPECT_NE(text.find("nearest neighbours"), std::string::npos);
  const ReductionCounts counts = count_reduction(result);
  EXPECT_EQ(
      counts.kept + counts.redundant + counts.exact + counts.unshared_dropped + counts.no_variation,
      counts.n_features);
}

/// Ten sources, and four noisy copies of each.
Dataset copies_of_ten() {
  DenseMatrix data = random_matrix(200, 50, 3);
  for (Index j = 10; j < 50; ++j) {
    for (Index i = 0; i < 200; ++i) data(i, j) = data(i, j % 10) + 0.2 * data(i, j);
  }
  return table_of(std::move(data));
}

TEST(Verdict, claims_no_more_than_the_rule_promises) {
  const Dataset table = copies_of_ten();
  LevelOptions number{.n_features = 5};
  LevelOptions share{.keep_share = 0.1};
  LevelOptions overlap{.min_overlap = 0.7};
  const std::string all = "say what all of them say";
  const std::vector<std::pair<MethodOptions, std::string>> cases{
      {{}, all},
      {{CompactOptions{.level = number}}, "50 features: 5 are kept, as many as were asked for."},
      {{CompactOptions{.level = share}}, "5 are kept, for a share of 0.1."},
      {{CoverOptions{.level = overlap}}, "70 % of the samples' nearest neighbours to stay."},
      {{ComponentOptions{.n_permutations = 0, .theta = 0.1}}, "one of each group at theta 0.1."},
      {{PairwiseOptions{.max_r2 = 0.8}}, "no two of them with an r2 above 0.8, and every other"},
      {{CoverOptions{}, {}, {.certify = 0.5}}, "held-out samples with an R2 of at least 0.5."}};
  for (const auto& [options, claim] : cases) {
    const std::string text = verdict(options, reduce(table, options));
    EXPECT_NE(text.find(claim), std::string::npos) << text;
    EXPECT_EQ(text.find(all) != std::string::npos, claim == all) << text;
  }
}

TEST(Verdict, says_how_near_the_substitutes_are_where_a_number_was_asked_for) {
  MethodOptions options;
  std::get<CompactOptions>(options.grouping).level.n_features = 5;
  const MethodResult result = reduce(copies_of_ten(), options);
  const std::string text = verdict(options, result);
  EXPECT_EQ(text.find("redundant"), std::string::npos) << text;
  EXPECT_NE(text.find("a substitute among them (mean r2 0."), std::string::npos) << text;
}

}  // namespace
}  // namespace sfg
