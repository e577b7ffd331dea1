#include "pursuit/engines/stream/first_pass.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "core/kernels.hpp"
#include "core/threads.hpp"
#include "pursuit/omp/tolerances.hpp"

namespace sfg::detail {

namespace {

/// Panels whose features are targets together: one piece of work.
constexpr std::size_t kBlockPanels = 6;
/// A log of candidates is thinned out when it reaches this many entries, then at every doubling.
constexpr std::size_t kFirstThinning = std::size_t{1} << 16U;

struct LoggedCandidate {
  std::uint32_t slot;  ///< of the target
  Index feature;
  float upper;  ///< the score is at most this
};

/// What one worker has found so far. Thresholds only rise; those of another worker are not waited
/// for.
struct Worker {
  std::vector<float> threshold;  ///< by slot: the best score is at least this, less a tie
  std::vector<LoggedCandidate> log;
  std::size_t next_thinning = kFirstThinning;
  /// Targets of the block under way, in the order of their slots.
  std::vector<PackedVector> packed;
  std::vector<TileTargets> groups;
  std::vector<std::uint32_t> group_words;

  void thin_out() {
    std::erase_if(log, [&](const auto& one) { return one.upper < threshold[one.slot]; });
    next_thinning = std::max(kFirstThinning, 2 * log.size());
  }
  /// The score is between `lower` and `upper`.
  void add(std::size_t slot, Index feature, double lower, double upper) {
    if (upper < static_cast<double>(threshold[slot])) return;
    // One rounding to float up and one down, so that neither bound is lost.
    log.push_back({static_cast<std::uint32_t>(slot), feature, float_above(upper)});
    threshold[slot] = std::max(threshold[slot], float_below(lower - kScoreTie));
    if (log.size() >= next_thinning) thin_out();
  }
};

class FirstPass {
 public:
  FirstPass(const UnitFeatures& features, const Duplicates& duplicates, const ScreenStore& store,
            const TileKernel& kernel)
      : columns_(std::get<DenseMatrix>(features.matrix)),
        duplicates_(duplicates),
        store_(store),
        kernel_(kernel) {}

  FirstCandidates run(const RunContext& run, SharedWork* shared) {
    const std::vector<float> seeds = seed_thresholds(run);
    std::vector<Worker> workers(static_cast<std::size_t>(worker_count(run)));
    for (Worker& worker : workers) worker.threshold = seeds;
    const auto n_blocks =
        static_cast<std::int64_t>((store_.n_panels() + kBlockPanels - 1) / kBlockPanels);
    const auto screen = [&](std::int64_t block, int worker) {
      screen_block(static_cast<std::size_t>(block) * kBlockPanels, workers[worker]);
    };
    if (shared == nullptr) {
      parallel_for_workers(run, "first atoms", n_blocks, screen);
      return gather(workers);
    }
    ClaimedItems claimed(*shared, SharedWork::Stage::first_atoms, n_blocks, run);
    parallel_workers(run, claimed, n_blocks, [&](ItemSource& items, int worker) {
      for (std::int64_t block = items.next(); block >= 0; block = items.next()) {
        screen(block, worker);
        items.done();
      }
    });
    exchange(workers, *shared);
    return gather(workers);
  }

 private:
  /// Afterwards the first worker has what all processes found, as if it had found it itself.
  static void exchange(std::vector<Worker>& workers, SharedWork& shared) {
    Worker& first = workers.front();
    for (const Worker& worker : workers) raise(first.threshold, worker.threshold);
    shared.raise_to_largest(first.threshold);
    std::vector<LoggedCandidate> own;
    for (Worker& worker : workers) {
      for (const LoggedCandidate& one : std::exchange(worker.log, {})) {
        if (one.upper >= first.threshold[one.slot]) own.push_back(one);
      }
    }
    const std::vector<char> all = shared.gather(std::span<const char>(
        reinterpret_cast<const char*>(own.data()), own.size() * sizeof(LoggedCandidate)));
    first.log.resize(all.size() / sizeof(LoggedCandidate));
    if (!all.empty()) std::memcpy(first.log.data(), all.data(), all.size());
  }

  static void raise(std::vector<float>& thresholds, const std::vector<float>& others) {
    for (std::size_t slot = 0; slot < thresholds.size(); ++slot) {
      thresholds[slot] = std::max(thresholds[slot], others[slot]);
    }
  }

