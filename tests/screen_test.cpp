// Screening: every kernel against the plain one, the error bound against exact products, and the
// promise that no possible winner is lost.
#include "pursuit/engines/stream/stream_finder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/random.hpp"
#include "pursuit/engines/stream/first_pass.hpp"
#include "pursuit/omp/tolerances.hpp"
#include "reference.hpp"

namespace sfg::detail {
namespace {

using testing::random_matrix;
using testing::tied_matrix;

/// Data that are hard to quantise, each in its own way.
DenseMatrix hard_matrix(Index n, Index d, int kind, std::uint64_t seed) {
  DenseMatrix matrix = kind == 1 ? tied_matrix(n, d, seed) : random_matrix(n, d, seed);
  Random random(seed + 1);
  for (Index k = 0; k < d; ++k) {
    for (double& value : matrix.column(k)) {
      if (kind == 2) value += 20;                                       // one common direction
      if (kind == 3) value = std::pow(value, 9);                        // a few large entries
      if (kind == 4) value *= std::pow(10, random.uniform(-160, 160));  // every magnitude
      if (kind == 5) value = 1 + 1e-14 * value;                         // hardly anything else
    }
  }
  return matrix;
}

double exact_product(const DenseMatrix& columns, Index k, const std::vector<double>& q) {
  long double sum = 0;
  for (std::size_t i = 0; i < q.size(); ++i) {
    sum += static_cast<long double>(columns.column(k)[i]) * q[i];
  }
  return static_cast<double>(sum);
}

class EveryKernel : public ::testing::TestWithParam<std::size_t> {
 protected:
  static TileKernel kernel() { return available_tile_kernels()[GetParam()]; }
};

Duplicates no_duplicates(const UnitFeatures& features) {
  return {std::vector<Index>(static_cast<std::size_t>(features.n_features()), -1)};
}

/// All values of one vector, repeated in every place of a group, against exact products.
void expect_bound(const UnitFeatures& features, const TileKernel& kernel,
                  const std::vector<double>& q) {
  const auto& columns = std::get<DenseMatrix>(features.matrix);
  const ScreenStore store(features, no_duplicates(features), kernel, {});
  PackedVector packed;
  store.pack(q.data(), packed);
  TileTargets targets;
  std::vector<std::uint32_t> words(store.n_rows() * kernel.n_targets);
  for (std::size_t t = 0; t < kernel.n_targets; ++t)
    store.set_target(packed, t, words.data(), targets);
  TileResult result;
  for (std::size_t panel = 0; panel < store.n_panels(); ++panel) {
    ASSERT_EQ(kernel.run(store.panel(panel), &targets, 1, result), 0U);
    for (std::size_t lane = 0; lane < kPanelFeatures; ++lane) {
      const Index k = store.feature(panel, lane);
      if (k < 0) continue;
      const double error = store.error_bound(packed, panel, lane);
      for (std::size_t t = 0; t < kernel.n_targets; ++t) {
        const double value =
            static_cast<double>(result.values[t * kPanelFeatures + lane]) * packed.unit;
        ASSERT_LE(std::fabs(value - exact_product(columns, k, q)), error) << kernel.name;
      }
    }
  }
}

TEST_P(EveryKernel, stays_within_the_error_bound_for_every_length_and_kind_of_data) {
  for (const Index n : {1, 2, 3, 4, 5, 7, 8, 9, 31, 64, 65, 130, 1000}) {
    for (int kind = 0; kind < 5; ++kind) {
      SCOPED_TRACE(n * 10 + kind);
      const auto features =
          normalise(hard_matrix(n, 37, kind, static_cast<std::uint64_t>(n * 10 + kind)), {});
      Random random(7);
      std::vector<double> q(static_cast<std::size_t>(n));
      for (double& value : q) value = random.normal() * std::pow(10, random.uniform(-6, 0));
      expect_bound(features, kernel(), q);
    }
  }
}

/// The worst case of sums that wrap around: all of both vectors in one half of one segment, spread
/// evenly or in few entries, with equal and opposite sign.
TEST_P(EveryKernel, stays_within_the_error_bound_where_the_sums_are_largest) {
  constexpr Index kSamples = 512;
  DenseMatrix matrix(kSamples, 48);
  for (Index k = 0; k < 48; ++k) {
    const auto segment = static_cast<std::size_t>(k % 4) * 128;
    const std::size_t half = k % 8 < 4 ? 0 : 2;
    const auto spread = static_cast<std::size_t>(1 + k / 8 * 12);
    for (std::size_t i = 0; i < spread; ++i) {
      matrix.column(k)[segment + i / 2 * 4 + half + i % 2] = k % 3 == 0 ? -1 : 1;
    }
  }
  const auto features = normalise(matrix, {});
  const auto& columns = std::get<DenseMatrix>(features.matrix);
  for (Index k = 0; k < 48; ++k) {
    std::vector<double> q(columns.column(k).begin(), columns.column(k).end());
    expect_bound(features, kernel(), q);
    for (double& value : q) value *= -0.99;
    expect_bound(features, kernel(), q);
  }
}

TEST_P(EveryKernel, marks_as_hits_exactly_the_values_at_or_above_the_limits) {
  const auto features = normalise(random_matrix(50, 64, 3), {});
  const ScreenStore store(features, no_duplicates(features), kernel(), {});
  TileTargets targets;
  std::vector<std::uint32_t> words(store.n_rows() * kernel().n_targets);
  for (std::size_t t = 0; t < kernel().n_targets; ++t) {
    PackedVector packed;
    store.pack(random_matrix(50, 1, t + 9).data(), packed);
    store.set_target(packed, t, words.data(), targets);
    store.set_threshold(packed, t, 0.8, targets);
  }
  const std::vector<float> lane_threshold(kPanelFeatures, 0.9F);
  TileResult result;
  for (std::size_t p = 0; p < store.n_panels(); ++p) {
    TilePanel panel = store.panel(p);
    panel.lane_threshold = lane_threshold.data();
    const bool any = kernel().run_both(panel, &targets, 1, result) == 0;
    bool expected_any = false;
    for (std::size_t t = 0; t < kernel().n_targets; ++t) {
      const float error = targets.error[t] * panel.error + targets.length[t] * panel.length;
      for (std::size_t lane = 0; lane < kPanelFeatures; ++lane) {
        const float value = std::fabs(result.values[t * kPanelFeatures + lane]);
        const bool hit = value >= targets.threshold[t] - error;
        const bool lane_hit = (value + (error + targets.slack[t])) * targets.unit[t] >= 0.9F;
        expected_any = expected_any || hit || lane_hit;
        EXPECT_EQ((result.hits[t] >> lane) & 1U, hit ? 1U : 0U);
        EXPECT_EQ((result.lane_hits[t] >> lane) & 1U, lane_hit ? 1U : 0U);
      }
    }
    EXPECT_EQ(any, expected_any);
  }
}

/// What a kernel must report of a pair, from its value and the definitions in tile.hpp.
struct ExpectedHits {
  const TilePanel& panel;
  const TileTargets& targets;

