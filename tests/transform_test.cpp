// The scale on which features are compared: ranks, logarithms, square roots, winsorised values.
#include "sfg/transform.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

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

/// The definition: values below, and half of the others that are equal.
DenseMatrix slow_ranks(const DenseMatrix& from) {
  DenseMatrix ranks(from.n_samples(), from.n_features());
  for (Index feature = 0; feature < from.n_features(); ++feature) {
    for (Index i = 0; i < from.n_samples(); ++i) {
      double rank = 1;
      for (Index k = 0; k < from.n_samples(); ++k) {
        if (from(k, feature) < from(i, feature)) rank += 1;
        if (k != i && from(k, feature) == from(i, feature)) rank += 0.5;
      }
      ranks(i, feature) = rank;
    }
  }
  return ranks;
}

/// Growing functions of independent features, counts with ties and many zeros among them.
DenseMatrix growing_functions() {
  const DenseMatrix base = random_matrix(60, 5, 11);
  DenseMatrix table(60, 10);
  for (Index i = 0; i < 60; ++i) {
    for (Index k = 0; k < 4; ++k) table(i, k) = base(i, k);
    table(i, 4) = std::exp(3 * base(i, 0));
    table(i, 5) = std::pow(base(i, 1), 3);
    table(i, 6) = 1 / (1 + std::exp(-6 * base(i, 2)));
    table(i, 7) = std::max(0.0, std::floor(2 * base(i, 3)));
    table(i, 8) = -std::exp(base(i, 4));
    table(i, 9) = i % 7 == 0 ? std::floor(base(i, 4) * 3) : 0;
  }
  return table;
}

Dataset on(DenseMatrix matrix, Transform how, Centering centering = Centering::none) {
  Dataset data = table_of(std::move(matrix));
  transform(data, how, centering);
  return data;
}

Dataset sparse_of(const DenseMatrix& matrix) {
  Dataset data = table_of(matrix);
  data.matrix = to_sparse(matrix);
  return data;
}

MethodOptions by_rank() {
  MethodOptions options;
  options.transform = Transform::rank;
  return options;
}

void expect_equal_cells(const DenseMatrix& left, const DenseMatrix& right) {
  ASSERT_EQ(left.n_features(), right.n_features());
  for (Index feature = 0; feature < left.n_features(); ++feature) {
    for (Index i = 0; i < left.n_samples(); ++i) {
      EXPECT_EQ(left(i, feature), right(i, feature)) << i << ", " << feature;
    }
  }
}

TEST(Transform, ranks_are_those_of_the_definition) {
  const DenseMatrix table = growing_functions();
  const Dataset ranked = on(table, Transform::rank);
  expect_equal_cells(std::get<DenseMatrix>(ranked.matrix), slow_ranks(table));
}

TEST(Transform, sparse_ranks_are_the_ranks_less_that_of_zero) {
  const DenseMatrix table = growing_functions();
  const DenseMatrix ranks = slow_ranks(table);
  Dataset sparse = sparse_of(table);
  const Offset stored = n_stored(sparse.matrix);
  const auto origins = transform(sparse, Transform::rank, Centering::mean, with_threads(3));
  ASSERT_EQ(origins.size(), 10U);
  EXPECT_EQ(n_stored(sparse.matrix), stored);
  EXPECT_EQ(origins[0], 0) << "without zeros there is none to stay";
  EXPECT_GT(origins[9], 1);
  DenseMatrix back = to_dense(std::get<SparseMatrix>(sparse.matrix));
  for (Index k = 0; k < 10; ++k) {
    for (double& value : back.column(k)) value += origins[k];
  }
  expect_equal_cells(back, ranks);
}

TEST(Transform, a_feature_of_zeros_stays_empty) {
  DenseMatrix table = random_matrix(20, 3, 1);
  std::ranges::fill(table.column(1), 0.0);
  std::ranges::fill(table.column(2), 7.0);
  const Dataset ranked = on(table, Transform::rank);
  const auto features = normalise(ranked.matrix, {Centering::mean});
  EXPECT_EQ(features.kind[1], FeatureKind::empty);
  EXPECT_EQ(features.kind[2], FeatureKind::constant);
}

TEST(Transform, ranks_of_a_sparse_table_need_centring) {
  Dataset sparse = sparse_of(growing_functions());
  expect_error(ErrorCode::invalid_option, {"sparse", "centred"},
               [&] { transform(sparse, Transform::rank, Centering::none); });
  MethodOptions options = by_rank();
  options.grouping = usual_grouping(GroupingKind::components);
  expect_error(ErrorCode::invalid_option, {"sparse", "centred"},
               [&] { (void)reduce(sparse, options); });
}

