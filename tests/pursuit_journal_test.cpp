// A pursuit that is cut off and goes on from its journal gives the same bits.
#include "sfg/journal.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <random>

#include "helpers.hpp"
#include "pursuit/checkpoint/block_record.hpp"
#include "reference.hpp"
#include "same_bits.hpp"
#include "sampling.hpp"

namespace sfg::detail {
namespace {

using sfg::testing::expect_error;
using sfg::testing::expect_same_bits;
using sfg::testing::random_matrix;
using sfg::testing::read_file;
using sfg::testing::TemporaryFolder;
using sfg::testing::with_threads;

constexpr JournalOptions kAtOnce{OldJournal::go_on, 0};

UnitFeatures some_features(Index n_features = 300, int seed = 7) {
  return normalise(random_matrix(40, n_features, seed), {Centering::none});
}

/// A checkpoint that ends the pursuit after some blocks, as if the process had been killed.
struct Killed {};
PursuitCheckpoint killed_after(int n_blocks, PursuitCheckpoint checkpoint) {
  checkpoint.keep = [left = std::make_shared<int>(n_blocks), keep = checkpoint.keep](
                        const PursuitKey& key, const TargetBlock& block) {
    if (--*left < 0) throw Killed();
    keep(key, block);
  };
  return checkpoint;
}

class PursuitJournalFile : public ::testing::Test {
 protected:
  TemporaryFolder folder_{sfg::testing::fast_place()};
  std::filesystem::path path_ = folder_ / "g.npz.journal";

