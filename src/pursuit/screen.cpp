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
  std::size_t n_queries = 0;
  /// The words of each group of vectors that a kernel takes at once, interleaved.
  std::vector<std::uint32_t> group_words;
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
  const std::size_t group_size = kernel_.n_targets;
  for (std::size_t first = 0; first < work.n_queries; first += group_size) {
    Pending* group = work.pending.data() + first;
    // A group that is not full repeats its last vector; those results are not looked at.
    const std::size_t count = std::min(group_size, work.n_queries - first);
    const auto refresh = [&](std::size_t t) {
      arguments.level[t] =
          static_cast<float>((group[t].level - group[t].error_term) / group[t].packed.unit);
    };
    arguments.targets = work.group_words.data() + first * store_.n_words();
    for (std::size_t t = 0; t < group_size; ++t) {
      const Pending& pending = group[std::min(t, count - 1)];
      arguments.start[t] = pending.packed.start;
      arguments.along_factor[t] = static_cast<float>(pending.packed.along / pending.packed.unit);
      arguments.error[t] = static_cast<float>(pending.error_factor / pending.packed.unit);
      arguments.length[t] = static_cast<float>(pending.packed.error / pending.packed.unit);
      if (t < count) refresh(t);
      arguments.level[t] = arguments.level[std::min(t, count - 1)];
    }
    for (std::size_t panel = first_panel; panel < last_panel; ++panel) {
      store_.load_panel(panel, arguments);
      if (!kernel_.run(arguments, result)) continue;
      for (std::size_t t = 0; t < count; ++t) {
        if (result.hits[t] == 0) continue;
        take_hits(group[t], panel, result.hits[t], result.values + t * kPanelFeatures);
        refresh(t);
      }
    }
  }
}

/// Brings the vectors into the order in which the kernel reads them.
void CandidateScreen::interleave(Workspace& work) const {
  const std::size_t group_size = kernel_.n_targets;
  const std::size_t n_groups = (work.n_queries + group_size - 1) / group_size;
  work.group_words.resize(n_groups * group_size * store_.n_words());
  for (std::size_t slot = 0; slot < n_groups * group_size; ++slot) {
    const auto& words = work.pending[std::min(slot, work.n_queries - 1)].packed.words;
    std::uint32_t* place = work.group_words.data() +
                           slot / group_size * group_size * store_.n_words() + slot % group_size;
    for (std::size_t g = 0; g < store_.n_words(); ++g) place[g * group_size] = words[g];
  }
}

void CandidateScreen::find(std::span<const ScreenQuery> queries, int worker,
                           std::span<std::vector<Index>> lists) {
  Workspace& work = *workspaces_[static_cast<std::size_t>(worker)];
  if (work.pending.size() < queries.size()) work.pending.resize(queries.size());
  work.n_queries = queries.size();
  for (std::size_t b = 0; b < queries.size(); ++b) {
    Pending& pending = work.pending[b];
    store_.pack(queries[b].vector, pending.packed);
    pending.forbidden = queries[b].forbidden;
    pending.level = queries[b].reached - kScoreTie;
    pending.error_factor = pending.packed.length + pending.packed.error;
    pending.error_term = store_.rounding(pending.packed.length + std::fabs(pending.packed.along));
    pending.candidates.clear();
    pending.next_thinning = kFirstThinning;
  }
  interleave(work);
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