TEST(Transform, logarithms_and_roots_refuse_negative_values_with_feature_and_sample) {
  for (const Transform how : {Transform::log1p, Transform::sqrt}) {
    DenseMatrix table(3, 2);
    table(2, 1) = -4;
    Dataset dense = table_of(table);
    dense.feature_names = {"a", "heat"};
    Dataset sparse = dense;
    sparse.matrix = to_sparse(table);
    for (Dataset* data : {&dense, &sparse}) {
      expect_error(ErrorCode::malformed_input, {"'heat'", "number 2", "-4", "sample 3"},
                   [&] { transform(*data, how, Centering::mean); });
    }
  }
}

TEST(Transform, infinite_values_have_no_rank) {
  DenseMatrix table = random_matrix(5, 2, 1);
  table(3, 1) = std::numeric_limits<double>::infinity();
  Dataset data = table_of(table);
  expect_error(ErrorCode::malformed_input, {"infinite", "sample 4"},
               [&] { transform(data, Transform::rank, Centering::mean); });
}

TEST(Transform, logarithms_and_roots_keep_counts_sparse) {
  DenseMatrix table(3, 1);
  table(1, 0) = 8;
  Dataset sparse = sparse_of(table);
  EXPECT_TRUE(transform(sparse, Transform::log1p, Centering::none).empty());
  EXPECT_EQ(std::get<SparseMatrix>(sparse.matrix).column_values(0)[0], std::log1p(8.0));
  sparse = sparse_of(table);
  transform(sparse, Transform::sqrt, Centering::none);
  EXPECT_EQ(std::get<SparseMatrix>(sparse.matrix).column_values(0)[0], std::sqrt(8.0));
}

TEST(Transform, winsor_moves_what_lies_beyond_the_quantiles) {
  DenseMatrix table(201, 1);
  for (Index i = 0; i < 201; ++i) table(i, 0) = i - 100;
  table(0, 0) = -1e6;
  table(200, 0) = 1e6;
  const Dataset moved = on(table, Transform::winsor);
  const auto column = std::get<DenseMatrix>(moved.matrix).column(0);
  // Place 0.01 * 200 = 2 of 0 ... 200.
  EXPECT_EQ(column[0], -98);
  EXPECT_EQ(column[1], -98);
  EXPECT_EQ(column[3], -97);
  EXPECT_EQ(column[199], 98);
  EXPECT_EQ(column[200], 98);
}

TEST(Transform, a_quantile_between_two_values_is_between_them) {
  DenseMatrix table(11, 1);
  for (Index i = 0; i < 11; ++i) table(i, 0) = i;
  const Dataset moved = on(table, Transform::winsor);
  EXPECT_NEAR(std::get<DenseMatrix>(moved.matrix)(0, 0), 0.1, 1e-15);
  EXPECT_NEAR(std::get<DenseMatrix>(moved.matrix)(10, 0), 9.9, 1e-15);
}

/// Zeros that stay, zeros that are moved up or down, values that become zero.
TEST(Transform, winsor_of_a_sparse_table_is_that_of_the_dense_one) {
  DenseMatrix table(400, 4);
  for (Index i = 0; i < 400; ++i) {
    table(i, 0) = i % 5 == 0 ? i - 170 : 0;
    table(i, 1) = i == 33 ? 0 : i + 1;
    table(i, 2) = i == 33 ? 0 : -i - 1;
    table(i, 3) = i == 7 ? 5 : 0;
  }
  Dataset sparse = sparse_of(table);
  transform(sparse, Transform::winsor, Centering::none, with_threads(3));
  const auto& matrix = std::get<SparseMatrix>(sparse.matrix);
  expect_equal_cells(to_dense(matrix), std::get<DenseMatrix>(on(table, Transform::winsor).matrix));
  EXPECT_TRUE(matrix.column_values(3).empty()) << "no zeros are stored";
  EXPECT_EQ(matrix.column_values(1).size(), 400U);
  EXPECT_TRUE(std::ranges::is_sorted(matrix.column_rows(1)));
}

TEST(Transform, is_the_same_for_every_number_of_threads) {
  const DenseMatrix table = random_matrix(50, 40, 3);
  for (const Transform how : {Transform::rank, Transform::winsor}) {
    Dataset one = table_of(table);
    Dataset three = table_of(table);
    transform(one, how, Centering::mean, with_threads(1));
    transform(three, how, Centering::mean, with_threads(3));
    expect_equal_cells(std::get<DenseMatrix>(one.matrix), std::get<DenseMatrix>(three.matrix));
  }
}