  /// The exact score of a neighbour in the table, which often is a good one, or of an equal
  /// feature; infinite for lanes without feature, which look for nothing.
  std::vector<float> seed_thresholds(const RunContext& run) const {
    std::vector<float> thresholds(store_.n_slots(), std::numeric_limits<float>::infinity());
    parallel_for(run, {}, static_cast<std::int64_t>(store_.n_panels()), [&](std::int64_t item) {
      const auto panel = static_cast<std::size_t>(item);
      for (std::size_t lane = 0; lane < kPanelFeatures; ++lane) {
        const Index k = store_.feature(panel, lane);
        if (k < 0) continue;
        double best = 0;
        for (const Index other : {k - 1, k + 1, duplicates_.hidden_twin(k)}) {
          if (other < 0 || other >= columns_.n_features()) continue;
          best =
              std::max(best, std::fabs(dot(columns_.column(k).data(), columns_.column(other).data(),
                                           static_cast<std::size_t>(columns_.n_samples()))));
        }
        thresholds[store_.first_slot(panel) + lane] = float_below(best - kScoreTie);
      }
    });
    return thresholds;
  }

  struct Range {
    std::size_t begin;
    std::size_t end;
  };

  /// Targets: the features of a block of panels. Compared with the block itself one way (both ways
  /// occur there anyway), with all later panels both ways.
  void screen_block(std::size_t first_panel, Worker& worker) const {
    const Range block{first_panel, std::min(first_panel + kBlockPanels, store_.n_panels())};
    make_groups(block, worker);
    const std::size_t chunk = store_.panels_per_chunk();
    const std::size_t part = store_.groups_per_part();
    for (std::size_t start = block.begin; start < store_.n_panels();) {
      const bool own = start < block.end;
      const std::size_t end = std::min(start + chunk, own ? block.end : store_.n_panels());
      for (std::size_t group = 0; group < worker.groups.size(); group += part) {
        screen_part(block, {group, std::min(group + part, worker.groups.size())}, {start, end},
                    own ? TileTest::targets : TileTest::both, worker);
      }
      start = end;
    }
  }

  [[nodiscard]] std::size_t slot_of(Range block, std::size_t target) const noexcept {
    return store_.first_slot(block.begin + target / kPanelFeatures) + target % kPanelFeatures;
  }
  [[nodiscard]] Index feature_of(Range block, std::size_t target) const noexcept {
    return store_.feature(block.begin + target / kPanelFeatures, target % kPanelFeatures);
  }

  void make_groups(Range block, Worker& worker) const {
    const std::size_t n_targets = (block.end - block.begin) * kPanelFeatures;
    const std::size_t group_size = kernel_.n_targets;
    const std::size_t n_groups = (n_targets + group_size - 1) / group_size;
    worker.packed.resize(n_groups * group_size);
    worker.groups.assign(n_groups, {});
    worker.group_words.resize(n_groups * group_size * store_.n_rows());
    for (std::size_t target = 0; target < n_groups * group_size; ++target) {
      PackedVector& packed = worker.packed[target];
      const Index feature = target < n_targets ? feature_of(block, target) : -1;
      double threshold = std::numeric_limits<double>::infinity();
      if (feature < 0) {
        packed = {};
        packed.rows.resize(store_.n_rows());
      } else {
        store_.pack_stored(block.begin + target / kPanelFeatures, target % kPanelFeatures, packed);
        threshold = static_cast<double>(worker.threshold[slot_of(block, target)]);
      }
      const std::size_t group = target / group_size;
      std::uint32_t* words = worker.group_words.data() + group * group_size * store_.n_rows();
      store_.set_target(packed, target % group_size, words, worker.groups[group]);
      store_.set_threshold(packed, target % group_size, threshold, worker.groups[group]);
    }
  }

  void screen_part(Range block, Range groups, Range panels, TileTest test, Worker& worker) const {
    TileResult result;
    const auto run = test == TileTest::both ? kernel_.run_both : kernel_.run;
    for (std::size_t p = panels.begin; p < panels.end; ++p) {
      TilePanel panel = store_.panel(p);
      panel.lane_threshold = worker.threshold.data() + store_.first_slot(p);
      for (std::size_t group = groups.begin;; ++group) {
        group += run(panel, worker.groups.data() + group, groups.end - group, result);
        if (group >= groups.end) break;
        for (std::size_t t = 0; t < kernel_.n_targets; ++t) {
          if (test == TileTest::targets) result.lane_hits[t] = 0;
          if ((result.hits[t] | result.lane_hits[t]) == 0) continue;
          take_hits(block, group * kernel_.n_targets + t, p, result, worker);
        }
      }
    }
  }

