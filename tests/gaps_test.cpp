// Cells without a value: what is evidence, what fills them meanwhile, and what that may not change.
#include "sfg/gaps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "gaps.hpp"
#include "helpers.hpp"
#include "program.hpp"
#include "reference.hpp"
#include "sfg/sfg.hpp"

namespace sfg {
namespace {

using testing::expect_error;
using testing::random_matrix;
using testing::table_of;
using testing::with_threads;

using testing::families;
using testing::kGap;
using testing::with_holes;

/// Unit features of the table as it would be filled with `filling` in every gap, and its gaps.
UnitFeatures filled_with(DenseMatrix table, double filling) {
  const auto gaps = find_gaps(Matrix(table));
  for (Index j = 0; j < table.n_features(); ++j) {
    for (double& value : table.column(j)) value = std::isnan(value) ? filling : value;
  }
  UnitFeatures features = normalise(Matrix(table), {Centering::mean});
  features.gaps = gaps;
  return features;
}

/// Pearson's formula over the samples that both have, from the values as they were.
double slow_r(const DenseMatrix& table, Index a, Index b) {
  std::vector<double> x, y;
  for (Index i = 0; i < table.n_samples(); ++i) {
    if (std::isnan(table(i, a)) || std::isnan(table(i, b))) continue;
    x.push_back(table(i, a));
    y.push_back(table(i, b));
  }
  if (static_cast<Index>(x.size()) < kFewestCommon) return 0;
  const auto mean = [](const std::vector<double>& v) {
    return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
  };
  const double mx = mean(x), my = mean(y);
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mx) * (x[i] - mx);
    yy += (y[i] - my) * (y[i] - my);
    xy += (x[i] - mx) * (y[i] - my);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

/// Every number of a result that a user sees.
void expect_finite(const MethodResult& result) {
  EXPECT_TRUE(std::isfinite(result.reduction.mean_r2));
  EXPECT_TRUE(std::isfinite(result.reduction.mean_best_r2));
  EXPECT_TRUE(std::isfinite(result.neighbour_overlap));
  for (const RemovedFeature& one : result.reduction.removed) {
    EXPECT_TRUE(std::isfinite(one.r2) && std::isfinite(one.best_kept_r2));
    EXPECT_TRUE(std::isfinite(one.held_out_r2.value_or(0)));
    EXPECT_TRUE(std::isfinite(one.combination.intercept) && std::isfinite(one.combination.r2));
    for (const Term& term : one.combination.terms) EXPECT_TRUE(std::isfinite(term.coefficient));
  }
}

MethodOptions with_grouping(GroupingKind kind) {
  MethodOptions options;
  options.grouping = usual_grouping(kind);
  return options;
}

TEST(Gaps, a_correlation_is_that_of_the_samples_that_both_have) {
  for (const unsigned percent : {5U, 40U, 70U}) {
    const DenseMatrix table = with_holes(families(60, 3, 5), percent, 3);
    const UnitFeatures features = filled_with(table, 2.5);
    for (Index a = 0; a < table.n_features(); ++a) {
      for (Index b = 0; b < a; ++b) {
        EXPECT_NEAR(observed_correlation(features, a, b), slow_r(table, a, b), 1e-12);
      }
    }
  }
}

TEST(Gaps, what_fills_them_changes_no_correlation_and_no_nearest_kept_feature) {
  const DenseMatrix table = with_holes(families(80, 4, 9), 20, 4);
  const UnitFeatures one = filled_with(table, 0.1);
  const UnitFeatures other = filled_with(table, -30);
  const std::vector<Index> kept{1, 4, 7, 10};
  const auto nearest = nearest_kept(one, kept);
  const auto nearest_other = nearest_kept(other, kept);
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    EXPECT_EQ(nearest[i].feature, nearest_other[i].feature);
    EXPECT_NEAR(nearest[i].r2, nearest_other[i].r2, 1e-10);
  }
}

TEST(Gaps, features_that_were_never_observed_together_are_no_evidence_for_each_other) {
  DenseMatrix table = families(60, 2, 2);
  for (Index i = 0; i < 60; ++i) table(i, i < 30 ? 0 : 1) = kGap;
  EXPECT_EQ(observed_correlation(filled_with(table, 0), 0, 1), 0);
}

TEST(Gaps, nine_common_samples_say_nothing_and_ten_do) {
  DenseMatrix table = families(60, 1, 2);
  for (Index i = 10; i < 60; ++i) table(i, 0) = kGap;
  EXPECT_GT(observed_correlation(filled_with(table, 0), 0, 1), 0.9);
  table(9, 0) = kGap;
  EXPECT_EQ(observed_correlation(filled_with(table, 0), 0, 1), 0);
}

TEST(Gaps, a_feature_that_is_constant_over_the_common_samples_has_no_correlation) {
  DenseMatrix table = random_matrix(40, 2, 8);
  for (Index i = 0; i < 40; ++i) table(i, 0) = i == 7 ? 1e6 : 0.1;
  table(7, 1) = kGap;
  EXPECT_EQ(observed_correlation(filled_with(table, 0), 0, 1), 0);
}

TEST(Gaps, sparse_tables_have_the_correlations_of_dense_ones) {
  DenseMatrix table = families(50, 2, 6);
  for (Index j = 0; j < table.n_features(); ++j) {
    for (Index i = 0; i < 50; i += 3) table(i, j) = 0;
  }
  table = with_holes(table, 15, 6);
  const UnitFeatures dense = filled_with(table, 1.5);
  UnitFeatures sparse = normalise(Matrix(to_sparse(table)), {Centering::mean});
  Matrix matrix(to_sparse(table));
  const auto gaps = find_gaps(matrix);
  fill_gaps(matrix, *gaps);
  sparse = normalise(matrix, {Centering::mean});
  sparse.gaps = gaps;
  for (Index a = 1; a < table.n_features(); ++a) {
    EXPECT_NEAR(observed_correlation(dense, a, a - 1), observed_correlation(sparse, a, a - 1),
                1e-9);
  }
}

TEST(Gaps, held_out_r2_counts_observed_samples_alone_whatever_fills_the_gaps) {
  const DenseMatrix table = with_holes(families(100, 4, 13), 0, 1);
  DenseMatrix holed = table;
  for (Index i = 0; i < 100; i += 4) holed(i, 1) = kGap;
  const std::vector<Index> kept{0, 3, 6, 9};
  const std::vector<HeldOutTarget> targets{{1, {}}, {4, {}}, {7, {}}};
  const UnitFeatures low = filled_with(holed, -5);
  const UnitFeatures high = filled_with(holed, 40);
  const auto r2 = held_out_r2(low, kept, targets, {});
  const auto r2_again = held_out_r2(high, kept, targets, {});
  for (std::size_t k = 0; k < targets.size(); ++k) EXPECT_NEAR(r2[k], r2_again[k], 1e-9);
  const UnitFeatures whole = normalise(Matrix(table), {Centering::mean});
  EXPECT_NEAR(r2[0], held_out_r2(whole, kept, targets, {})[0], 0.02);
}

TEST(Gaps, a_certificate_does_not_know_the_cells_that_a_feature_lacks) {
  // Two tables that differ in cells that are missing from both: every word about it is the same.
  DenseMatrix one = families(90, 4, 31), other = one;
  for (Index i = 0; i < 90; i += 5) {
    other(i, 2) = 17;
    one(i, 2) = other(i, 2) = kGap;
  }
  const MethodResult a = reduce(table_of(one), {});
  const MethodResult b = reduce(table_of(other), {});
  EXPECT_EQ(a.reduction.kept, b.reduction.kept);
  EXPECT_EQ(a.reduction.mean_r2, b.reduction.mean_r2);
}

TEST(Gaps, families_are_found_as_without_gaps) {
  const DenseMatrix whole = families(120, 5, 41);
  const MethodResult with = reduce(table_of(with_holes(whole, 5, 5)), {});
  const MethodResult without = reduce(table_of(whole), {});
  EXPECT_EQ(with.reduction.kept.size(), without.reduction.kept.size());
  for (const RemovedFeature& one : with.reduction.removed) {
    if (one.reason == RemovalReason::redundant) {
      EXPECT_GT(one.r2, 0.95);
    }
  }
}

TEST(Gaps, an_exact_sum_is_one_where_it_holds_in_all_samples_that_have_its_terms) {
  const DenseMatrix drawn = random_matrix(150, 5, 77);
  DenseMatrix table(150, 6);
  for (Index i = 0; i < 150; ++i) {
    for (Index j = 0; j < 5; ++j) table(i, j) = drawn(i, j);
    table(i, 5) = 3 + 2 * drawn(i, 0) - drawn(i, 1);
  }
  for (Index i = 0; i < 150; i += 20) table(i, 0) = table(i + 3, 5) = kGap;
  const MethodResult found = reduce(table_of(table), {});
  ASSERT_EQ(found.reduction.equations.size(), 1U);
  const Equation& one = found.reduction.equations.front();
  EXPECT_LT(one.residual, 1e-9);
  double sum = one.combination.intercept;
  for (const Term& term : one.combination.terms) sum += term.coefficient * table(1, term.feature);
  EXPECT_NEAR(sum, table(1, one.feature), 1e-9);
  // One sample that speaks against it is enough.
  table(1, 5) += 0.5;
  EXPECT_TRUE(reduce(table_of(table), {}).reduction.equations.empty());
}

TEST(Gaps, pairwise_keeps_its_promise_over_the_common_samples) {
  const DenseMatrix table = with_holes(families(80, 5, 51), 25, 9);
  MethodOptions options = with_grouping(GroupingKind::pairwise);
  std::get<PairwiseOptions>(options.grouping).max_r2 = 0.7;
  const MethodResult result = reduce(table_of(table), options);
  const auto& kept = result.reduction.kept;
  for (const Index a : kept) {
    for (const Index b : kept) {
      if (a < b) {
        EXPECT_LT(std::pow(slow_r(table, a, b), 2), 0.7);
      }
    }
  }
  for (const RemovedFeature& one : result.reduction.removed) {
    EXPECT_GE(one.best_kept_r2, 0.7 - 1e-9);
    EXPECT_NEAR(one.best_kept_r2, std::pow(slow_r(table, one.feature, one.best_kept), 2), 1e-10);
    EXPECT_NEAR(one.r2, std::pow(slow_r(table, one.feature, one.representative), 2), 1e-10);
  }
}

TEST(Gaps, no_share_of_them_and_no_shape_crashes_or_leaves_a_number_that_is_none) {
  for (const GroupingKind kind : {GroupingKind::compact, GroupingKind::cover,
                                  GroupingKind::components, GroupingKind::pairwise}) {
    for (const unsigned percent : {0U, 1U, 30U, 60U, 80U, 90U}) {
      Dataset data = table_of(with_holes(families(80, 3, 3), percent, percent + 1));
      try {
        static_cast<void>(resolve_missing(data, Missing::pairwise));
        expect_finite(reduce(data, with_grouping(kind)));
      } catch (const Error& error) {
        // Of 80 samples 90 % leave some features too few values, perhaps all of them.
        EXPECT_EQ(percent, 90U) << error.what();
        EXPECT_EQ(error.code(), ErrorCode::degenerate_data);
      }
    }
    DenseMatrix blocks = families(80, 4, 4);
    for (Index i = 0; i < 80; ++i) {
      for (Index j = 0; j < 6; ++j) {
        if ((i < 40) == (j < 3)) blocks(i, j) = kGap;
      }
      // Whole rows.
      if (i > 70) {
        for (Index j = 0; j < 13; ++j) blocks(i, j) = kGap;
      }
    }
    expect_finite(reduce(table_of(blocks), with_grouping(kind)));
  }
}

TEST(Gaps, a_feature_with_next_to_no_values_is_named) {
  DenseMatrix table = families(40, 3, 4);
  for (Index i = 9; i < 40; ++i) table(i, 2) = kGap;
  expect_error(ErrorCode::degenerate_data, {"f2", "fewer than 10"},
               [&] { static_cast<void>(reduce(table_of(table), {})); });
  Dataset data = table_of(table);
  const MissingReport report = resolve_missing(data, Missing::pairwise);
  EXPECT_EQ(report.dropped, std::vector<std::string>{"f2"});
  EXPECT_EQ(n_features(data.matrix), 9);
}

TEST(Gaps, are_left_in_the_data) {
  Dataset data = table_of(with_holes(families(50, 3, 4), 10, 4));
  const auto before = find_gaps(data.matrix);
  static_cast<void>(resolve_missing(data, Missing::pairwise));
  static_cast<void>(reduce(data, {}));
  EXPECT_EQ(find_gaps(data.matrix)->rows, before->rows);
}

TEST(Gaps, the_answer_does_not_depend_on_threads) {
  const Dataset data = table_of(with_holes(families(80, 6, 61), 20, 6));
  const MethodResult one = reduce(data, {}, with_threads(1));
  const MethodResult three = reduce(data, {}, with_threads(3));
  EXPECT_EQ(one.reduction.kept, three.reduction.kept);
  EXPECT_EQ(one.reduction.certificate.r2, three.reduction.certificate.r2);
  EXPECT_EQ(one.reduction.mean_r2, three.reduction.mean_r2);
}

TEST(Gaps, ranks_are_those_among_the_values_that_are_there) {
  DenseMatrix table(5, 1);
  const std::vector<double> values{30, kGap, 10, 20, 20};
  std::ranges::copy(values, table.column(0).begin());
  Dataset data = table_of(table);
  transform(data, Transform::rank, Centering::none);
  const auto& ranks = std::get<DenseMatrix>(data.matrix);
  EXPECT_EQ(ranks(0, 0), 4);
  EXPECT_TRUE(std::isnan(ranks(1, 0)));
  EXPECT_EQ(ranks(2, 0), 1);
  EXPECT_EQ(ranks(3, 0), 2.5);
}

/// A table of text with gaps, from a matrix.
std::string holed_text(const DenseMatrix& table) {
  std::string text;
  for (Index j = 0; j < table.n_features(); ++j) text += (j == 0 ? "a" : ",a") + std::to_string(j);
  for (Index i = 0; i < table.n_samples(); ++i) {
    for (Index j = 0; j < table.n_features(); ++j) {
      text += j == 0 ? "\n" : ",";
      if (!std::isnan(table(i, j))) text += std::to_string(table(i, j));
    }
  }
  return text + "\n";
}

TEST(GapsOnTheCommandLine, written_tables_and_apply_keep_them) {
  const testing::TemporaryFolder folder;
  const testing::Program sfg(folder);
  folder.write("t.csv", holed_text(with_holes(families(60, 3, 4), 10, 4)));
  const auto made = sfg({"reduce", "t.csv", "--missing", "pairwise", "-o", "out", "--json"});
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_GT(made.json()["gaps"]["n_cells"], 0);
  const std::string reduced = testing::read_file(folder / "out.reduced.csv");
  EXPECT_NE(reduced.find("NaN"), std::string::npos);
  const auto applied = sfg({"apply", "out.model.json", "t.csv", "-o", "again.csv"});
  ASSERT_EQ(applied.status, 0) << applied.err;
  EXPECT_EQ(testing::read_file(folder / "again.csv"), reduced);
}

TEST(GapsOnTheCommandLine, commands_without_the_method_refuse_pairwise_and_say_what_to_do) {
  const testing::TemporaryFolder folder;
  const testing::Program sfg(folder);
  folder.write("t.csv", holed_text(with_holes(families(60, 3, 4), 10, 4)));
  const auto run = sfg({"cluster", "t.csv", "--n-clusters", "2", "--missing", "pairwise"});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("--missing mean"), std::string::npos) << run.err;
  for (const char* command : {"predict", "graph", "sweep"}) {
    EXPECT_EQ(sfg({command, "t.csv", "--missing", "pairwise"}).status, 0) << command;
  }
  EXPECT_EQ(sfg({"explain", "t.csv", "a0", "--missing", "pairwise"}).status, 0);
}

}  // namespace
}  // namespace sfg