TEST(Transform, of_borrowed_data_leaves_the_callers_numbers_alone) {
  const std::vector<double> numbers{3, 1, 2, 9, 7, 8};
  Dataset data = table_of(DenseMatrix(3, 2, Buffer<double>::borrow(numbers)));
  transform(data, Transform::rank, Centering::mean);
  EXPECT_EQ(numbers, (std::vector<double>{3, 1, 2, 9, 7, 8}));
  EXPECT_EQ(std::get<DenseMatrix>(data.matrix)(1, 0), 1);
}

// --- the method on another scale ----------------------------------------------------------------

TEST(ReduceOnRanks, is_the_reduction_of_the_ranks) {
  const DenseMatrix table = growing_functions();
  const MethodResult expected = reduce(table_of(slow_ranks(table)), MethodOptions{});
  for (const int threads : {1, 3}) {
    const MethodResult found = reduce(table_of(table), by_rank(), with_threads(threads));
    EXPECT_EQ(found.reduction.kept, expected.reduction.kept);
    EXPECT_EQ(found.neighbour_overlap, expected.neighbour_overlap);
    ASSERT_EQ(found.reduction.removed.size(), expected.reduction.removed.size());
    for (std::size_t k = 0; k < found.reduction.removed.size(); ++k) {
      const RemovedFeature& one = found.reduction.removed[k];
      const RemovedFeature& other = expected.reduction.removed[k];
      EXPECT_EQ(one.feature, other.feature);
      EXPECT_EQ(one.r2, other.r2);
      EXPECT_EQ(one.held_out_r2, other.held_out_r2);
      EXPECT_EQ(one.combination.intercept, other.combination.intercept);
    }
  }
}

TEST(ReduceOnRanks, growing_functions_are_copies) {
  const auto dataset = table_of(growing_functions());
  const Groups groups = reduce(dataset, by_rank()).reduction.groups;
  EXPECT_EQ(groups.group_of[4], groups.group_of[0]);
  EXPECT_EQ(groups.group_of[5], groups.group_of[1]);
  EXPECT_EQ(groups.group_of[6], groups.group_of[2]);
  EXPECT_NE(groups.group_of[0], groups.group_of[1]);
  EXPECT_NE(reduce(dataset, {}).reduction.groups.group_of[4],
            reduce(dataset, {}).reduction.groups.group_of[0]);
}

/// Combinations of a sparse table are in ranks from 1 too, though zero was the origin.
TEST(ReduceOnRanks, sparse_equals_dense) {
  DenseMatrix table(200, 16);
  const DenseMatrix base = random_matrix(200, 8, 5);
  for (Index i = 0; i < 200; ++i) {
    for (Index k = 0; k < 8; ++k) table(i, k) = std::max(0.0, std::floor(3 * base(i, k) - 1));
    for (Index k = 8; k < 12; ++k) table(i, k) = table(i, k - 8) + (base(i, k - 4) > 1.5 ? 1 : 0);
    for (Index k = 12; k < 16; ++k) table(i, k) = std::pow(table(i, k - 12), 3);
  }
  MethodOptions options = by_rank();
  LevelOptions level;
  level.n_features = 8;
  options.grouping = testing::with_level(GroupingKind::compact, level);
  const Reduction dense = reduce(table_of(table), options).reduction;
  const Reduction sparse = reduce(sparse_of(table), options).reduction;
  ASSERT_EQ(sparse.kept, dense.kept);
  ASSERT_FALSE(dense.removed.empty());
  for (std::size_t k = 0; k < dense.removed.size(); ++k) {
    EXPECT_NEAR(sparse.removed[k].r2, dense.removed[k].r2, 1e-12);
    EXPECT_NEAR(sparse.removed[k].held_out_r2.value_or(-9),
                dense.removed[k].held_out_r2.value_or(-9), 1e-9);
    EXPECT_NEAR(sparse.removed[k].combination.intercept, dense.removed[k].combination.intercept,
                1e-8);
    if (dense.removed[k].combination.intercept == 0) {
      EXPECT_EQ(sparse.removed[k].combination.intercept, 0) << "rounding is no intercept";
    }
  }
}