  void take_hits(Range block, std::size_t target, std::size_t panel, const TileResult& result,
                 Worker& worker) const {
    const std::size_t t = target % kernel_.n_targets;
    const PackedVector& packed = worker.packed[target];
    if (target >= (block.end - block.begin) * kPanelFeatures) return;
    const Index own = feature_of(block, target);
    if (own < 0) return;
    const std::size_t slot = slot_of(block, target);
    for (std::uint32_t all = result.hits[t] | result.lane_hits[t]; all != 0; all &= all - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(all));
      const Index feature = store_.feature(panel, lane);
      if (feature < 0 || feature == own) continue;
      const std::size_t lane_slot = store_.first_slot(panel) + lane;
      const double score =
          std::fabs(static_cast<double>(result.values[t * kPanelFeatures + lane])) * packed.unit;
      const double error = store_.error_bound(packed, panel, lane);
      const bool is_hit = ((result.hits[t] >> lane) & 1U) != 0;
      const bool is_lane_hit = ((result.lane_hits[t] >> lane) & 1U) != 0;
      double lower = score - error;
      double upper = score + error;
      // A score that beats all so far is made exact at once: few others pass from then on.
      if ((is_hit && score > static_cast<double>(worker.threshold[slot])) ||
          (is_lane_hit && score > static_cast<double>(worker.threshold[lane_slot]))) {
        lower = upper = std::fabs(dot(columns_.column(own).data(), columns_.column(feature).data(),
                                      static_cast<std::size_t>(columns_.n_samples())));
      }
      if (is_hit) worker.add(slot, feature, lower, upper);
      if (is_lane_hit) worker.add(lane_slot, own, lower, upper);
    }
    store_.set_threshold(packed, t, static_cast<double>(worker.threshold[slot]),
                         worker.groups[target / kernel_.n_targets]);
  }

  /// What all workers found, for each feature, less what the best threshold of any worker rules
  /// out.
  FirstCandidates gather(std::vector<Worker>& workers) const {
    Worker& all = workers.front();
    for (const Worker& worker : workers) raise(all.threshold, worker.threshold);
    std::vector<Index> feature_in(store_.n_slots(), -1);
    for (std::size_t panel = 0; panel < store_.n_panels(); ++panel) {
      for (std::size_t lane = 0; lane < kPanelFeatures; ++lane) {
        feature_in[store_.first_slot(panel) + lane] = store_.feature(panel, lane);
      }
    }
    FirstCandidates result;
    result.starts.assign(static_cast<std::size_t>(columns_.n_features()) + 1, 0);
    for (Worker& worker : workers) {
      std::erase_if(worker.log,
                    [&](const auto& one) { return one.upper < all.threshold[one.slot]; });
      for (const auto& one : worker.log) {
        ++result.starts[feature_in[one.slot] + 1];
      }
    }
    for (std::size_t i = 1; i < result.starts.size(); ++i) result.starts[i] += result.starts[i - 1];
    result.candidates.resize(static_cast<std::size_t>(result.starts.back()));
    std::vector<Offset> next(result.starts.begin(), result.starts.end() - 1);
    for (const Worker& worker : workers) {
      for (const auto& one : worker.log) {
        auto& place = next[feature_in[one.slot]];
        result.candidates[place++] = {one.feature, one.upper};
      }
    }
    for (Index i = 0; i < columns_.n_features(); ++i) {
      const auto row = static_cast<std::size_t>(i);
      std::ranges::sort(result.candidates.begin() + result.starts[row],
                        result.candidates.begin() + result.starts[row + 1], {},
                        &Candidate::feature);
    }
    return result;
  }

  const DenseMatrix& columns_;
  const Duplicates& duplicates_;
  const ScreenStore& store_;
  const TileKernel& kernel_;
};

}  // namespace

FirstCandidates first_candidates(const UnitFeatures& features, const Duplicates& duplicates,
                                 const ScreenStore& store, const TileKernel& kernel,
                                 const RunContext& run, SharedWork* shared) {
  return FirstPass(features, duplicates, store, kernel).run(run, shared);
}

}  // namespace sfg::detail