  /// With one thread every block but the last is full, with more of them one that runs out of
  /// targets may hand over less.
  void cut_off(const UnitFeatures& features, const PursuitOptions& options, int n_blocks,
               int threads = 2) const {
    PursuitJournal journal(path_, kAtOnce);
    try {
      (void)pursue(features, options, with_threads(threads),
                   killed_after(n_blocks, journal.checkpoint()));
      ADD_FAILURE() << "it came to its end";
    } catch (const Killed&) {
    }
  }
};

std::vector<PursuitOptions> all_ways() {
  std::vector<PursuitOptions> ways;
  for (const PursuitMethod method : {PursuitMethod::omp, PursuitMethod::ols}) {
    for (const Engine engine : {Engine::gram, Engine::stream, Engine::sparse}) {
      PursuitOptions options;
      options.method = method;
      options.engine = engine;
      ways.push_back(options);
      if (engine != Engine::stream || method != PursuitMethod::omp) continue;
      for (const Screen screen : {Screen::int8, Screen::bf16, Screen::f32}) {
        options.screen = screen;
        ways.push_back(options);
      }
    }
  }
  return ways;
}

TEST_F(PursuitJournalFile, goes_on_to_the_same_bits_with_every_engine_screen_and_method) {
  const UnitFeatures features = some_features();
  for (const PursuitOptions& options : all_ways()) {
    SCOPED_TRACE(choice_name(options.engine) + " " + choice_name(options.screen));
    const Representations whole = pursue(features, options, with_threads(1));
    const auto cuts = sfg::testing::kSampled ? std::vector{4} : std::vector{1, 4, 8};
    for (const int n_blocks : cuts) {
      std::filesystem::remove(path_);
      cut_off(features, options, n_blocks);
      PursuitJournal journal(path_, kAtOnce);
      expect_same_bits(pursue(features, options, with_threads(3), journal.checkpoint()), whole);
      EXPECT_GE(journal.n_recalled(), static_cast<std::size_t>(n_blocks - 1));
    }
  }
}

TEST_F(PursuitJournalFile, of_the_gram_engine_serves_the_stream_engine_and_the_other_way_round) {
  const UnitFeatures features = some_features();
  PursuitOptions gram;
  gram.engine = Engine::gram;
  PursuitOptions stream;
  stream.engine = Engine::stream;
  const Representations whole = pursue(features, gram);
  cut_off(features, gram, 3, 1);
  cut_off(features, stream, 3, 1);
  PursuitJournal journal(path_, kAtOnce);
  expect_same_bits(pursue(features, gram, {}, journal.checkpoint()), whole);
  EXPECT_EQ(journal.n_recalled(), 6U * 32);
}

TEST_F(PursuitJournalFile, of_dense_sums_is_refused_by_the_sparse_engine) {
  const UnitFeatures features = some_features();
  cut_off(features, {}, 2);
  PursuitOptions sparse;
  sparse.engine = Engine::sparse;
  PursuitJournal journal(path_, kAtOnce);
  expect_error(ErrorCode::inconsistent_input, {"g.npz.journal", "dense sums", "sparse sums"},
               [&] { (void)pursue(features, sparse, {}, journal.checkpoint()); });
}

TEST_F(PursuitJournalFile, with_many_samples_and_few_features_goes_on_too) {
  const UnitFeatures features = normalise(random_matrix(900, 200, 3), {Centering::mean});
  const Representations whole = pursue(features, {});
  cut_off(features, {}, 2, 1);
  PursuitJournal journal(path_, kAtOnce);
  expect_same_bits(pursue(features, {}, {}, journal.checkpoint()), whole);
  EXPECT_EQ(journal.n_recalled(), 64U);
}

TEST_F(PursuitJournalFile, of_other_data_or_options_is_refused_and_says_what_differs) {
  cut_off(some_features(), {}, 2);
  const auto refuse = [&](const UnitFeatures& features, const PursuitOptions& options,
                          std::initializer_list<std::string_view> words) {
    const std::string before = read_file(path_);
    expect_error(ErrorCode::inconsistent_input, words, [&] {
      PursuitJournal journal(path_, kAtOnce);
      (void)pursue(features, options, {}, journal.checkpoint());
    });
    EXPECT_EQ(read_file(path_), before) << "it must not be touched";
  };
  PursuitOptions other;
  other.epsilon = 0.02;
  refuse(some_features(), other,
         {"g.npz.journal", "epsilon 0.01", "epsilon 0.02", "overwrite=true"});
  other = {};
  other.max_atoms = 5;
  refuse(some_features(), other, {"at most 100", "at most 5"});
  other = {};
  other.last_atom = LastAtom::drop;
  refuse(some_features(), other, {"last atom kept", "last atom dropped"});
  other = {};
  other.method = PursuitMethod::ols;
  refuse(some_features(), other, {"omp", "ols"});
  refuse(some_features(301), {}, {"40 x 300", "40 x 301"});
  refuse(some_features(300, 8), {}, {"other values"});
  // One bit of one value.
  UnitFeatures changed = some_features();
  auto& matrix = std::get<DenseMatrix>(changed.matrix);
  matrix(3, 200) = std::nextafter(matrix(3, 200), 2.0);
  refuse(changed, {}, {"other values"});
}

TEST_F(PursuitJournalFile, of_another_graph_is_replaced_where_that_is_asked_for) {
  cut_off(some_features(300, 8), {}, 2);
  const Representations whole = pursue(some_features(), {});
  PursuitJournal journal(path_, {OldJournal::go_on_any, 0});
  expect_same_bits(pursue(some_features(), {}, {}, journal.checkpoint()), whole);
  EXPECT_EQ(journal.n_recalled(), 0U);
}

TEST_F(PursuitJournalFile, cut_off_at_any_byte_goes_on_to_the_same_bits) {
  const UnitFeatures features = some_features(150);
  const Representations whole = pursue(features, {});
  cut_off(features, {}, 3);
  const std::string text = read_file(path_);
  std::mt19937 random(5);
  for (int k = 0; k < 60; ++k) {
    folder_.write("g.npz.journal", text.substr(0, random() % (text.size() + 1)));
    PursuitJournal journal(path_, kAtOnce);
    expect_same_bits(pursue(features, {}, {}, journal.checkpoint()), whole);
  }
}

TEST_F(PursuitJournalFile, with_a_changed_bit_is_trusted_up_to_there_or_refused) {
  const UnitFeatures features = some_features(150);
  const Representations whole = pursue(features, {});
  cut_off(features, {}, 3);
  const std::string text = read_file(path_);
  const std::size_t header_end = text.find('\n') + 1;
  std::mt19937 random(6);
  for (int k = 0; k < 60; ++k) {
    std::string damaged = text;
    const std::size_t at = random() % text.size();
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (random() % 8)));
    folder_.write("g.npz.journal", damaged);
    if (at < header_end) {
      expect_error(ErrorCode::inconsistent_input, {"not a journal"},
                   [&] { const PursuitJournal journal(path_, kAtOnce); });
      continue;
    }
    PursuitJournal journal(path_, kAtOnce);
    EXPECT_GT(journal.n_dropped(), 0U);
    expect_same_bits(pursue(features, {}, {}, journal.checkpoint()), whole);
  }
}

