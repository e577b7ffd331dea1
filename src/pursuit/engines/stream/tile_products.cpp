// All products of a block of vectors, in the precision of a kernel.
#include <algorithm>
#include <limits>
#include <vector>

#include "core/threads.hpp"
#include "pursuit/engines/product_finder.hpp"
#include "pursuit/engines/stream/screen_store.hpp"
#include "pursuit/engines/stream/tile.hpp"

namespace sfg::detail {

namespace {

class TileProducts {
 public:
  using Value = float;

  TileProducts(const UnitFeatures& dictionary, const Duplicates& duplicates,
               const TileKernel& kernel, const RunContext& run)
      : kernel_(kernel),
        d_(static_cast<std::size_t>(dictionary.n_features())),
        store_(dictionary, duplicates, kernel, run),
        work_(static_cast<std::size_t>(worker_count(run))) {}

  void products(std::span<const ProductVector> vectors, int worker, float* products,
                double* error_bounds) {
    Work& work = work_[worker];
    std::fill_n(products, d_ * vectors.size(), 0.0F);
    for (std::size_t first = 0; first < vectors.size(); first += kernel_.n_targets) {
      const std::size_t count = std::min(kernel_.n_targets, vectors.size() - first);
      make_group(vectors.subspan(first, count), error_bounds + first, work);
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

  [[nodiscard]] std::string kernel_name() const { return kernel_.name; }

 private:
  struct Work {
    PackedVector packed;
    TileTargets targets;
    TileResult result;
    std::vector<std::uint32_t> words;
  };

  void make_group(std::span<const ProductVector> vectors, double* error_bounds, Work& work) const {
    work.words.resize(store_.n_rows() * kernel_.n_targets);
    for (std::size_t t = 0; t < kernel_.n_targets; ++t) {
      const std::size_t b = std::min(t, vectors.size() - 1);
      store_.pack(vectors[b].vector->data() + 1, work.packed);
      store_.set_target(work.packed, t, work.words.data(), work.targets);
      work.targets.threshold[t] = -std::numeric_limits<float>::infinity();
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

std::unique_ptr<CandidateFinder> make_tile_product_finder(const UnitFeatures& dictionary,
                                                          const Duplicates& duplicates,
                                                          const TileKernel& kernel,
                                                          const RunContext& run) {
  return std::make_unique<ProductFinder<TileProducts>>(
      TileProducts(dictionary, duplicates, kernel, run), dictionary.n_features(),
      worker_count(run));
}

}  // namespace sfg::detail
