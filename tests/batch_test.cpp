// Samples that were measured together: what differs between batches is no redundancy.
#include "sfg/batch.hpp"

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

constexpr Index kPlateSamples = 90;

std::string plate_of(Index sample) {
  return sample % 3 == 0 ? "p1" : sample % 3 == 1 ? "p2" : "p3";
}

/// 0 and 1 are alike through a shift of batches only; 3 is a near-copy of 2.
DenseMatrix shifted() {
  DenseMatrix table = random_matrix(kPlateSamples, 6, 17);
  for (Index i = 0; i < kPlateSamples; ++i) {
    table(i, 0) += 9.0 * static_cast<double>(i % 3);
    table(i, 1) += 9.0 * static_cast<double>(i % 3);
    table(i, 3) = table(i, 2) + 0.05 * table(i, 3);
  }
  return table;
}

Labels plates() {
  Labels labels{"plate", {}};
  for (Index i = 0; i < kPlateSamples; ++i) labels.values.push_back(plate_of(i));
  return labels;
}

/// Each mean taken off, in so many words.
DenseMatrix slowly_centred(DenseMatrix table, bool scaled) {
  for (Index j = 0; j < table.n_features(); ++j) {
    for (const char* plate : {"p1", "p2", "p3"}) {
      double sum = 0, count = 0, squares = 0;
      for (Index i = 0; i < kPlateSamples; ++i) {
        if (plate_of(i) != plate || std::isnan(table(i, j))) continue;
        sum += table(i, j);
        count += 1;
      }
      for (Index i = 0; i < kPlateSamples; ++i) {
        if (plate_of(i) == plate) table(i, j) -= sum / count;
        if (plate_of(i) == plate && !std::isnan(table(i, j))) squares += table(i, j) * table(i, j);
      }
      for (Index i = 0; i < kPlateSamples && scaled; ++i) {
        if (plate_of(i) == plate) table(i, j) /= std::sqrt(squares / count);
      }
    }
  }
  return table;
}

MethodOptions pruning() {
  MethodOptions options;
  PairwiseOptions pairwise;
  pairwise.max_r2 = 0.5;
  options.grouping = pairwise;
  return options;
}

TEST(Batch, a_shift_between_batches_is_no_redundancy) {
  Dataset data = table_of(shifted());
  EXPECT_EQ(reduce(data, pruning()).reduction.kept.size(), 4U);
  data.batch = plates();
  const auto kept = reduce(data, pruning()).reduction.kept;
  EXPECT_EQ(kept.size(), 5U);
  EXPECT_TRUE(std::ranges::binary_search(kept, 0) && std::ranges::binary_search(kept, 1));
}

TEST(Batch, is_the_same_as_a_table_that_was_centred_before) {
  for (const auto how : {BatchAdjustment::centre, BatchAdjustment::scale}) {
    Dataset data = table_of(shifted());
    data.batch = plates();
    MethodOptions options;
    options.batch_adjustment = how;
    const MethodResult here = reduce(data, options, with_threads(1));
    const MethodResult before = reduce(
        table_of(slowly_centred(shifted(), how == BatchAdjustment::scale)), {}, with_threads(3));
    EXPECT_EQ(here.reduction.kept, before.reduction.kept);
    EXPECT_NEAR(here.reduction.mean_r2, before.reduction.mean_r2, 1e-12);
  }
}

TEST(Batch, leaves_the_data_as_they_are) {
  Dataset data = table_of(shifted());
  data.batch = plates();
  static_cast<void>(reduce(data, pruning()));
  EXPECT_EQ(std::get<DenseMatrix>(data.matrix)(5, 1), shifted()(5, 1));
}

TEST(Batch, one_batch_changes_nothing) {
  Dataset data = table_of(shifted());
  const MethodResult before = reduce(data, {});
  data.batch = Labels{"plate", std::vector<std::string>(kPlateSamples, "p1")};
  const MethodResult after = reduce(data, {});
  EXPECT_EQ(after.reduction.kept, before.reduction.kept);
  EXPECT_EQ(after.reduction.mean_r2, before.reduction.mean_r2);
  for (std::size_t k = 0; k < after.reduction.removed.size(); ++k) {
    EXPECT_EQ(after.reduction.removed[k].combination.intercept,
              before.reduction.removed[k].combination.intercept);
  }
}

TEST(Batch, gaps_have_no_part_in_the_mean) {
  DenseMatrix table = shifted();
  for (Index i = 0; i < kPlateSamples; i += 7)
    table(i, 4) = std::numeric_limits<double>::quiet_NaN();
  Matrix matrix(table);
  adjust_within_batches(matrix, read_batches(plates(), kPlateSamples), BatchAdjustment::centre);
  const DenseMatrix expected = slowly_centred(table, false);
  for (Index i = 0; i < kPlateSamples; ++i) {
    if (std::isnan(table(i, 4))) {
      EXPECT_TRUE(std::isnan(std::get<DenseMatrix>(matrix)(i, 4)));
    } else {
      EXPECT_NEAR(std::get<DenseMatrix>(matrix)(i, 4), expected(i, 4), 1e-12);
    }
  }
}

TEST(Batch, a_feature_that_only_tells_batches_apart_is_nothing_within_them) {
  DenseMatrix table(kPlateSamples, 1);
  for (Index i = 0; i < kPlateSamples; ++i) table(i, 0) = 0.1 + 1e6 * static_cast<double>(i % 3);
  for (const auto how : {BatchAdjustment::centre, BatchAdjustment::scale}) {
    Matrix matrix(table);
    adjust_within_batches(matrix, read_batches(plates(), kPlateSamples), how);
    for (const double value : std::get<DenseMatrix>(matrix).column(0)) EXPECT_EQ(value, 0);
  }
}