TEST(ReduceOnRanks, graph_and_sweep_are_those_of_the_ranks) {
  const DenseMatrix table = growing_functions();
  const Dataset raw = table_of(table);
  const Dataset ranks = table_of(slow_ranks(table));
  MethodOptions plain;
  plain.grouping = usual_grouping(GroupingKind::components);
  MethodOptions ranked = plain;
  ranked.transform = Transform::rank;
  const FeatureGraph expected = make_graph(ranks, plain).graph;
  const FeatureGraph kept = make_graph(raw, ranked).graph;
  const FeatureGraph used_up = make_graph(Dataset(raw), ranked).graph;
  EXPECT_EQ(kept.weights, expected.weights);
  EXPECT_EQ(used_up.weights, expected.weights);
  const auto levels = sweep(expected, {0.5}, &ranks, plain);
  EXPECT_EQ(sweep(expected, {0.5}, &raw, ranked)[0].mean_r2, levels[0].mean_r2);
  const auto tried = sweep_levels(ranks, {}).tried;
  const auto tried_ranked = sweep_levels(raw, by_rank()).tried;
  ASSERT_EQ(tried_ranked.size(), tried.size());
  for (std::size_t k = 0; k < tried.size(); ++k) {
    EXPECT_EQ(tried_ranked[k].overlap, tried[k].overlap);
  }
}

TEST(ReduceOnRanks, the_scale_is_told_in_the_description) {
  EXPECT_TRUE(describe(by_rank()).ends_with(", transformation rank"));
  EXPECT_EQ(describe(MethodOptions{}).find("transformation"), std::string::npos);
}

TEST(Check, names_the_scales_that_tame_heavy_tails) {
  DenseMatrix table = random_matrix(60, 2, 2);
  EXPECT_TRUE(check_table(table_of(table)).transforms.empty());
  table(5, 1) = 1e4;
  EXPECT_EQ(check_table(table_of(table)).transforms, std::vector{Transform::rank});
  for (Index k = 0; k < 2; ++k) {
    for (double& value : table.column(k)) value = std::fabs(value);
  }
  EXPECT_EQ(check_table(table_of(table)).transforms,
            (std::vector{Transform::rank, Transform::log1p}));
}

// --- command line -------------------------------------------------------------------------------

class TransformCommandLine : public ::testing::Test {
 protected:
  TransformCommandLine() {
    const DenseMatrix base = random_matrix(40, 2, 9);
    std::string text = "a,b,c\n";
    for (Index i = 0; i < 40; ++i) {
      text += fmt::format("{},{},{}\n", base(i, 0), base(i, 1), std::exp(4 * base(i, 0)));
    }
    folder_.write("t.csv", text);
  }
  testing::TemporaryFolder folder_;
  testing::Program sfg_{folder_};
};

TEST_F(TransformCommandLine, tables_model_and_json_speak_of_the_scale_and_columns_do_not_change) {
  const auto run = sfg_({"reduce", "t.csv", "--transform", "rank", "-o", "out", "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.json().at("options").at("transformation"), "rank");
  EXPECT_EQ(run.json().at("n_kept"), 2);
  const std::string removed = testing::read_file(folder_ / "out.removed.tsv");
  EXPECT_NE(removed.find("\trank("), std::string::npos) << removed;
  EXPECT_EQ(load_model(folder_ / "out.model.json").transform, Transform::rank);

  const auto first_row = [&](const char* file) {
    const std::string text = testing::read_file(folder_ / file);
    return text.substr(text.find('\n') + 1, text.find('\n', text.find('\n') + 1) - text.find('\n'));
  };
  const std::string as_it_was = first_row("t.csv");
  EXPECT_NE(as_it_was.find(first_row("out.reduced.csv").substr(0, 8)), std::string::npos);
  ASSERT_EQ(sfg_({"apply", "out.model.json", "t.csv", "-o", "new.csv"}).status, 0);
  EXPECT_EQ(testing::read_file(folder_ / "new.csv"),
            testing::read_file(folder_ / "out.reduced.csv"));

  const std::string gone =
      load_model(folder_ / "out.model.json").reduction.removed[0].feature == 2 ? "c" : "a";
  for (const auto& words : {std::vector<std::string>{"explain", "out.model.json", gone},
                            {"explain", "t.csv", gone, "--transformation", "rank"}}) {
    EXPECT_NE(sfg_(words).out.find("rank("), std::string::npos) << sfg_(words).out;
  }
}

TEST_F(TransformCommandLine, a_model_without_a_transformation_does_not_mention_it) {
  ASSERT_EQ(sfg_({"reduce", "t.csv", "-o", "out"}).status, 0);
  EXPECT_EQ(testing::read_file(folder_ / "out.model.json").find("transformation"),
            std::string::npos);
  EXPECT_EQ(load_model(folder_ / "out.model.json").transform, Transform::none);
}

TEST_F(TransformCommandLine, negative_values_are_refused_by_log1p_with_the_way_out) {
  const auto run = sfg_({"graph", "t.csv", "--transform", "log1p"});
  EXPECT_NE(run.status, 0);
  EXPECT_NE(run.err.find("--transformation rank"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace sfg
