#include "pursuit/engines/stream/screen.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "core/kernels.hpp"
#include "core/threads.hpp"
#include "pursuit/omp/tolerances.hpp"

namespace sfg::detail {

namespace {

/// A list is thinned out when it reaches this size, then at every doubling.
constexpr std::size_t kFirstThinning = 256;

/// This part of the panels is screened before scores that beat all others are made exact.
constexpr std::size_t kFirstShare = 16;

}  // namespace

/// What is done with a score that beats all before.
enum class Records { screened, exact };

/// One residual under way.
struct CandidateScreen::Pending {
  const double* vector = nullptr;
  PackedVector packed;
  std::span<const Index> forbidden;
  double level = 0;  ///< the best score is at least this, less a tie
  std::vector<Candidate> candidates;
  std::size_t next_thinning = kFirstThinning;
  Records records = Records::screened;

  /// The few candidates with the highest bounds, also of those that are ruled out by now.
  void best_of(std::vector<Index>& best) {
    const std::size_t count = std::min(kRunnersUp, candidates.size());
    std::ranges::partial_sort(candidates, candidates.begin() + static_cast<Offset>(count),
                              std::greater{}, &Candidate::upper);
    best.clear();
    for (std::size_t k = 0; k < count; ++k) best.push_back(candidates[k].feature);
  }
  void thin_out() {
    std::erase_if(candidates,
                  [&](const Candidate& one) { return static_cast<double>(one.upper) < level; });
    next_thinning = std::max(kFirstThinning, 2 * candidates.size());
  }
};

struct CandidateScreen::Workspace {
  std::vector<Pending> pending;
  std::size_t n_queries = 0;
  std::vector<TileTargets> groups;  ///< of as many vectors as the kernel takes at once
  std::vector<std::uint32_t> group_words;
};

CandidateScreen::CandidateScreen(const UnitFeatures& dictionary, const Duplicates& duplicates,
                                 const TileKernel& kernel, const RunContext& run)
    : columns_(std::get<DenseMatrix>(dictionary.matrix)),
      kernel_(kernel),
      store_(dictionary, duplicates, kernel, run) {
  for (int worker = 0; worker < worker_count(run); ++worker) {
    workspaces_.push_back(std::make_unique<Workspace>());
  }
}

CandidateScreen::~CandidateScreen() = default;

double CandidateScreen::exact_score(const Pending& pending, Index feature) const noexcept {
  const auto column = columns_.column(feature);
  return std::fabs(dot(column.data(), pending.vector, column.size()));
}

/// Makes the most likely candidate's score exact, which raises the level by about the error. From
/// now on that is done to every score that beats all before; at the beginning there would be many.
void CandidateScreen::raise_level(Pending& pending) const {
  pending.records = Records::exact;
  if (pending.candidates.empty()) return;
  const auto likely = std::ranges::max_element(pending.candidates, {}, &Candidate::upper);
  const double score = exact_score(pending, likely->feature);
  likely->upper = float_above(score);
  pending.level = std::max(pending.level, score - kScoreTie);
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
    const double error = store_.error_bound(pending.packed, panel, lane);
    if (score + error < pending.level) continue;
    if (std::ranges::find(pending.forbidden, feature) != pending.forbidden.end()) continue;
    double lower = score - error;
    double upper = score + error;
    if (score > pending.level && pending.records == Records::exact) {
      lower = upper = exact_score(pending, feature);
      if (upper < pending.level) continue;
    }
    pending.level = std::max(pending.level, lower - kScoreTie);
    pending.candidates.push_back({feature, float_above(upper)});
    if (pending.candidates.size() >= pending.next_thinning) pending.thin_out();
  }
}