TEST(Batch, sparse_tables_become_dense_or_are_refused_with_the_number) {
  DenseMatrix table = shifted();
  for (Index i = 0; i < kPlateSamples; i += 2) table(i, 5) = 0;
  Matrix sparse{to_sparse(table)};
  adjust_within_batches(sparse, read_batches(plates(), kPlateSamples), BatchAdjustment::centre);
  EXPECT_NEAR(std::get<DenseMatrix>(sparse)(3, 5), slowly_centred(table, false)(3, 5), 1e-12);
  Matrix large{to_sparse(table)};
  RunContext run;
  run.memory_limit = 100;
  expect_error(ErrorCode::over_memory, {"dense"}, [&] {
    adjust_within_batches(large, read_batches(plates(), kPlateSamples), BatchAdjustment::centre,
                          run);
  });
}

TEST(Batch, a_sample_without_one_and_a_batch_of_one_sample_are_refused_by_name) {
  Labels labels = plates();
  labels.values[4] = "NA";
  expect_error(ErrorCode::malformed_input, {"plate", "sample 5"},
               [&] { static_cast<void>(read_batches(labels, kPlateSamples)); });
  labels.values[4] = "lonely";
  expect_error(ErrorCode::degenerate_data, {"plate", "lonely"},
               [&] { static_cast<void>(read_batches(labels, kPlateSamples)); });
  labels.values.pop_back();
  expect_error(ErrorCode::inconsistent_input, {"plate", "89"},
               [&] { static_cast<void>(read_batches(labels, kPlateSamples)); });
}

TEST(Batch, ranks_come_first_so_that_growing_functions_stay_copies) {
  DenseMatrix table = shifted();
  for (Index i = 0; i < kPlateSamples; ++i) table(i, 5) = std::exp(table(i, 4));
  Dataset data = table_of(table);
  data.batch = plates();
  MethodOptions options = pruning();
  options.transform = Transform::rank;
  const MethodResult result = reduce(data, options);
  const auto& removed = result.reduction.removed;
  const auto copy = std::ranges::find_if(
      removed, [](const RemovedFeature& one) { return one.feature == 4 || one.feature == 5; });
  ASSERT_NE(copy, removed.end());
  EXPECT_NEAR(copy->r2, 1, 1e-12);
}

/// The table with the plate of each sample in its last column, and as a file of its own.
void write_shifted(const testing::TemporaryFolder& folder) {
  const DenseMatrix table = shifted();
  std::string text = "a,b,c,d,e,f,plate\n", lines, plain = "a,b,c,d,e,f\n";
  for (Index i = 0; i < kPlateSamples; ++i) {
    for (Index j = 0; j < 6; ++j) {
      text += std::to_string(table(i, j)) + ",";
      plain += std::to_string(table(i, j)) + (j == 5 ? "\n" : ",");
    }
    text += plate_of(i).substr(1) + "\n";  // numbers are names too
    lines += plate_of(i).substr(1) + "\n";
  }
  folder.write("t.csv", text);
  folder.write("plain.csv", plain);
  folder.write("plates.txt", lines);
}

TEST(BatchOnTheCommandLine, is_a_column_or_a_file_and_no_feature) {
  const testing::TemporaryFolder folder;
  const testing::Program sfg(folder);
  write_shifted(folder);
  const auto column = sfg({"reduce", "t.csv", "--batch", "plate", "--max-r2", "0.5", "--json"});
  const auto file =
      sfg({"reduce", "plain.csv", "--batch", "plates.txt", "--max-r2", "0.5", "--json"});
  ASSERT_EQ(column.status, 0) << column.err;
  ASSERT_EQ(file.status, 0) << file.err;
  EXPECT_EQ(column.err, "");
  EXPECT_EQ(column.json()["n_features"], 6);
  EXPECT_EQ(column.json()["kept"], file.json()["kept"]);
  EXPECT_EQ(column.json()["kept"].size(), 5U);
  EXPECT_EQ(column.json()["batch"], "plate");
  const auto alone = sfg({"reduce", "t.csv", "--batch-adjustment", "scale"});
  EXPECT_EQ(alone.status, 2);
  EXPECT_NE(alone.err.find("--batch"), std::string::npos);
  const auto none = sfg({"reduce", "t.csv", "--batch", "nothing"});
  EXPECT_EQ(none.status, 5);
  EXPECT_NE(none.err.find("nothing"), std::string::npos);
}

TEST(BatchOnTheCommandLine, the_model_says_that_its_combinations_hold_within_batches) {
  const testing::TemporaryFolder folder;
  const testing::Program sfg(folder);
  write_shifted(folder);
  ASSERT_EQ(sfg({"reduce", "t.csv", "--batch", "plate", "--max-r2", "0.5", "-o", "out"}).status, 0);
  EXPECT_EQ(load_model(folder / "out.model.json").batch, "plate");
  const auto told = sfg({"explain", "out.model.json", "d"});
  EXPECT_NE(told.out.find("within batches of 'plate'"), std::string::npos) << told.out;
  // Kept columns are written as they were.
  const Dataset written = read_dataset(folder / "out.reduced.csv", {});
  EXPECT_NEAR(std::get<DenseMatrix>(written.matrix)(5, 0), shifted()(5, 0), 1e-5);
}

TEST(BatchOnTheCommandLine, the_other_commands_of_the_method_have_it) {
  const testing::TemporaryFolder folder;
  const testing::Program sfg(folder);
  write_shifted(folder);
  for (const char* command : {"predict", "graph", "sweep"}) {
    const auto run = sfg({command, "t.csv", "--batch", "plate", "--batch-adjustment", "scale"});
    EXPECT_EQ(run.status, 0) << run.err;
  }
}

}  // namespace
}  // namespace sfg