TEST_F(PursuitJournalFile, an_interrupted_run_loses_only_what_was_under_way) {
  const UnitFeatures features = some_features();
  std::atomic<bool> stop = false;
  sfg::RunContext run = with_threads(1);
  run.stop = &stop;
  {
    PursuitJournal journal(path_, kAtOnce);
    PursuitCheckpoint checkpoint = journal.checkpoint();
    const auto keep = checkpoint.keep;
    checkpoint.keep = [&](const PursuitKey& key, const TargetBlock& block) {
      keep(key, block);
      stop = true;
    };
    PursuitOptions gram;
    gram.engine = Engine::gram;  // one target at a time
    expect_error(ErrorCode::interrupted, {"interrupted"},
                 [&] { (void)pursue(features, gram, run, checkpoint); });
  }
  const PursuitJournal journal(path_, kAtOnce);
  EXPECT_EQ(journal.n_written(), 32U);
}

TEST_F(PursuitJournalFile, a_finished_pursuit_is_not_computed_again) {
  const UnitFeatures features = some_features();
  Representations whole;
  {
    PursuitJournal journal(path_, kAtOnce);
    whole = pursue(features, {}, {}, journal.checkpoint());
    EXPECT_EQ(journal.n_written(), 300U);
  }
  PursuitJournal journal(path_, kAtOnce);
  PursuitCheckpoint checkpoint = journal.checkpoint();
  checkpoint.keep = [](const PursuitKey&, const TargetBlock&) { FAIL(); };
  expect_same_bits(pursue(features, {}, {}, checkpoint), whole);
}

TEST_F(PursuitJournalFile, holds_several_pursuits_of_one_command) {
  const UnitFeatures first = some_features(300, 1);
  const UnitFeatures second = some_features(200, 2);
  const Representations whole = pursue(second, {});
  {
    PursuitJournal journal(path_, kAtOnce);
    (void)pursue(first, {}, {}, journal.checkpoint());
    EXPECT_THROW((void)pursue(second, {}, with_threads(1), killed_after(2, journal.checkpoint())),
                 Killed);
  }
  PursuitJournal journal(path_, kAtOnce);
  (void)pursue(first, {}, {}, journal.checkpoint());
  expect_same_bits(pursue(second, {}, {}, journal.checkpoint()), whole);
  EXPECT_EQ(journal.n_recalled(), 300U + 64U);
}

TEST_F(PursuitJournalFile, that_has_one_pursuit_twice_counts_the_first) {
  const UnitFeatures features = some_features();
  {
    PursuitJournal journal(path_, kAtOnce);
    (void)pursue(features, {}, {}, journal.checkpoint());
    (void)pursue(features, {}, {}, journal.checkpoint());
  }
  PursuitJournal journal(path_, kAtOnce);
  expect_same_bits(pursue(features, {}, {}, journal.checkpoint()), pursue(features, {}));
}