/// Compares some groups with some panels; the groups stay in the first-level cache, each panel too
/// while all groups pass it.
void CandidateScreen::screen_part(Workspace& work, Range groups, Range panels) const {
  TileResult result;
  for (std::size_t p = panels.begin; p < panels.end; ++p) {
    const TilePanel panel = store_.panel(p);
    for (std::size_t group = groups.begin;; ++group) {
      group += kernel_.run(panel, work.groups.data() + group, groups.end - group, result);
      if (group >= groups.end) break;
      TileTargets& targets = work.groups[group];
      const std::size_t first = group * kernel_.n_targets;
      const std::size_t count = std::min(kernel_.n_targets, work.n_queries - first);
      for (std::size_t t = 0; t < count; ++t) {
        if (result.hits[t] == 0) continue;
        Pending& pending = work.pending[first + t];
        take_hits(pending, p, result.hits[t], result.values + t * kPanelFeatures);
        store_.set_level(pending.packed, t, pending.level, targets);
      }
    }
  }
}

/// Brings the vectors into the order in which the kernel reads them. A group that is not full
/// repeats its last vector at a level that nothing reaches.
void CandidateScreen::make_groups(Workspace& work) const {
  const std::size_t group_size = kernel_.n_targets;
  const std::size_t n_groups = (work.n_queries + group_size - 1) / group_size;
  work.groups.resize(n_groups);
  work.group_words.resize(n_groups * group_size * store_.n_rows());
  for (std::size_t slot = 0; slot < n_groups * group_size; ++slot) {
    const Pending& pending = work.pending[std::min(slot, work.n_queries - 1)];
    const std::size_t group = slot / group_size;
    std::uint32_t* words = work.group_words.data() + group * group_size * store_.n_rows();
    store_.set_target(pending.packed, slot % group_size, words, work.groups[group]);
    const double level =
        slot < work.n_queries ? pending.level : std::numeric_limits<double>::infinity();
    store_.set_level(pending.packed, slot % group_size, level, work.groups[group]);
  }
}

void CandidateScreen::find(std::span<const ScreenQuery> queries, int worker,
                           std::span<std::vector<Candidate>> lists) {
  Workspace& work = *workspaces_[worker];
  if (work.pending.size() < queries.size()) work.pending.resize(queries.size());
  work.n_queries = queries.size();
  for (std::size_t b = 0; b < queries.size(); ++b) {
    Pending& pending = work.pending[b];
    store_.pack(queries[b].vector, pending.packed);
    pending.vector = queries[b].vector;
    pending.forbidden = queries[b].forbidden;
    pending.level = queries[b].reached - kScoreTie;
    pending.candidates.clear();
    pending.next_thinning = kFirstThinning;
    pending.records = Records::screened;
  }
  make_groups(work);
  const std::size_t n_panels = store_.n_panels();
  const std::size_t chunk = store_.panels_per_chunk();
  const std::size_t part = store_.groups_per_part();
  const std::size_t first_chunk = std::min(chunk, n_panels / kFirstShare + 1);
  for (std::size_t panel = 0; panel < n_panels;) {
    const std::size_t end = panel == 0 ? first_chunk : std::min(panel + chunk, n_panels);
    for (std::size_t group = 0; group < work.groups.size(); group += part) {
      screen_part(work, {group, std::min(group + part, work.groups.size())}, {panel, end});
    }
    if (panel == 0) {
      for (std::size_t b = 0; b < queries.size(); ++b) {
        raise_level(work.pending[b]);
        store_.set_level(work.pending[b].packed, b % kernel_.n_targets, work.pending[b].level,
                         work.groups[b / kernel_.n_targets]);
      }
    }
    panel = end;
  }
  for (std::size_t b = 0; b < queries.size(); ++b) {
    Pending& pending = work.pending[b];
    if (queries[b].runners_up != nullptr) pending.best_of(*queries[b].runners_up);
    pending.thin_out();
    lists[b].assign(pending.candidates.begin(), pending.candidates.end());
    std::ranges::sort(lists[b], {}, &Candidate::feature);
  }
}

}  // namespace sfg::detail
