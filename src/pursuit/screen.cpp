#include "pursuit/screen.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/threads.hpp"
#include "pursuit/tolerances.hpp"

namespace sfg::detail {

namespace {

/// Panels that are compared with all residuals of a block before the next ones: they stay in the
/// second-level cache.
constexpr std::size_t kChunkBytes = 256 * 1024;
/// A list is thinned out when it reaches this size, then at every doubling.
constexpr std::size_t kFirstThinning = 256;

struct Candidate {
  Index feature;
  double upper;  ///< the score is at most this
};

}  // namespace

/// One residual under way.
struct CandidateScreen::Pending {
  PackedVector packed;
  std::span<const Index> forbidden;
  double level = 0;  ///< the best score is at least this, less a tie
  double error_factor = 0;
  double error_term = 0;
  std::vector<Candidate> candidates;
  std::size_t next_thinning = kFirstThinning;

  void thin_out() {
    std::erase_if(candidates, [&](const Candidate& one) { return one.upper < level; });
    next_thinning = std::max(kFirstThinning, 2 * candidates.size());
  }
};

struct CandidateScreen::Workspace {
  std::vector<Pending> pending;
  std::vector<Pending*> active;
};

CandidateScreen::CandidateScreen(const UnitFeatures& dictionary, const TileKernel& kernel,
                                 const Run& run)
    : kernel_(kernel), store_(std::get<DenseMatrix>(dictionary.matrix), kernel, run) {
  for (int worker = 0; worker < worker_count(run); ++worker) {
    workspaces_.push_back(std::make_unique<Workspace>());
  }
}

CandidateScreen::~CandidateScreen() = default;

double CandidateScreen::store_bytes(double n_samples, double n_features, const TileKernel& kernel) {
  return n_features * (n_samples * 4.0 / kernel.samples_per_word + 6 * sizeof(float));
}

/// The exact test of what the kernel found: it used the panel's largest error, here is the lane's
/// own.
void CandidateScreen::take_hits(Pending& pending, std::size_t panel, std::uint32_t hits,
                                const float* values) const {
  for (; hits != 0; hits &= hits - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(hits));
    const Index feature = store_.feature(panel, lane);
    if (feature < 0) continue;
    const double score = std::fabs(static_cast<double>(values[lane])) * pending.packed.unit;
    const double error = store_.feature_error(panel, lane) * pending.error_factor +
                         store_.feature_length(panel, lane) * pending.packed.error +
                         pending.error_term;
    if (score + error < pending.level) continue;
    if (std::ranges::find(pending.forbidden, feature) != pending.forbidden.end()) continue;
    pending.candidates.push_back({feature, score + error});
    pending.level = std::max(pending.level, score - error - kScoreTie);
    if (pending.candidates.size() >= pending.next_thinning) pending.thin_out();
  }
}

void CandidateScreen::screen_chunk(Workspace& work, std::size_t first_panel,
                                   std::size_t last_panel) const {
  TileArguments arguments;
  TileResult result;
  for (std::size_t first = 0; first < work.active.size(); first += kernel_.n_targets) {
    const std::size_t count = std::min(kernel_.n_targets, work.active.size() - first);
    const auto refresh = [&](std::size_t t) {
      const Pending& pending = *work.active[first + t];
      arguments.level[t] =
          static_cast<float>((pending.level - pending.error_term) / pending.packed.unit);
    };
    for (std::size_t t = 0; t < kernel_.n_targets; ++t) {
      // A group that is not full repeats its last residual; those results are not looked at.
      const Pending& pending = *work.active[first + std::min(t, count - 1)];
      arguments.targets[t] = pending.packed.words.data();
      arguments.start[t] = pending.packed.start;
      arguments.along_factor[t] = static_cast<float>(pending.packed.along / pending.packed.unit);
      arguments.error[t] = static_cast<float>(pending.error_factor / pending.packed.unit);
      arguments.length[t] = static_cast<float>(pending.packed.error / pending.packed.unit);
      refresh(std::min(t, count - 1));
      arguments.level[t] = arguments.level[std::min(t, count - 1)];
    }
    for (std::size_t panel = first_panel; panel < last_panel; ++panel) {
      store_.load_panel(panel, arguments);
      if (!kernel_.run(arguments, result)) continue;
      for (std::size_t t = 0; t < count; ++t) {
        if (result.hits[t] == 0) continue;
        take_hits(*work.active[first + t], panel, result.hits[t],
                  result.values + t * kPanelFeatures);
        refresh(t);
      }
    }
  }
}

void CandidateScreen::find(std::span<const ScreenQuery> queries, int worker,
                           std::span<std::vector<Index>> lists) {
  Workspace& work = *workspaces_[static_cast<std::size_t>(worker)];
  if (work.pending.size() < queries.size()) work.pending.resize(queries.size());
  work.active.clear();
  for (std::size_t b = 0; b < queries.size(); ++b) {
    Pending& pending = work.pending[b];
    store_.pack(queries[b].vector, pending.packed);
    pending.forbidden = queries[b].forbidden;
    pending.level = queries[b].reached - kScoreTie;
    pending.error_factor = pending.packed.length + pending.packed.error;
    pending.error_term = store_.rounding(pending.packed.length + std::fabs(pending.packed.along));
    pending.candidates.clear();
    pending.next_thinning = kFirstThinning;
    work.active.push_back(&pending);
  }
  const std::size_t chunk = std::max<std::size_t>(1, kChunkBytes / store_.panel_bytes());
  for (std::size_t panel = 0; panel < store_.n_panels(); panel += chunk) {
    screen_chunk(work, panel, std::min(panel + chunk, store_.n_panels()));
  }
  for (std::size_t b = 0; b < queries.size(); ++b) {
    Pending& pending = work.pending[b];
    pending.thin_out();
    lists[b].clear();
    for (const Candidate& one : pending.candidates) lists[b].push_back(one.feature);
    std::ranges::sort(lists[b]);
  }
}

}  // namespace sfg::detail