TEST_F(PursuitJournalFile, of_a_short_run_does_not_appear) {
  PursuitJournal journal(path_, {OldJournal::leave, 1e9});
  (void)pursue(some_features(), {}, {}, journal.checkpoint());
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(PursuitJournalFile, that_is_to_be_left_alone_is_left_alone) {
  folder_.write("g.npz.journal", "my notes");
  PursuitJournal journal(path_, {OldJournal::leave, 0});
  (void)pursue(some_features(), {}, {}, journal.checkpoint());
  journal.finish();
  EXPECT_EQ(read_file(path_), "my notes");
}

TEST_F(PursuitJournalFile, that_cannot_be_written_is_given_up_and_the_pursuit_is_not) {
  PursuitJournal journal(folder_ / "none/g.npz.journal", kAtOnce);
  expect_same_bits(pursue(some_features(), {}, {}, journal.checkpoint()),
                   pursue(some_features(), {}));
  EXPECT_NE(journal.failure().find("none/g.npz.journal"), std::string::npos);
}

TEST_F(PursuitJournalFile, is_gone_when_all_is_done) {
  PursuitJournal journal(path_, kAtOnce);
  (void)pursue(some_features(), {}, {}, journal.checkpoint());
  EXPECT_TRUE(std::filesystem::exists(path_));
  journal.finish();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST(BlockRecord, of_wrong_length_is_none) {
  TargetBlock block;
  block.targets = {4, 2};
  block.representations.starts = {0, 1, 3};
  block.representations.atoms = {1, 0, 3};
  block.representations.coefficients = {0.5, -0.0, 1.0 / 3};
  block.representations.residual = {0.25, 1};
  block.representations.status = {PursuitStatus::exact, PursuitStatus::stalled};
  const std::string record = block_record(block, 7);
  const auto back = block_from_record(record);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->pursuit, 7U);
  EXPECT_EQ(back->block.targets, block.targets);
  expect_same_bits(back->block.representations, block.representations);
  for (std::size_t length = 0; length < record.size(); ++length) {
    EXPECT_FALSE(block_from_record(record.substr(0, length))) << length;
  }
  EXPECT_FALSE(block_from_record(record + "x"));
}

TEST(PursuitCheckpoint, blocks_that_cannot_be_of_this_pursuit_are_refused) {
  const PursuitKey key{10, 5, 0, ""};
  TargetBlock good;
  good.targets = {4};
  good.representations.starts = {0, 1};
  good.representations.atoms = {1};
  good.representations.coefficients = {0.5};
  good.representations.residual = {0.25};
  good.representations.status = {PursuitStatus::exact};
  EXPECT_TRUE(fits(good, key));
  const auto expect_bad = [&](const std::function<void(TargetBlock&)>& change) {
    TargetBlock bad = good;
    change(bad);
    EXPECT_FALSE(fits(bad, key));
  };
  expect_bad([](TargetBlock& block) { block.targets = {5}; });
  expect_bad([](TargetBlock& block) { block.targets = {-1}; });
  expect_bad([](TargetBlock& block) { block.targets = {1, 2}; });
  expect_bad([](TargetBlock& block) { block.representations.atoms = {5}; });
  expect_bad([](TargetBlock& block) { block.representations.starts = {0, 2}; });
  expect_bad([](TargetBlock& block) { block.representations.starts = {1, 1}; });
  expect_bad([](TargetBlock& block) { block.representations.coefficients = {NAN}; });
  expect_bad([](TargetBlock& block) { block.representations.residual = {INFINITY}; });
  expect_bad(
      [](TargetBlock& block) { block.representations.status = {static_cast<PursuitStatus>(9)}; });
  PursuitCheckpoint checkpoint;
  checkpoint.find = [&](const PursuitKey&) { return std::vector<TargetBlock>{good, good}; };
  expect_error(ErrorCode::inconsistent_input, {"start over"},
               [&] { (void)pursue(some_features(), {}, {}, checkpoint); });
}

}  // namespace
}  // namespace sfg::detail
