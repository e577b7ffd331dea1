// A pursuit that is shared by several processes gives what one gives, to the bit. The processes are
// threads here; tests/mpi has real ones.
#include "pursuit/checkpoint/shared_work.hpp"
#include "same_bits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "helpers.hpp"
#include "pursuit/checkpoint/blocks.hpp"
#include "reference.hpp"

namespace sfg::detail {
namespace {

using sfg::testing::expect_same_bits;
using sfg::testing::random_matrix;
using sfg::testing::with_threads;

/// What the processes have in common.
struct Together {
  explicit Together(int n) : n_processes(n), all_here(n) {}

  int n_processes;
  std::barrier<> all_here;
  std::atomic<std::int64_t> next[2] = {0, 0};
  std::mutex mutex;
  std::vector<TargetBlock> blocks;
  std::vector<float> thresholds;
  std::vector<char> bytes;
  bool same_text = true;
  std::string text;
};

class OneOfThem final : public SharedWork {
 public:
  explicit OneOfThem(Together& together) : together_(together) {}

  int n_processes() const override { return together_.n_processes; }
  ItemRange claim(Stage stage, std::int64_t n_items) override {
    constexpr std::int64_t kSize = 5;
    const std::int64_t begin = together_.next[static_cast<int>(stage)].fetch_add(kSize);
    return {begin, std::max(begin, std::min(begin + kSize, n_items))};
  }
  void keep(const TargetBlock& block) override {
    const std::lock_guard lock(together_.mutex);
    together_.blocks.push_back(block);
  }
  void item_done() override { ++n_done; }
  bool agree_on(const std::string& text) override {
    in_turn([&] {
      if (together_.text.empty()) together_.text = text;
      if (together_.text != text) together_.same_text = false;
    });
    return together_.same_text;
  }
  void raise_to_largest(std::span<float> thresholds) override {
    in_turn([&] {
      together_.thresholds.resize(thresholds.size(), -1);
      for (std::size_t k = 0; k < thresholds.size(); ++k) {
        together_.thresholds[k] = std::max(together_.thresholds[k], thresholds[k]);
      }
    });
    std::ranges::copy(together_.thresholds, thresholds.begin());
  }
  std::vector<char> gather(std::span<const char> bytes) override {
    in_turn([&] { together_.bytes.insert(together_.bytes.end(), bytes.begin(), bytes.end()); });
    return together_.bytes;
  }

  std::atomic<int> n_done = 0;

 private:
  void in_turn(const std::function<void()>& part) {
    {
      const std::lock_guard lock(together_.mutex);
      part();
    }
    together_.all_here.arrive_and_wait();
  }

  Together& together_;
};

Representations shared_by(int n_processes, const UnitFeatures& features,
                          const PursuitOptions& options, KnownTargets known) {
  Together together(n_processes);
  {
    std::vector<std::jthread> processes;
    for (int process = 0; process < n_processes; ++process) {
      processes.emplace_back([&] {
        OneOfThem work(together);
        (void)pursue_together(features, options,
                              known.empty() ? std::vector<Index>() : known.left(), with_threads(2),
                              work);
      });
    }
  }
  for (TargetBlock& block : together.blocks) known.add(std::move(block));
  return known.take_all();
}

PursuitKey key_of(const UnitFeatures& features) {
  PursuitKey key;
  key.n_samples = features.n_samples();
  key.n_features = features.n_features();
  return key;
}

TEST(SharedPursuit, gives_the_bits_of_one_process_for_any_number_of_them) {
  const UnitFeatures features = normalise(random_matrix(40, 300, 7), {Centering::none});
  for (const Engine engine : {Engine::stream, Engine::gram, Engine::sparse}) {
    PursuitOptions options;
    options.engine = engine;
    const Representations expected = pursue(features, options, with_threads(1));
    for (const int n_processes : {1, 2, 5}) {
      expect_same_bits(shared_by(n_processes, features, options, {{}, key_of(features)}), expected);
    }
  }
}

TEST(SharedPursuit, goes_on_with_what_is_known) {
  const UnitFeatures features = normalise(random_matrix(40, 300, 8), {Centering::mean});
  const Representations expected = pursue(features, {}, with_threads(1));
  // Every other target is known from before.
  KnownTargets known({}, key_of(features));
  for (Index target = 0; target < features.n_features(); target += 2) {
    TargetBlock block;
    block.targets.push_back(target);
    Representations& one = block.representations;
    const auto atoms = expected.atoms_of(target);
    const auto coefficients = expected.coefficients_of(target);
    one.atoms.assign(atoms.begin(), atoms.end());
    one.coefficients.assign(coefficients.begin(), coefficients.end());
    one.starts.push_back(static_cast<Offset>(atoms.size()));
    one.residual.push_back(expected.residual[target]);
    one.status.push_back(expected.status[target]);
    known.add(std::move(block));
  }
  expect_same_bits(shared_by(3, features, {}, std::move(known)), expected);
}

}  // namespace
}  // namespace sfg::detail
