// Every level as the automatic choice judges it: what a sweep shows is what a reduction does.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/random.hpp"
#include "helpers.hpp"
#include "program.hpp"
#include "reference.hpp"
#include "sampling.hpp"
#include "sfg/pipeline.hpp"
#include "sfg/write.hpp"

namespace sfg {
namespace {

using testing::expect_error;
using testing::Program;
using testing::ProgramRun;
using testing::random_matrix;
using testing::read_file;
using testing::table_of;
using testing::TemporaryFolder;
using testing::with_level;
using testing::with_threads;

constexpr GroupingKind kLevelled[] = {GroupingKind::compact, GroupingKind::cover};

/// Noisy mixtures of 12 sources: every one is shared, none a copy, none an exact sum.
Dataset mixtures(Index n, Index d) {
  DenseMatrix data = random_matrix(n, d, 8);
  detail::Random random(9);
  const DenseMatrix sources = random_matrix(n, 12, 10);
  for (Index j = 0; j < d; ++j) {
    const Index a = j % 12;
    const double share = random.uniform(0, 0.4);
    for (Index i = 0; i < n; ++i) {
      data(i, j) = sources(i, a) + share * sources(i, (a + 1) % 12) + 0.3 * data(i, j);
    }
  }
  return table_of(std::move(data));
}

MethodOptions by(GroupingKind grouping, const LevelOptions& level = {}) {
  MethodOptions options;
  options.grouping = with_level(grouping, level);
  return options;
}

void expect_equal(const TriedLevel& one, const TriedLevel& other) {
  EXPECT_EQ(one.n_steps, other.n_steps);
  EXPECT_EQ(one.n_kept, other.n_kept);
  EXPECT_EQ(one.overlap, other.overlap);
  EXPECT_EQ(one.loss_ratio, other.loss_ratio);
  EXPECT_EQ(one.r2loo_mean, other.r2loo_mean);
  EXPECT_EQ(one.is_good, other.is_good);
}

const TriedLevel* level_with(const std::vector<TriedLevel>& levels, Index n_steps) {
  const auto found = std::ranges::find(levels, n_steps, &TriedLevel::n_steps);
  return found == levels.end() ? nullptr : &*found;
}

TEST(LevelSweep, chooses_the_level_of_the_reduction_and_judges_as_it_does) {
  const Dataset dataset = mixtures(150, 200);
  for (const GroupingKind grouping : kLevelled) {
    const MethodResult swept = sweep_levels(dataset, by(grouping));
    const MethodResult reduced = reduce(dataset, by(grouping));
    EXPECT_EQ(swept.n_steps, reduced.n_steps);
    const TriedLevel* chosen = level_with(swept.tried, swept.n_steps);
    ASSERT_NE(chosen, nullptr);
    EXPECT_TRUE(chosen->is_good);
    EXPECT_EQ(static_cast<std::size_t>(chosen->n_kept), reduced.reduction.kept.size());
    EXPECT_NEAR(chosen->overlap, reduced.neighbour_overlap, 1e-12);
    for (const TriedLevel& tried : reduced.tried) {
      const TriedLevel* same = level_with(swept.tried, tried.n_steps);
      ASSERT_NE(same, nullptr) << tried.n_steps;
      EXPECT_EQ(same->overlap, tried.overlap);
      if (tried.loss_ratio) expect_equal(*same, tried);
    }
  }
}

TEST(LevelSweep, gives_every_measure_of_levels_from_one_feature_to_all) {
  for (const GroupingKind grouping : kLevelled) {
    const MethodResult swept = sweep_levels(mixtures(150, 200), by(grouping));
    ASSERT_GT(swept.tried.size(), 10U);
    EXPECT_EQ(swept.tried.front().n_kept, 200);
    EXPECT_LE(swept.tried.back().n_kept, 20);
    for (std::size_t k = 0; k < swept.tried.size(); ++k) {
      const TriedLevel& level = swept.tried[k];
      EXPECT_TRUE(level.loss_ratio && level.r2loo_mean) << level.n_kept;
      EXPECT_TRUE(k == 0 || level.n_kept < swept.tried[k - 1].n_kept) << level.n_kept;
    }
    EXPECT_TRUE(swept.tried.front().is_good);
    EXPECT_FALSE(swept.tried.back().is_good);
  }
}

TEST(LevelSweep, overlaps_are_those_of_reductions_to_as_many_features) {
  const Dataset dataset = mixtures(150, 120);
  for (const GroupingKind grouping : kLevelled) {
    const auto tried = sweep_levels(dataset, by(grouping)).tried;
    for (std::size_t k = 0; k < tried.size(); k += testing::kSampled ? 4 : 1) {
      const TriedLevel& level = tried[k];
      const MethodResult reduced = reduce(dataset, by(grouping, {.n_features = level.n_kept}));
      ASSERT_EQ(static_cast<Index>(reduced.reduction.kept.size()), level.n_kept);
      EXPECT_NEAR(reduced.neighbour_overlap, level.overlap, 1e-12) << level.n_kept;
    }
  }
}

TEST(LevelSweep, is_the_same_for_any_number_of_threads) {
  const Dataset dataset = mixtures(100, 150);
  for (const GroupingKind grouping : kLevelled) {
    const MethodResult one = sweep_levels(dataset, by(grouping), with_threads(1));
    const MethodResult three = sweep_levels(dataset, by(grouping), with_threads(3));
    EXPECT_EQ(one.n_steps, three.n_steps);
    ASSERT_EQ(one.tried.size(), three.tried.size());
    for (std::size_t k = 0; k < one.tried.size(); ++k) expect_equal(one.tried[k], three.tried[k]);
  }
}

TEST(LevelSweep, counts_features_outside_of_groups_and_those_that_must_stay) {
  // Ten sources that no other feature knows, kept since the table is long, and a constant.
  Dataset dataset = mixtures(150, 120);
  auto& data = std::get<DenseMatrix>(dataset.matrix);
  const DenseMatrix noise = random_matrix(150, 10, 77);
  for (Index j = 0; j < 10; ++j) {
    for (Index i = 0; i < 150; ++i) data(i, j) = noise(i, j);
  }
  for (Index i = 0; i < 150; ++i) data(i, 10) = 3;
  for (const GroupingKind grouping : kLevelled) {
    MethodOptions options = by(grouping);
    options.keep = {5, 40, 41, 52, 53};
    const MethodResult swept = sweep_levels(dataset, options);
    const MethodResult reduced = reduce(dataset, options);
    EXPECT_GE(swept.shared.n_unshared, 8);
    EXPECT_EQ(swept.n_steps, reduced.n_steps);
    EXPECT_EQ(swept.tried.front().n_kept, 119);
    const TriedLevel* chosen = level_with(swept.tried, swept.n_steps);
    ASSERT_NE(chosen, nullptr);
    EXPECT_EQ(static_cast<std::size_t>(chosen->n_kept), reduced.reduction.kept.size());
  }
}

TEST(LevelSweep, few_samples_have_overlaps_but_no_good_level) {
  for (const GroupingKind grouping : kLevelled) {
    const MethodResult swept = sweep_levels(mixtures(20, 60), by(grouping));
    EXPECT_EQ(swept.n_steps, reduce(mixtures(20, 60), by(grouping)).n_steps);
    ASSERT_FALSE(swept.tried.empty());
    for (const TriedLevel& level : swept.tried) {
      EXPECT_FALSE(level.is_good || level.loss_ratio || level.r2loo_mean);
    }
    EXPECT_EQ(swept.tried.front().overlap, 1);
    EXPECT_LT(swept.tried.back().overlap, 1);
  }
}

TEST(LevelSweep, refuses_groupings_without_such_levels_and_options_that_choose_one) {
  const Dataset dataset = mixtures(40, 30);
  for (const GroupingKind grouping : {GroupingKind::components, GroupingKind::pairwise}) {
    MethodOptions options;
    options.grouping = usual_grouping(grouping);
    expect_error(ErrorCode::invalid_option, {choice_name(grouping), "compact and cover"},
                 [&] { static_cast<void>(sweep_levels(dataset, options)); });
  }
  expect_error(ErrorCode::invalid_option, {"leave out", "n_features"}, [&] {
    static_cast<void>(sweep_levels(dataset, by(GroupingKind::cover, {.n_features = 5})));
  });
}

class SweepCommand : public ::testing::Test {
 protected:
  void SetUp() override { write_dataset(mixtures(100, 80), folder_ / "t.csv", Format::csv); }
  TemporaryFolder folder_;
  Program sfg_{folder_};
};

TEST_F(SweepCommand, shows_the_levels_of_compact_and_cover_with_the_one_that_reduce_takes) {
  for (const std::string grouping : {"compact", "cover"}) {
    const ProgramRun run = sfg_({"sweep", "t.csv", "--grouping", grouping, "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const auto reduced = sfg_({"reduce", "t.csv", "--grouping", grouping, "--json"}).json();
    const auto document = run.json();
    EXPECT_EQ(document.at("grouping"), grouping);
    EXPECT_EQ(document.at("min_overlap"), enough_overlap(100));
    int n_chosen = 0;
    for (const auto& level : document.at("levels")) {
      if (!level.at("chosen").get<bool>()) continue;
      ++n_chosen;
      EXPECT_EQ(level.at("n_kept"), reduced.at("n_kept"));
      EXPECT_NEAR(level.at("overlap"), reduced.at("neighbour_overlap"), 1e-12);
    }
    EXPECT_EQ(n_chosen, 1);
    const ProgramRun shown = sfg_({"sweep", "t.csv", "--grouping", grouping});
    EXPECT_NE(shown.out.find("chosen"), std::string::npos) << shown.out;
  }
}

TEST_F(SweepCommand, writes_the_levels_as_a_table) {
  ASSERT_EQ(sfg_({"sweep", "t.csv", "--grouping", "cover", "-o", "l.tsv", "-q"}).status, 0);
  const std::string text = read_file(folder_ / "l.tsv");
  EXPECT_TRUE(text.starts_with("n_kept\toverlap\tloss_ratio\tr2loo_mean\tgood\tchosen\n80\t1\t"))
      << text;
  const auto shown = sfg_({"sweep", "t.csv", "--grouping", "cover", "--json"}).json();
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(text, '\n')),
            shown.at("levels").size() + 1);
}

TEST_F(SweepCommand, refuses_plainly_what_does_not_go_together) {
  ASSERT_EQ(sfg_({"graph", "t.csv", "-o", "g.npz", "-q"}).status, 0);
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"--grouping", "pairwise"}, "one level"},
      {{"--grouping", "compact", "--thetas", "0.5"}, "--thetas"},
      {{"--grouping", "cover", "--resume", "-o", "x.tsv"}, "--resume"},
      {{"--grouping", "cover", "--edges", "knn"}, "--edges"},
      {{"--grouping", "compact", "--preset", "paper"}, "--preset paper"}};
  for (const auto& [words, reason] : cases) {
    std::vector<std::string> all{"sweep", "t.csv"};
    all.insert(all.end(), words.begin(), words.end());
    const ProgramRun run = sfg_(all);
    EXPECT_EQ(run.status, 2) << run.err;
    EXPECT_NE(run.err.find(reason), std::string::npos) << run.err;
  }
  const ProgramRun graph = sfg_({"sweep", "g.npz", "--grouping", "compact"});
  EXPECT_EQ(graph.status, 2);
  EXPECT_NE(graph.err.find("needs the data"), std::string::npos) << graph.err;
}

}  // namespace
}  // namespace sfg
