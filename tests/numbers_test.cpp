// Numbers at the ends of what a double holds: right answers, and nothing but numbers in the output.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "core/text.hpp"
#include "helpers.hpp"
#include "io/npy.hpp"
#include "program.hpp"
#include "reference.hpp"
#include "sfg/model.hpp"
#include "sfg/pipeline.hpp"
#include "sfg/read.hpp"
#include "sfg/write.hpp"

namespace sfg {
namespace {

using testing::Program;
using testing::ProgramRun;
using testing::random_matrix;
using testing::read_file;
using testing::table_of;
using testing::TemporaryFolder;

constexpr double kNumberRounding = 1e-13;

/// Squared Pearson correlation in long double, whose exponent reaches 4932: no scaling needed.
double reference_r2(std::span<const double> a, std::span<const double> b) {
  const auto n = static_cast<long double>(a.size());
  long double mean_a = 0;
  long double mean_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    mean_a += static_cast<long double>(a[i]) / n;
    mean_b += static_cast<long double>(b[i]) / n;
  }
  long double aa = 0;
  long double bb = 0;
  long double ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const long double u = a[i] - mean_a;
    const long double v = b[i] - mean_b;
    aa += u * u;
    bb += v * v;
    ab += u * v;
  }
  return static_cast<double>(ab / aa * (ab / bb));
}

/// Independent features, then noisy copies of them.
DenseMatrix with_copies(Index n_samples, Index n_features, unsigned seed) {
  DenseMatrix matrix = random_matrix(n_samples, n_features, seed);
  std::mt19937 random(seed);
  for (Index j = n_features / 2; j < n_features; ++j) {
    const auto source = matrix.column(j - n_features / 2);
    const auto target = matrix.column(j);
    for (std::size_t i = 0; i < target.size(); ++i) {
      target[i] = source[i] + 0.05 * target[i];
    }
  }
  return matrix;
}

MethodOptions theta_options(double theta) {
  MethodOptions options;
  options.grouping = ComponentOptions{.theta = theta};
  return options;
}

RC_GTEST_PROP(Numbers, correlations_of_any_scale_equal_those_in_long_double, ()) {
  const auto seed = *rc::gen::inRange(0, 100000);
  DenseMatrix matrix = random_matrix(12, 4, static_cast<unsigned>(seed));
  for (Index j = 0; j < 4; ++j) {
    const int exponent = *rc::gen::inRange(-1020, 1020);
    for (double& value : matrix.column(j)) value = std::ldexp(value, exponent);
    RC_PRE(std::ranges::all_of(matrix.column(j), [](double v) { return std::isfinite(v); }));
  }
  const UnitFeatures centred = normalise(matrix, {Centering::mean});
  for (Index a = 0; a < 4; ++a) {
    for (Index b = 0; b < 4; ++b) {
      const double r2 = squared_correlation(centred, a, b);
      RC_ASSERT(std::fabs(r2 - reference_r2(matrix.column(a), matrix.column(b))) < kNumberRounding);
    }
  }
}

TEST(Numbers, tables_of_mixed_scales_have_the_same_groups_as_unscaled_ones) {
  const DenseMatrix plain = with_copies(25, 16, 3);
  DenseMatrix scaled = plain;
  for (Index j = 0; j < 16; ++j) {
    // Powers of two are exact: the same features, bit by bit. 2^498 is 1e150.
    for (double& value : scaled.column(j)) value = std::ldexp(value, (j * 397) % 997 - 498);
  }
  for (const GroupingKind grouping : {GroupingKind::compact, GroupingKind::components,
                                      GroupingKind::cover, GroupingKind::pairwise}) {
    MethodOptions options;
    options.grouping = usual_grouping(grouping);
    const auto before = reduce(table_of(plain), options);
    const auto after = reduce(table_of(scaled), options);
    EXPECT_EQ(after.reduction.groups.group_of, before.reduction.groups.group_of);
    // Of two that represent each other equally well, compact keeps the one of larger variance.
    if (grouping == GroupingKind::compact) continue;
    EXPECT_EQ(after.reduction.kept, before.reduction.kept);
    EXPECT_EQ(after.reduction.mean_r2, before.reduction.mean_r2);
  }
}

