#include "pursuit/first_pass.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/kernels.hpp"
#include "core/threads.hpp"
#include "pursuit/tolerances.hpp"

namespace sfg::detail {

namespace {

/// Panels whose features are targets together: one piece of work.
constexpr std::size_t kBlockPanels = 6;
/// Panels that all targets of a block are compared with before the next ones.
constexpr std::size_t kChunkBytes = 256 * 1024;
/// A log of candidates is thinned out when it reaches this many entries, then at every doubling.
constexpr std::size_t kFirstThinning = std::size_t{1} << 16U;

struct LoggedCandidate {
  std::uint32_t slot;  ///< of the target
  Index feature;
  float upper;  ///< the score is at most this
};

/// What one worker has found so far. Levels only rise; those of another worker are not waited for.
struct Worker {
  std::vector<float> level;  ///< by slot: the best score is at least this, less a tie
  std::vector<LoggedCandidate> log;
  std::size_t next_thinning = kFirstThinning;
  std::vector<PackedVector> packed;
  std::vector<std::uint32_t> group_words;

  void thin_out() {
    std::erase_if(log, [&](const auto& one) { return one.upper < level[one.slot]; });
    next_thinning = std::max(kFirstThinning, 2 * log.size());
  }
  void add(std::size_t slot, Index feature, double score, double error) {
    if (score + error < level[slot]) return;
    // One rounding to float up and one down, so that neither bound is lost.
    log.push_back({static_cast<std::uint32_t>(slot), feature,
                   std::nextafter(static_cast<float>(score + error), 2.0F)});
    level[slot] =
        std::max(level[slot], std::nextafter(static_cast<float>(score - error - kScoreTie), -1.0F));
    if (log.size() >= next_thinning) thin_out();
  }
};

class FirstPass {
 public:
  FirstPass(const UnitFeatures& features, const ScreenStore& store, const TileKernel& kernel)
      : features_(features),
        columns_(std::get<DenseMatrix>(features.matrix)),
        store_(store),
        kernel_(kernel) {}

  FirstCandidates run(const Run& run) {
    const std::vector<float> seeds = seed_levels(run);
    std::vector<Worker> workers(static_cast<std::size_t>(worker_count(run)));
    for (Worker& worker : workers) worker.level = seeds;
    const std::size_t n_blocks = (store_.n_panels() + kBlockPanels - 1) / kBlockPanels;
    parallel_for_workers(run, "first atoms", static_cast<std::int64_t>(n_blocks),
                         [&](std::int64_t block, int worker) {
                           screen_block(static_cast<std::size_t>(block) * kBlockPanels,
                                        workers[static_cast<std::size_t>(worker)]);
                         });
    return gather(workers);
  }

 private:
  /// The exact score of a neighbour in the table, which often is a good one; infinite for features
  /// without direction, which look for nothing.
  std::vector<float> seed_levels(const Run& run) const {
    std::vector<float> levels(store_.n_slots(), std::numeric_limits<float>::infinity());
    parallel_for(run, {}, static_cast<std::int64_t>(store_.n_panels()), [&](std::int64_t item) {
      const auto panel = static_cast<std::size_t>(item);
      for (std::size_t lane = 0; lane < kPanelFeatures; ++lane) {
        const Index k = store_.feature(panel, lane);
        if (k < 0 || features_.kind[static_cast<std::size_t>(k)] != FeatureKind::regular) continue;
        double best = 0;
        for (const Index other : {k - 1, k + 1}) {
          if (other < 0 || other >= columns_.n_features()) continue;
          best =
              std::max(best, std::fabs(dot(columns_.column(k).data(), columns_.column(other).data(),
                                           static_cast<std::size_t>(columns_.n_samples()))));
        }
        levels[store_.first_slot(panel) + lane] =
            std::nextafter(static_cast<float>(best - kScoreTie), -1.0F);
      }
    });
    return levels;
  }