  [[nodiscard]] float error(std::size_t t) const {
    return targets.error[t] * panel.error + targets.length[t] * panel.length;
  }
  [[nodiscard]] bool hit(std::size_t t, float value) const {
    return std::fabs(value) >= targets.threshold[t] - error(t);
  }
  /// The highest threshold of a lane that the value still reaches.
  [[nodiscard]] float reached(std::size_t t, float value) const {
    return (std::fabs(value) + (error(t) + targets.slack[t])) * targets.unit[t];
  }
};

/// Compares what both forms of a kernel report with what they must, given all values.
void expect_hits(const TileKernel& kernel, const TilePanel& panel, const TileTargets& targets,
                 const float* values) {
  const ExpectedHits expected{panel, targets};
  std::uint32_t any = 0;
  std::uint32_t any_lane = 0;
  std::uint32_t hits[kMostTileTargets] = {};
  std::uint32_t lane_hits[kMostTileTargets] = {};
  for (std::size_t t = 0; t < kernel.n_targets; ++t) {
    for (std::size_t lane = 0; lane < kPanelFeatures; ++lane) {
      const float value = values[t * kPanelFeatures + lane];
      if (expected.hit(t, value)) hits[t] |= 1U << lane;
      if (expected.reached(t, value) >= panel.lane_threshold[lane]) lane_hits[t] |= 1U << lane;
    }
    any |= hits[t];
    any_lane |= lane_hits[t];
  }
  TileResult found;
  ASSERT_EQ(kernel.run(panel, &targets, 1, found), any != 0 ? 0U : 1U) << kernel.name;
  for (std::size_t t = 0; any != 0 && t < kernel.n_targets; ++t) ASSERT_EQ(found.hits[t], hits[t]);
  ASSERT_EQ(kernel.run_both(panel, &targets, 1, found), (any | any_lane) != 0 ? 0U : 1U)
      << kernel.name;
  for (std::size_t t = 0; (any | any_lane) != 0 && t < kernel.n_targets; ++t) {
    ASSERT_EQ(found.hits[t], hits[t]);
    ASSERT_EQ(found.lane_hits[t], lane_hits[t]);
  }
}

/// Kernels may rule out a whole group before they make its values. Thresholds at the values
/// themselves, a little above and below, such that nothing reaches, and below zero; one, two and
/// three segments of int8.
TEST_P(EveryKernel, rules_out_no_group_in_which_a_vector_or_a_feature_has_a_hit) {
  constexpr float kNever = std::numeric_limits<float>::infinity();
  const std::size_t n_targets = kernel().n_targets;
  for (const Index n : {1, 5, 50, 96, 130, 300}) {
    for (int kind = 0; kind < 6; ++kind) {
      SCOPED_TRACE(n * 10 + kind);
      const auto seed = static_cast<std::uint64_t>(n * 10 + kind);
      const auto features = normalise(hard_matrix(n, 40, kind, seed), {});
      const ScreenStore store(features, no_duplicates(features), kernel(), {});
      TileTargets targets;
      std::vector<std::uint32_t> words(store.n_rows() * n_targets);
      for (std::size_t t = 0; t < n_targets; ++t) {
        PackedVector packed;
        const auto other = normalise(hard_matrix(n, 1, kind, seed + t + 1), {});
        store.pack(std::get<DenseMatrix>(other.matrix).data(), packed);
        store.set_target(packed, t, words.data(), targets);
      }
      for (std::size_t p = 0; p < store.n_panels(); ++p) {
        TilePanel panel = store.panel(p);
        std::vector<float> lane_threshold(kPanelFeatures, kNever);
        panel.lane_threshold = lane_threshold.data();
        TileResult all;
        std::ranges::fill(targets.threshold, 0.0F);
        ASSERT_EQ(kernel().run(panel, &targets, 1, all), 0U);
        const ExpectedHits at{panel, targets};
        for (std::size_t lane = 0; lane < kPanelFeatures; ++lane) {
          const std::size_t t = lane % n_targets;
          const float value = all.values[t * kPanelFeatures + lane];
          for (const float factor : {0.999F, 1.0F, 1.001F, 1e9F, -1.0F, -1e9F}) {
            std::ranges::fill(targets.threshold, kNever);
            targets.threshold[t] = std::fabs(value) * factor + at.error(t);
            expect_hits(kernel(), panel, targets, all.values);
            std::ranges::fill(targets.threshold, kNever);
            lane_threshold[lane] = at.reached(t, value) * factor;
            expect_hits(kernel(), panel, targets, all.values);
            lane_threshold[lane] = kNever;
          }
        }
      }
    }
  }
}

TEST_P(EveryKernel, loses_no_atom_that_may_win) {
  for (int kind = 0; kind < 5; ++kind) {
    const Index n = 40;
    const Index d = 300;
    const auto features = normalise(hard_matrix(n, d, kind, 5), {});
    const auto& columns = std::get<DenseMatrix>(features.matrix);
    sfg::RunContext run;
    run.threads = 1;
    const Duplicates none = no_duplicates(features);
    StreamFinder finder(features, none, kernel(), run);
    std::vector<SampleVector> residuals;
    std::vector<Query> queries;
    for (Index i = 0; i < 25; ++i) {
      SampleVector& residual = residuals.emplace_back(1, 0.0);
      residual.insert(residual.end(), columns.column(i).begin(), columns.column(i).end());
    }
    std::vector<Index> own(25);
    for (std::size_t i = 0; i < residuals.size(); ++i) {
      own[i] = static_cast<Index>(i);
      Query& query = queries.emplace_back();
      query.residual = &residuals[i];
      query.forbidden = {&own[i], 1};
    }
    std::vector<CandidateList> lists(queries.size());
    finder.find(queries, lists, 0);
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const std::vector<double> target(residuals[i].begin() + 1, residuals[i].end());
      double best = 0;
      for (Index k = 0; k < d; ++k) {
        if (k != own[i]) best = std::max(best, std::fabs(exact_product(columns, k, target)));
      }
      EXPECT_TRUE(std::ranges::is_sorted(lists[i], {}, &Candidate::feature));
      for (Index k = 0; k < d; ++k) {
        if (features.kind[k] != FeatureKind::regular) continue;
        const bool listed = std::ranges::binary_search(lists[i], k, {}, &Candidate::feature);
        if (k == own[i]) {
          EXPECT_FALSE(listed);
        } else if (std::fabs(exact_product(columns, k, target)) >= best - kScoreTie) {
          EXPECT_TRUE(listed) << kernel().name << " kind " << kind << " target " << i;
        }
      }
    }
  }
}

TEST_P(EveryKernel, loses_no_first_atom_that_may_win_when_each_product_serves_two_features) {
  for (int kind = 0; kind < 5; ++kind) {
    const Index d = 330;  // more than one block of targets, and a panel that is not full
    const auto features = normalise(hard_matrix(40, d, kind, 6), {});
    const auto& columns = std::get<DenseMatrix>(features.matrix);
    const TileKernel used = kernel();
    const Duplicates none = no_duplicates(features);
    const ScreenStore store(features, none, used, {});
    for (const int threads : {1, 3}) {
      sfg::RunContext run;
      run.threads = threads;
      const FirstCandidates first = first_candidates(features, none, store, used, run);
      for (Index i = 0; i < d; ++i) {
        if (features.kind[i] != FeatureKind::regular) continue;
        const std::vector<double> target(columns.column(i).begin(), columns.column(i).end());
        std::vector<double> scores;
        for (Index k = 0; k < d; ++k) {
          scores.push_back(k == i ? 0 : std::fabs(exact_product(columns, k, target)));
        }
        const double best = *std::ranges::max_element(scores);
        const auto list = first.of(i);
        EXPECT_TRUE(std::ranges::is_sorted(list, {}, &Candidate::feature));
        EXPECT_FALSE(std::ranges::binary_search(list, i, {}, &Candidate::feature));
        for (Index k = 0; k < d; ++k) {
          if (k == i || scores[k] < best - kScoreTie) continue;
          EXPECT_TRUE(std::ranges::binary_search(list, k, {}, &Candidate::feature))
              << used.name << " kind " << kind << " target " << i << " atom " << k;
        }
      }
    }
  }
}

std::string kernel_name(const ::testing::TestParamInfo<std::size_t>& info) {
  std::string name = available_tile_kernels()[info.param].name;
  std::ranges::replace(name, ' ', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Screen, EveryKernel,
                         ::testing::Range<std::size_t>(0, available_tile_kernels().size()),
                         kernel_name);

TEST(Screen, keeps_its_bound_at_100000_samples) {
  const auto features = normalise(random_matrix(100'000, 5, 1), {});
  const auto& columns = std::get<DenseMatrix>(features.matrix);
  const std::vector<double> q(columns.column(4).begin(), columns.column(4).end());
  for (const TileKernel& kernel : available_tile_kernels()) {
    expect_bound(features, kernel, q);
  }
}

/// Entries of one size: no vector is longer in whole numbers, and its product with itself or its
/// opposite is as large as a sum of 32 bits can be.
TEST(Screen, keeps_its_bound_where_whole_vectors_fill_the_sums) {
  constexpr Index kSamples = 140'000;
  DenseMatrix matrix(kSamples, 3);
  Random random(2);
  for (Index k = 0; k < 3; ++k) {
    for (double& value : matrix.column(k)) value = k == 0 || random.uniform() < 0.5 ? 1 : -1;
  }
  const auto features = normalise(matrix, {});
  const auto& columns = std::get<DenseMatrix>(features.matrix);
  for (const TileKernel& kernel : available_tile_kernels()) {
    for (Index k = 0; k < 3; ++k) {
      std::vector<double> q(columns.column(k).begin(), columns.column(k).end());
      expect_bound(features, kernel, q);
      for (double& value : q) value = -value;
      expect_bound(features, kernel, q);
    }
  }
}

}  // namespace
}  // namespace sfg::detail