TEST(Numbers, denormal_and_huge_values_keep_the_same_features) {
  DenseMatrix plain = with_copies(25, 12, 4);
  // Whole numbers below 2^20, so that all scales hold them exactly.
  for (Index j = 0; j < 12; ++j) {
    for (double& value : plain.column(j)) value = std::round(value * 0x1p16);
  }
  for (const int exponent : {-1074, -1060, 1003}) {
    DenseMatrix scaled = plain;
    for (Index j = 0; j < 12; ++j) {
      for (double& value : scaled.column(j)) value = std::ldexp(value, exponent);
    }
    const auto before = reduce(table_of(plain), theta_options(0.5));
    const auto after = reduce(table_of(scaled), theta_options(0.5));
    EXPECT_EQ(after.reduction.kept, before.reduction.kept) << exponent;
  }
}

TEST(Numbers, features_that_differ_in_the_last_digits_are_one) {
  DenseMatrix matrix = with_copies(25, 8, 5);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> noise(-1e-14, 1e-14);
  for (Index j = 4; j < 8; ++j) {
    for (Index i = 0; i < 25; ++i) matrix(i, j) = matrix(i, j - 4) * (1 + noise(random));
  }
  const auto result = reduce(table_of(matrix), theta_options(0.9));
  EXPECT_EQ(result.reduction.kept, (std::vector<Index>{0, 1, 2, 3}));
  for (const RemovedFeature& removed : result.reduction.removed) {
    EXPECT_EQ(removed.representative, removed.feature - 4);
    EXPECT_LE(removed.r2, 1);
    EXPECT_NEAR(removed.r2, 1, kNumberRounding);
  }
}

// A coefficient of 1e400 became "inf" in PREFIX.removed.tsv and null in the model, which could then
// not be read.
TEST(Numbers, a_coefficient_outside_the_range_of_a_double_is_not_written) {
  DenseMatrix matrix = with_copies(25, 8, 6);
  for (Index j = 0; j < 8; ++j) {
    for (double& value : matrix.column(j)) value *= j < 4 ? 1e-200 : 1e200;
  }
  const Dataset dataset = table_of(matrix);
  const auto result = reduce(dataset, theta_options(0.5));
  ASSERT_FALSE(result.reduction.removed.empty());
  for (const RemovedFeature& removed : result.reduction.removed) {
    EXPECT_TRUE(removed.combination.terms.empty());
    EXPECT_EQ(removed.combination.r2, 0);
    EXPECT_TRUE(std::isfinite(removed.combination.intercept));
    EXPECT_GT(removed.r2, 0.9);
  }
  const TemporaryFolder folder;
  const Model model{dataset.feature_names, NameSource::file, result.reduction, "test"};
  const auto path = folder.write("m.model.json", model_to_json(model));
  EXPECT_EQ(load_model(path).reduction.kept, result.reduction.kept);
}

TEST(Numbers, an_intercept_of_huge_features_is_not_taken_for_rounding) {
  DenseMatrix matrix(20, 2);
  for (Index i = 0; i < 20; ++i) {
    matrix(i, 0) = (1 + i % 5) * 0x1p1020;
    matrix(i, 1) = 8 * 0x1p1020 - matrix(i, 0);
  }
  const auto result = reduce(table_of(matrix), {});
  ASSERT_EQ(result.reduction.removed.size(), 1U);
  const Combination& combination = result.reduction.removed[0].combination;
  EXPECT_NEAR(combination.terms.at(0).coefficient, -1, kNumberRounding);
  EXPECT_NEAR(combination.intercept / 0x1p1023, 1, kNumberRounding);
}

TEST(Numbers, whole_numbers_beyond_2_to_53_are_the_nearest_double) {
  const TemporaryFolder folder;
  const auto dataset = read_dataset(
      folder.write("x.csv", "a,b\n9007199254740993,18446744073709551615\n-9223372036854775808,1\n"),
      {});
  const auto& matrix = std::get<DenseMatrix>(dataset.matrix);
  EXPECT_EQ(matrix(0, 0), 9007199254740992.0);
  EXPECT_EQ(matrix(0, 1), 0x1p64);
  EXPECT_EQ(matrix(1, 0), -0x1p63);
  const std::vector<std::int64_t> numbers{(std::int64_t{1} << 60) + 1, -7};
  const auto npy = read_dataset(
      folder.write("x.npy", detail::npy_vector(std::span<const std::int64_t>(numbers))), {});
  EXPECT_EQ(std::get<DenseMatrix>(npy.matrix)(0, 0), 0x1p60);
}