  /// Targets: the features of a block of panels. Compared with the block itself one way (both ways
  /// occur there anyway), with all later panels both ways.
  void screen_block(std::size_t first_panel, Worker& worker) const {
    const std::size_t block_end = std::min(first_panel + kBlockPanels, store_.n_panels());
    pack_targets(first_panel, block_end, worker);
    const std::size_t n_targets = (block_end - first_panel) * kPanelFeatures;
    const std::size_t chunk = std::max<std::size_t>(1, kChunkBytes / store_.panel_bytes());
    for (std::size_t start = first_panel; start < store_.n_panels();) {
      const bool own = start < block_end;
      const std::size_t limit = own ? block_end : store_.n_panels();
      const std::size_t end = std::min(start + chunk, limit);
      for (std::size_t target = 0; target < n_targets; target += kernel_.n_targets) {
        screen_group(first_panel, target, {start, end}, own ? TileTest::targets : TileTest::both,
                     worker);
      }
      start = end;
    }
  }

  void pack_targets(std::size_t first_panel, std::size_t block_end, Worker& worker) const {
    const std::size_t n_targets = (block_end - first_panel) * kPanelFeatures;
    const std::size_t group = kernel_.n_targets;
    const std::size_t n_padded = (n_targets + group - 1) / group * group;
    worker.packed.resize(n_padded);
    worker.group_words.assign(n_padded * store_.n_words(), 0);
    for (std::size_t target = 0; target < n_targets; ++target) {
      const Index k =
          store_.feature(first_panel + target / kPanelFeatures, target % kPanelFeatures);
      PackedVector& packed = worker.packed[target];
      if (k < 0) {
        packed = {};
        continue;
      }
      store_.pack(columns_.column(k).data(), packed);
      std::uint32_t* place =
          worker.group_words.data() + target / group * group * store_.n_words() + target % group;
      for (std::size_t g = 0; g < store_.n_words(); ++g) place[g * group] = packed.words[g];
    }
  }

  struct PanelRange {
    std::size_t begin;
    std::size_t end;
  };

  void screen_group(std::size_t first_panel, std::size_t first_target, PanelRange panels,
                    TileTest test, Worker& worker) const {
    TileArguments arguments;
    TileResult result;
    const std::size_t n_block_slots =
        (std::min(first_panel + kBlockPanels, store_.n_panels()) - first_panel) * kPanelFeatures;
    const std::size_t count = std::min(kernel_.n_targets, n_block_slots - first_target);
    std::size_t slots[kMostTileTargets] = {};
    const auto refresh = [&](std::size_t t) {
      const PackedVector& packed = worker.packed[first_target + t];
      arguments.level[t] = static_cast<float>(
          (static_cast<double>(worker.level[slots[t]]) - rounding(packed)) / packed.unit);
    };
    arguments.targets = worker.group_words.data() + first_target * store_.n_words();
    for (std::size_t t = 0; t < kernel_.n_targets; ++t) {
      const PackedVector& packed = worker.packed[first_target + t];
      const std::size_t target = first_target + std::min(t, count - 1);
      slots[t] = store_.first_slot(first_panel + target / kPanelFeatures) + target % kPanelFeatures;
      arguments.start[t] = packed.start;
      arguments.along_factor[t] = static_cast<float>(packed.along / packed.unit);
      arguments.error[t] = static_cast<float>((packed.length + packed.error) / packed.unit);
      arguments.length[t] = static_cast<float>(packed.error / packed.unit);
      arguments.slack[t] = static_cast<float>(rounding(packed) / packed.unit);
      arguments.unit[t] = static_cast<float>(packed.unit);
      refresh(t);
    }
    const auto run = test == TileTest::both ? kernel_.run_both : kernel_.run;
    for (std::size_t panel = panels.begin; panel < panels.end; ++panel) {
      store_.load_panel(panel, arguments);
      arguments.lane_level = worker.level.data() + store_.first_slot(panel);
      if (!run(arguments, result)) continue;
      for (std::size_t t = 0; t < count; ++t) {
        const std::uint32_t lane_hits = test == TileTest::both ? result.lane_hits[t] : 0;
        if ((result.hits[t] | lane_hits) == 0) continue;
        const std::size_t target = first_target + t;
        const Index own =
            store_.feature(first_panel + target / kPanelFeatures, target % kPanelFeatures);
        if (own < 0) continue;
        take_hits(own, slots[t], worker.packed[target], panel, result.hits[t], lane_hits,
                  result.values + t * kPanelFeatures, worker);
        refresh(t);
      }
    }
  }

