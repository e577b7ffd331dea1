#include "sfg/genotypes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "reference.hpp"

namespace sfg {
namespace {

const DenseMatrix& genotypes_of(const GenotypeResult& result) {
  return std::get<DenseMatrix>(result.dataset.matrix);
}

TEST(Genotypes, are_0_1_or_2_and_every_marker_varies) {
  const GenotypeResult result = synthesise_genotypes({30, 400, 3}, 1);
  for (Index j = 0; j < 400; ++j) {
    const auto column = genotypes_of(result).column(j);
    EXPECT_TRUE(std::ranges::all_of(column, [](double x) { return x == 0 || x == 1 || x == 2; }));
    EXPECT_LT(std::ranges::min(column), std::ranges::max(column));
  }
}

TEST(Genotypes, the_seed_decides_all_of_them) {
  const auto text = [](std::uint64_t seed) {
    const GenotypeResult result = synthesise_genotypes({20, 100, 2}, seed);
    return genotypes_to_bed(result) + genotypes_to_bim(result) + positions_to_tsv(result);
  };
  EXPECT_EQ(text(1), text(1));
  EXPECT_NE(text(1), text(2));
}

TEST(Genotypes, near_markers_correlate_and_those_of_two_chromosomes_do_not) {
  const GenotypeResult result = synthesise_genotypes({300, 600, 2}, 3);
  const DenseMatrix& data = genotypes_of(result);
  const auto mean_r2 = [&](Index apart) {
    double sum = 0;
    for (Index j = 0; j < 300 - apart; ++j) {
      sum += testing::textbook_r2(data.column(j), data.column(j + apart));
    }
    return sum / (300 - apart);
  };
  EXPECT_GT(mean_r2(1), 0.1);
  EXPECT_GT(mean_r2(1), 3 * mean_r2(100));
  double across = 0;
  for (Index j = 0; j < 300; ++j) {
    across += testing::textbook_r2(data.column(j), data.column(j + 300));
  }
  EXPECT_LT(across / 300, 0.02);
}

TEST(Genotypes, rare_alleles_are_the_most) {
  const GenotypeResult result = synthesise_genotypes({200, 1000, 4}, 5);
  int n_rare = 0;
  for (Index j = 0; j < 1000; ++j) {
    double sum = 0;
    for (const double x : genotypes_of(result).column(j)) sum += x;
    if (sum < 0.1 * 400) ++n_rare;
  }
  EXPECT_GT(n_rare, 300);
  EXPECT_LT(n_rare, 900);
}

TEST(Genotypes, positions_rise_along_each_chromosome) {
  const GenotypeResult result = synthesise_genotypes({10, 90, 3}, 7);
  for (std::size_t j = 1; j < 90; ++j) {
    const bool same = result.positions.chromosome[j] == result.positions.chromosome[j - 1];
    EXPECT_EQ(same, j % 30 != 0);
    EXPECT_EQ(same && result.positions.position[j] <= result.positions.position[j - 1], false);
  }
}

TEST(Genotypes, plink_files_hold_two_bits_for_each) {
  GenotypeResult result;
  DenseMatrix data(5, 1);
  for (Index i = 0; i < 5; ++i) data(i, 0) = i % 3;  // 0 1 2 0 1
  result.dataset.matrix = data;
  result.dataset.feature_names = {"m"};
  result.positions = {{1}, {77}};
  EXPECT_EQ(genotypes_to_bed(result), std::string("\x6c\x1b\x01\xcb\x02"));
  EXPECT_EQ(genotypes_to_bim(result), "2\tm\t0\t77\tA\tG\n");
  EXPECT_EQ(genotypes_to_fam(result).substr(0, 14), "s1\ts1\t0\t0\t0\t-9");
}

}  // namespace
}  // namespace sfg