TEST(Numbers, big_endian_files_are_read_as_what_they_are) {
  const TemporaryFolder folder;
  std::string header = detail::npy_header(">f8", std::vector<std::int64_t>{2, 1}, false);
  for (const double value : {-1.5, 5e-324}) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    for (int shift = 56; shift >= 0; shift -= 8) header += static_cast<char>(bits >> shift);
  }
  const auto dataset = read_dataset(folder.write("x.npy", header), {});
  EXPECT_EQ(std::get<DenseMatrix>(dataset.matrix)(0, 0), -1.5);
  EXPECT_EQ(std::get<DenseMatrix>(dataset.matrix)(1, 0), 5e-324);
}

// --- what the program writes
// -----------------------------------------------------------------------

/// Words that are no numbers in texts that should hold some.
bool has_no_number(const std::string& text) {
  std::string word;
  for (const char c : text + " ") {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_') {
      word += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
      continue;
    }
    if (word == "nan" || word == "inf" || word == "infinity") return true;
    word.clear();
  }
  return false;
}

class ExtremeTables : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    DenseMatrix matrix = with_copies(24, 10, 7);
    const std::string kind = GetParam();
    for (Index j = 0; j < 10; ++j) {
      for (Index i = 0; i < 24; ++i) {
        double& value = matrix(i, j);
        if (kind == "huge") value = value / 10 * 1.7e308;
        if (kind == "tiny") value *= 1e-308;
        if (kind == "denormal") value = std::round(value * 100) * 5e-324;
        if (kind == "mixed") value *= std::pow(10, 30 * j - 150);
        if (kind == "far") value *= j < 5 ? 1e-300 : 1e300;
        if (kind == "parallel" && j >= 5) value = matrix(i, j - 5) * (1 + 1e-14 * (i % 3));
        if (kind == "whole") value = 0x1p60 + std::round(value * 50) * 1024;
        if (kind == "within") value *= i % 2 == 0 ? 1e-150 : 1e150;
      }
    }
    write_dataset(table_of(matrix), folder_ / "t.csv", Format::csv);
    std::string labels;
    for (int i = 0; i < 24; ++i) labels += i % 3 == 0 ? "u\n" : "v\n";
    folder_.write("labels.txt", labels);
  }

  /// Runs a command that must either work or say what is wrong with the data.
  ProgramRun run(std::vector<std::string> words) {
    words.emplace_back("--json");
    ProgramRun result = sfg_(words);
    EXPECT_TRUE(result.status == 0 || result.status == 6) << words[0] << ": " << result.err;
    EXPECT_FALSE(has_no_number(result.out)) << words[0] << ": " << result.out;
    return result;
  }

  const TemporaryFolder folder_;
  const Program sfg_{folder_};
};

TEST_P(ExtremeTables, give_nothing_but_numbers) {
  if (run({"reduce", "t.csv", "-o", "out", "--theta", "0.5"}).status == 0) {
    run({"apply", "out.model.json", "t.csv", "-o", "again.csv"});
    run({"explain", "out.model.json", "f7"});
  }
  run({"reduce", "t.csv", "--grouping", "cover"});
  run({"sweep", "t.csv"});
  run({"select", "t.csv", "-m", "2,4"});
  run({"cluster", "t.csv", "-k", "2", "--labels", "labels.txt"});
  run({"graph", "t.csv", "-o", "g.tsv"});
  for (const std::string& name : sfg_.files()) {
    if (name.ends_with(".log")) continue;
    EXPECT_FALSE(has_no_number(read_file(folder_ / name))) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, ExtremeTables,
                         ::testing::Values("huge", "tiny", "denormal", "mixed", "far", "parallel",
                                           "whole", "within"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace sfg