  void take_hits(Index own, std::size_t slot, const PackedVector& packed, std::size_t panel,
                 std::uint32_t hits, std::uint32_t lane_hits, const float* values,
                 Worker& worker) const {
    for (std::uint32_t all = hits | lane_hits; all != 0; all &= all - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(all));
      const Index feature = store_.feature(panel, lane);
      if (feature < 0 || feature == own) continue;
      const double score = std::fabs(static_cast<double>(values[lane])) * packed.unit;
      const double error = store_.feature_error(panel, lane) * (packed.length + packed.error) +
                           store_.feature_length(panel, lane) * packed.error + rounding(packed);
      if (((hits >> lane) & 1U) != 0) worker.add(slot, feature, score, error);
      if (((lane_hits >> lane) & 1U) != 0) {
        worker.add(store_.first_slot(panel) + lane, own, score, error);
      }
    }
  }

  [[nodiscard]] double rounding(const PackedVector& packed) const noexcept {
    return store_.rounding(packed.length + std::fabs(packed.along));
  }

  /// What all workers found, for each feature, less what the best level of any worker rules out.
  FirstCandidates gather(std::vector<Worker>& workers) const {
    Worker& all = workers.front();
    for (const Worker& worker : workers) {
      for (std::size_t slot = 0; slot < all.level.size(); ++slot) {
        all.level[slot] = std::max(all.level[slot], worker.level[slot]);
      }
    }
    std::vector<Index> feature_of(store_.n_slots(), -1);
    for (std::size_t panel = 0; panel < store_.n_panels(); ++panel) {
      for (std::size_t lane = 0; lane < kPanelFeatures; ++lane) {
        feature_of[store_.first_slot(panel) + lane] = store_.feature(panel, lane);
      }
    }
    FirstCandidates result;
    result.starts.assign(static_cast<std::size_t>(columns_.n_features()) + 1, 0);
    for (Worker& worker : workers) {
      std::erase_if(worker.log, [&](const auto& one) { return one.upper < all.level[one.slot]; });
      for (const auto& one : worker.log) {
        ++result.starts[static_cast<std::size_t>(feature_of[one.slot]) + 1];
      }
    }
    for (std::size_t i = 1; i < result.starts.size(); ++i) result.starts[i] += result.starts[i - 1];
    result.features.resize(static_cast<std::size_t>(result.starts.back()));
    std::vector<Offset> next(result.starts.begin(), result.starts.end() - 1);
    for (const Worker& worker : workers) {
      for (const auto& one : worker.log) {
        auto& place = next[static_cast<std::size_t>(feature_of[one.slot])];
        result.features[static_cast<std::size_t>(place++)] = one.feature;
      }
    }
    for (Index i = 0; i < columns_.n_features(); ++i) {
      const auto row = static_cast<std::size_t>(i);
      std::sort(result.features.begin() + result.starts[row],
                result.features.begin() + result.starts[row + 1]);
    }
    return result;
  }

  const UnitFeatures& features_;
  const DenseMatrix& columns_;
  const ScreenStore& store_;
  const TileKernel& kernel_;
};

}  // namespace

FirstCandidates first_candidates(const UnitFeatures& features, const ScreenStore& store,
                                 const TileKernel& kernel, const Run& run) {
  return FirstPass(features, store, kernel).run(run);
}

}  // namespace sfg::detail
