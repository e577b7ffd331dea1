// All products of a block of vectors, in the precision of a kernel.
#include <algorithm>
#include <limits>
#include <vector>

#include "core/threads.hpp"
#include "pursuit/engines/stream/screen_store.hpp"
#include "pursuit/omp/scorer.hpp"

namespace sfg::detail {

namespace {

class ScreenScorer final : public Scorer<float> {
 public:
  ScreenScorer(const UnitFeatures& dictionary, const Duplicates& duplicates,
               const TileKernel& kernel, const RunContext& run)
      : kernel_(kernel),
        d_(static_cast<std::size_t>(dictionary.n_features())),
        store_(dictionary, duplicates, kernel, run),
        work_(static_cast<std::size_t>(worker_count(run))) {}

  void products(std::span<const Query> queries, int worker, float* products,
                double* error_bounds) override {
    Work& work = work_[worker];
    std::fill_n(products, d_ * queries.size(), 0.0F);
    for (std::size_t first = 0; first < queries.size(); first += kernel_.n_targets) {
      const std::size_t count = std::min(kernel_.n_targets, queries.size() - first);
      make_group(queries.subspan(first, count), error_bounds + first, work);
      for (std::size_t panel = 0; panel < store_.n_panels(); ++panel) {
        // Every value is at or above a limit of minus infinity.
        (void)kernel_.run(store_.panel(panel), &work.targets, 1, work.result);
        for (std::size_t t = 0; t < count; ++t) {
          copy_values(panel, work.result.values + t * kPanelFeatures, work.targets.unit[t],
                      products + (first + t) * d_);
        }
      }
    }
  }

 private:
  struct Work {
    PackedVector packed;
    TileTargets targets;
    TileResult result;
    std::vector<std::uint32_t> words;
  };

  void make_group(std::span<const Query> queries, double* error_bounds, Work& work) const {
    work.words.resize(store_.n_rows() * kernel_.n_targets);
    for (std::size_t t = 0; t < kernel_.n_targets; ++t) {
      const std::size_t b = std::min(t, queries.size() - 1);
      store_.pack(queries[b].vector->data() + 1, work.packed);
      store_.set_target(work.packed, t, work.words.data(), work.targets);
      work.targets.level[t] = -std::numeric_limits<float>::infinity();
      error_bounds[b] = store_.largest_error_bound(work.packed);
    }
  }

  void copy_values(std::size_t panel, const float* values, float unit, float* products) const {
    for (std::size_t lane = 0; lane < kPanelFeatures; ++lane) {
      const Index feature = store_.feature(panel, lane);
      if (feature >= 0) products[feature] = values[lane] * unit;
    }
  }

  TileKernel kernel_;
  std::size_t d_;
  ScreenStore store_;
  std::vector<Work> work_;
};

}  // namespace

std::unique_ptr<Scorer<float>> make_screen_scorer(const UnitFeatures& dictionary,
                                                  const Duplicates& duplicates,
                                                  const TileKernel& kernel, const RunContext& run) {
  return std::make_unique<ScreenScorer>(dictionary, duplicates, kernel, run);
}

}  // namespace sfg::detail
