// How fast every screening kernel of this processor is where nothing is a hit: products of one
// sample per nanosecond, on one core, best of many. TileKernel::speed comes from here.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include "pursuit/engines/stream/tile.hpp"

namespace {

using namespace sfg::detail;

constexpr std::size_t kPanels = 200;
constexpr std::size_t kVectors = 96;
constexpr int kRepeat = 40;
constexpr float kNever = 1e9F;

/// Words on a boundary of 64 bytes, all zero: the time does not depend on the numbers.
struct alignas(64) Line {
  std::uint32_t words[16] = {};
};

double rate(const TileKernel& kernel, std::size_t n_samples, TileKernel::Run run) {
  const auto per_word = static_cast<std::size_t>(kernel.samples_per_word);
  const std::size_t n_words = (n_samples + per_word - 1) / per_word;
  const std::size_t n_rows = n_words + kernel.n_segments(n_words);
  const std::size_t n_groups = kVectors / kernel.n_targets;
  std::vector<Line> features(kPanels * n_words);
  std::vector<std::uint32_t> vectors(n_groups * n_rows * kernel.n_targets, 0);
  const std::vector<float> ones(kPanelFeatures, 1.0F);
  const std::vector<float> thresholds(kPanelFeatures, kNever);
  std::vector<TileTargets> groups(n_groups);
  for (std::size_t g = 0; g < n_groups; ++g) {
    groups[g].words = vectors.data() + g * n_rows * kernel.n_targets;
    std::ranges::fill(groups[g].threshold, kNever);
    std::ranges::fill(groups[g].unit, 1.0F);
    std::ranges::fill(groups[g].inverse_unit, 1.0F);
  }
  double best = std::numeric_limits<double>::infinity();
  TileResult result;
  for (int k = 0; k < kRepeat; ++k) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t p = 0; p < kPanels; ++p) {
      TilePanel panel;
      panel.words = features[p * n_words].words;
      panel.n_words = n_words;
      panel.scale = panel.along = ones.data();
      panel.lane_threshold = thresholds.data();
      panel.inverse_scale = 1;
      if (run(panel, groups.data(), n_groups, result) != n_groups) return 0;
    }
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count());
  }
  return static_cast<double>(n_samples * kPanels * kPanelFeatures * kVectors) / best;
}

}  // namespace

int main() {
  for (const TileKernel& kernel : available_tile_kernels()) {
    for (const std::size_t n : {std::size_t{100}, std::size_t{500}}) {
      fmt::print("{:<14} {} samples: {:6.1f}, in the first pass {:6.1f}\n", kernel.name, n,
                 rate(kernel, n, kernel.run), rate(kernel, n, kernel.run_both));
    }
  }
}
