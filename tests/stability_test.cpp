// How much the answer depends on the samples.
#include "sfg/stability.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "helpers.hpp"
#include "sfg/stability_figure.hpp"
#include "sfg/stability_journal.hpp"
#include "sfg/synth.hpp"

namespace sfg {
namespace {

using testing::expect_error;
using testing::read_file;
using testing::table_of;
using testing::TemporaryFolder;
using testing::with_threads;

SynthResult planted_table() {
  return synthesise({.n_samples = 120, .n_features = 60}, 5);
}

StabilityOptions few_repeats(int repeats, Resample how = Resample::halves) {
  StabilityOptions options;
  options.repeats = repeats;
  options.resample = how;
  return options;
}

TEST(Stability, families_of_planted_copies_are_kept_again_though_members_change) {
  const SynthResult planted = planted_table();
  const StabilityResult found = stability(planted.dataset, few_repeats(20), {});
  Index n_families = 0;
  for (const FeatureStability& one : found.features) {
    if (!one.is_kept || planted.truth[one.feature].kind == PlantedKind::irrelevant) continue;
    if (one.group_size < 2) continue;
    ++n_families;
    EXPECT_GT(one.family_share, 0.95) << planted.dataset.feature_names[one.feature];
    EXPECT_GT(one.group_stability, 0.9);
    EXPECT_GT(one.pairs_together, 0.9);
    EXPECT_TRUE(one.is_stable);
    EXPECT_LE(one.kept_share, one.family_share);
  }
  EXPECT_GT(n_families, 5);
  EXPECT_GT(*found.families.index, *found.kept.index);
  EXPECT_NE(verdict(few_repeats(20), found).find("stable"), std::string::npos);
}

TEST(Stability, counts_are_those_of_the_method_run_by_hand_on_every_half) {
  const Dataset dataset = planted_table().dataset;
  const StabilityOptions options = few_repeats(6);
  const StabilityResult found = stability(dataset, options, {});
  const Reduction& whole = found.method.reduction;
  std::map<Index, int> times_kept;
  std::map<Index, int> times_family;
  std::map<Index, double> jaccard;
  for (int repeat = 0; repeat < 6; ++repeat) {
    const auto samples = resampled(Resample::halves, n_samples(dataset.matrix), repeat, 1);
    const Reduction half = reduce(select_samples(dataset, samples), {}).reduction;
    EXPECT_EQ(found.n_kept[repeat], static_cast<Index>(half.kept.size()));
    for (const Index feature : half.kept) ++times_kept[feature];
    for (const Index feature : whole.kept) {
      const auto members = whole.groups.members_of(whole.groups.group_of[feature]);
      times_family[feature] += std::ranges::any_of(
          members, [&](Index member) { return std::ranges::binary_search(half.kept, member); });
      double best = 0;
      for (Index g = 0; g < half.groups.n_groups(); ++g) {
        if (!std::ranges::binary_search(half.kept, half.representatives[g])) continue;
        std::vector<Index> both;
        std::ranges::set_intersection(members, half.groups.members_of(g), std::back_inserter(both));
        const auto n_both = static_cast<double>(both.size());
        best = std::max(best,
                        n_both / (static_cast<double>(members.size()) +
                                  static_cast<double>(half.groups.members_of(g).size()) - n_both));
      }
      jaccard[feature] += best / 6;
    }
  }
  std::size_t n_seen = 0;
  for (const FeatureStability& one : found.features) {
    EXPECT_DOUBLE_EQ(one.kept_share, times_kept[one.feature] / 6.0);
    if (!one.is_kept) continue;
    ++n_seen;
    EXPECT_DOUBLE_EQ(one.family_share, times_family[one.feature] / 6.0);
    EXPECT_NEAR(one.group_stability, jaccard[one.feature], 1e-12);
  }
  EXPECT_EQ(n_seen, whole.kept.size());
}

TEST(Stability, features_that_do_not_vary_are_no_candidates) {
  SynthOptions options{.n_samples = 60, .n_features = 50};
  options.irrelevant = 0.05;
  options.constant = 0.2;
  options.empty = 0.1;
  const SynthResult planted = synthesise(options, 5);
  Dataset varying = planted.dataset;
  std::vector<Index> features;
  for (Index feature = 0; feature < 50; ++feature) {
    const PlantedKind kind = planted.truth[feature].kind;
    if (kind != PlantedKind::constant && kind != PlantedKind::empty) features.push_back(feature);
  }
  varying = select_features(planted.dataset, features);
  ASSERT_EQ(features.size(), 35U);
  const StabilityResult with = stability(planted.dataset, few_repeats(6), {});
  const StabilityResult without = stability(varying, few_repeats(6), {});
  EXPECT_EQ(with.n_candidates, 35);
  EXPECT_EQ(with.kept.index, without.kept.index);
  EXPECT_EQ(with.families.index, without.families.index);
  EXPECT_EQ(with.kept.jaccard, without.kept.jaccard);
}

bool same_features(const StabilityResult& a, const StabilityResult& b) {
  return std::ranges::equal(a.features, b.features, [](const auto& x, const auto& y) {
    return x.feature == y.feature && x.kept_share == y.kept_share &&
           x.family_share == y.family_share && x.group_stability == y.group_stability &&
           x.pairs_together == y.pairs_together && x.is_stable == y.is_stable;
  });
}

TEST(Stability, the_number_of_threads_changes_nothing) {
  const Dataset dataset = planted_table().dataset;
  for (const Resample how : {Resample::halves, Resample::bootstrap}) {
    const auto one = stability(dataset, few_repeats(6, how), {}, with_threads(1));
    const auto many = stability(dataset, few_repeats(6, how), {}, with_threads(5));
    EXPECT_TRUE(same_features(one, many));
    EXPECT_EQ(one.n_kept, many.n_kept);
    EXPECT_EQ(one.kept.index, many.kept.index);
    EXPECT_EQ(one.families.low, many.families.low);
  }
}

TEST(Stability, every_repeat_keeps_the_number_that_is_asked_for) {
  const Dataset dataset = planted_table().dataset;
  MethodOptions method;
  method.grouping = CompactOptions{.level = {.n_features = 12}};
  EXPECT_EQ(stability(dataset, few_repeats(4), method).n_kept, (std::vector<Index>(4, 12)));
  StabilityOptions same = few_repeats(4);
  same.same_number = true;
  const StabilityResult found = stability(dataset, same, {});
  const auto n_kept = static_cast<Index>(found.method.reduction.kept.size());
  EXPECT_EQ(found.n_kept, (std::vector<Index>(4, n_kept)));
}

TEST(Stability, goes_on_from_a_journal_wherever_it_was_cut) {
  const TemporaryFolder folder;
  const Dataset dataset = planted_table().dataset;
  const StabilityOptions options = few_repeats(4);
  const auto path = folder / "j";
  const auto run = [&](std::size_t want_recalled) {
    StabilityJournal journal(path, "options", dataset, ForeignJournal::refuse);
    EXPECT_EQ(journal.n_recalled(), want_recalled);
    return stability(dataset, options, {}, with_threads(2), journal.checkpoint());
  };
  const StabilityResult whole = run(0);
  const std::string text = read_file(path);
  std::vector<std::size_t> ends;
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) ends.push_back(++at);
  ASSERT_EQ(ends.size(), 5U);  // the header and four repeats
  for (std::size_t k = 0; k < ends.size(); ++k) {
    for (const std::size_t more : {0U, 30U}) {
      folder.write("j", text.substr(0, ends[k] + more));
      EXPECT_TRUE(same_features(run(k), whole));
    }
  }
  StabilityJournal done(path, "options", dataset, ForeignJournal::refuse);
  done.finish();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Stability, a_journal_of_other_data_or_options_is_refused_or_replaced) {
  const TemporaryFolder folder;
  const Dataset dataset = planted_table().dataset;
  const auto path = folder / "j";
  const auto open = [&](const std::string& options, const Dataset& data, ForeignJournal foreign) {
    return StabilityJournal(path, options, data, foreign).n_recalled();
  };
  {
    StabilityJournal journal(path, "a", dataset, ForeignJournal::refuse);
    static_cast<void>(stability(dataset, few_repeats(2), {}, {}, journal.checkpoint()));
  }
  EXPECT_EQ(open("a", dataset, ForeignJournal::refuse), 2U);
  expect_error(ErrorCode::inconsistent_input, {"left behind by another run"},
               [&] { open("b", dataset, ForeignJournal::refuse); });
  expect_error(ErrorCode::inconsistent_input, {},
               [&] { open("a", synthesise({}, 2).dataset, ForeignJournal::refuse); });
  EXPECT_EQ(open("a", dataset, ForeignJournal::refuse), 2U);  // it was left as it was
  EXPECT_EQ(open("b", dataset, ForeignJournal::replace), 0U);
}

TEST(Stability, repeats_of_an_earlier_run_that_cannot_be_are_run_again) {
  const Dataset dataset = planted_table().dataset;
  const StabilityOptions options = few_repeats(2);
  const StabilityResult expected = stability(dataset, options, {});
  const std::size_t n = expected.method.reduction.kept.size();
  const std::vector<double> fit(n, 0.5);
  for (const StabilityRepeat& broken :
       {StabilityRepeat{{0, 60}, fit, fit}, StabilityRepeat{{-1, 2}, fit, fit},
        StabilityRepeat{{3, 3}, fit, fit}, StabilityRepeat{{1}, {}, fit},
        StabilityRepeat{{1}, fit, {0.5}}}) {
    StabilityCheckpoint checkpoint;
    checkpoint.find = [&](int) { return std::optional(broken); };
    EXPECT_TRUE(same_features(stability(dataset, options, {}, {}, checkpoint), expected));
  }
}

TEST(Stability, refuses_what_it_cannot_do_and_says_why) {
  const Dataset dataset = planted_table().dataset;
  const auto run = [&](const StabilityOptions& options, const MethodOptions& method = {}) {
    return [&, options, method] { static_cast<void>(stability(dataset, options, method)); };
  };
  expect_error(ErrorCode::invalid_option, {"repeats"}, run(few_repeats(0)));
  expect_error(ErrorCode::invalid_option, {"even number"}, run(few_repeats(5)));
  EXPECT_EQ(stability(dataset, few_repeats(3, Resample::bootstrap), {}).n_kept.size(), 3U);
  StabilityOptions same = few_repeats(2);
  same.same_number = true;
  expect_error(ErrorCode::invalid_option, {"components", "compact and cover"},
               run(same, {ComponentOptions{}, {}}));
  StabilityOptions stable = few_repeats(2);
  stable.stable = 1.5;
  expect_error(ErrorCode::invalid_option, {"stable"}, run(stable));
}

TEST(Stability, refuses_tables_with_too_little_in_them) {
  const auto run = [](Dataset dataset) {
    return [dataset] { static_cast<void>(stability(dataset, few_repeats(2), {})); };
  };
  const Dataset five = synthesise({.n_samples = 5, .n_features = 20}, 1).dataset;
  expect_error(ErrorCode::degenerate_data, {"5 samples", "at least 6"}, run(five));
  const std::vector<Index> first{0};
  expect_error(ErrorCode::degenerate_data, {},
               run(select_features(planted_table().dataset, first)));
  DenseMatrix one_sample_differs(20, 3);
  for (Index feature = 0; feature < 3; ++feature) one_sample_differs.column(feature)[7] = 1;
  expect_error(ErrorCode::degenerate_data, {"repeat ", "sees 10 of the samples"},
               run(table_of(std::move(one_sample_differs))));
}

TEST(Stability, six_samples_are_enough) {
  const Dataset six = synthesise({.n_samples = 6, .n_features = 20}, 1).dataset;
  EXPECT_EQ(stability(six, few_repeats(4), {}).n_seen, 3);
}

TEST(Stability, every_grouping_can_be_looked_at) {
  const Dataset dataset = planted_table().dataset;
  for (const GroupingKind kind : {GroupingKind::compact, GroupingKind::cover,
                                  GroupingKind::components, GroupingKind::pairwise}) {
    MethodOptions method;
    method.grouping = usual_grouping(kind);
    const StabilityResult found = stability(dataset, few_repeats(4), method);
    EXPECT_EQ(found.n_kept.size(), 4U) << choice_name(kind);
    EXPECT_GT(found.families.jaccard, 0.6) << choice_name(kind);
  }
}

TEST(Stability, a_family_of_all_features_is_there_by_chance_too) {
  // Two features that are copies: whatever is kept is of their family.
  DenseMatrix matrix(12, 2);
  for (Index sample = 0; sample < 12; ++sample) {
    matrix.column(0)[sample] = sample * sample;
    matrix.column(1)[sample] = 3 * sample * sample;
  }
  const StabilityResult found = stability(table_of(std::move(matrix)), few_repeats(4), {});
  ASSERT_FALSE(found.features.empty());
  EXPECT_EQ(found.features.front().group_size, 2);
  EXPECT_DOUBLE_EQ(found.features.front().family_chance, 1);
  EXPECT_DOUBLE_EQ(found.features.front().pairs_together, 1);
  EXPECT_EQ(found.n_families, 1);
  EXPECT_FALSE(found.families.index);
}

/// A result of which the verdict knows only how far the repeats agree.
StabilityResult with_agreement(const SetAgreement& kept, const SetAgreement& families) {
  StabilityResult result;
  result.n_samples = 8;
  result.n_seen = 4;
  result.n_kept = {3, 5};
  result.kept = kept;
  result.families = families;
  return result;
}

TEST(StabilityVerdict, has_a_sentence_for_every_kind_of_answer) {
  const SetAgreement good{0.9, 0.9, 0.8, 0.7, 0.9};
  const SetAgreement fair{0.5, 0.5, 0.4, 0.3, 0.5};
  const SetAgreement poor{0.2, 0.2, 0.39, 0.1, 0.5};
  const SetAgreement nearly_all{0.95, 0.95, 0.0, -0.1, 0.1};
  const SetAgreement all{1, 1, {}, {}, {}};
  const auto says = [](const SetAgreement& kept, const SetAgreement& families,
                       std::string_view words) {
    const std::string text = verdict(few_repeats(2), with_agreement(kept, families));
    EXPECT_NE(text.find(words), std::string::npos) << text;
    EXPECT_NE(text.find("2 halves of 4 samples keep 3 to 5."), std::string::npos) << text;
  };
  for (const SetAgreement& same : {good, nearly_all, all}) says(same, same, "hardly depend");
  says(poor, poor, "not the list as a whole");
  for (const SetAgreement& family : {fair, good, nearly_all, all}) {
    says(poor, family, "Which member stands for a group depends on the samples");
    says(fair, family, "look at the shares");
  }
  says(poor, all, "families all in every repeat");
}

TEST(StabilityFigure, names_the_data_and_has_every_curve) {
  const StabilityResult found = stability(planted_table().dataset, few_repeats(2), {});
  const std::string svg = stability_figure("a<b", few_repeats(2), found);
  EXPECT_TRUE(svg.starts_with("<?xml"));
  for (const char* text : {"a&lt;b", "the feature itself", "it or a member of its group",
                           "by chance", "stable: 0.8", "share of repeats", "2 halves of 60"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace sfg
