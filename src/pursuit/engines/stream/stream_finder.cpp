#include "pursuit/engines/stream/stream_finder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "core/kernels.hpp"
#include "core/threads.hpp"
#include "pursuit/omp/sample_space.hpp"
#include "pursuit/omp/tolerances.hpp"

namespace sfg::detail {

namespace {

/// A list is thinned out when it reaches this size, then at every doubling.
constexpr std::size_t kFirstCandidateThinning = 256;

/// This part of the panels is screened before scores that beat all others are made exact.
constexpr std::size_t kFirstShare = 16;

/// Atoms with high scores that are remembered from one step to the next.
constexpr std::size_t kRunnersUp = 3;

/// So many queries before their turn the columns that they will read are asked for: memory answers
/// while the others compute.
constexpr std::size_t kAhead = 2;

}  // namespace

/// What is done with a score that beats all before.
enum class Records { screened, exact };

/// One residual under way.
struct StreamFinder::Pending {
  const double* residual = nullptr;
  PackedVector packed;
  std::span<const Index> forbidden;
  double threshold = 0;  ///< the best score is at least this, less a tie
  std::vector<Index>* runners_up = nullptr;
  CandidateList* list = nullptr;  ///< where the candidates go in the end
  CandidateList candidates;
  std::size_t next_thinning = kFirstCandidateThinning;
  Records records = Records::screened;

  /// Keeps the few candidates with the highest bounds in mind, also those that are ruled out by
  /// now.
  void note_runners_up() {
    const std::size_t count = std::min(kRunnersUp, candidates.size());
    std::ranges::partial_sort(candidates, candidates.begin() + static_cast<Offset>(count),
                              std::greater{}, &Candidate::upper);
    runners_up->clear();
    for (std::size_t k = 0; k < count; ++k) runners_up->push_back(candidates[k].feature);
  }
  void thin_out() {
    std::erase_if(candidates,
                  [&](const Candidate& one) { return static_cast<double>(one.upper) < threshold; });
    next_thinning = std::max(kFirstCandidateThinning, 2 * candidates.size());
  }
};

struct StreamFinder::Workspace {
  std::vector<Pending> pending;
  std::size_t n_pending = 0;
  std::vector<TileTargets> groups;  ///< of as many vectors as the kernel takes at once
  std::vector<std::uint32_t> group_words;
};

StreamFinder::StreamFinder(const UnitFeatures& dictionary, const Duplicates& duplicates,
                           const TileKernel& kernel, const RunContext& run)
    : dictionary_(dictionary),
      columns_(std::get<DenseMatrix>(dictionary.matrix)),
      duplicates_(duplicates),
      kernel_(kernel),
      store_(dictionary, duplicates, kernel, run) {
  for (int worker = 0; worker < worker_count(run); ++worker) {
    workspaces_.push_back(std::make_unique<Workspace>());
  }
}

StreamFinder::~StreamFinder() = default;

void StreamFinder::prepare_first_atoms(const RunContext& run, SharedWork* shared) {
  // Processes can only share the work if their kernels are the same.
  if (shared != nullptr && !shared->agree_on(kernel_.name)) return;
  first_ = first_candidates(dictionary_, duplicates_, store_, kernel_, run, shared);
}

/// The answer to a query for the first atom, if the first pass has found it.
bool StreamFinder::recall_first(const Query& query, CandidateList& list) const {
  const bool is_first = query.self >= 0 && query.atoms.empty() && query.forbidden.size() == 1;
  if (!first_ || !is_first) return false;
  if (duplicates_.repeated(query.self)) {
    // The first of its kind has the same candidates, and is one itself.
    const Index first = duplicates_.twin[query.self];
    const auto same = first_->of(first);
    list.assign(same.begin(), same.end());
    const auto place = std::ranges::lower_bound(list, first, {}, &Candidate::feature);
    list.insert(place, {first, std::numeric_limits<float>::infinity()});
  } else {
    const auto own = first_->of(query.self);
    list.assign(own.begin(), own.end());
  }
  if (query.runners_up != nullptr) {
    query.runners_up->clear();
    for (std::size_t k = 0; k < std::min(kRunnersUp, list.size()); ++k) {
      query.runners_up->push_back(list[k].feature);
    }
  }
  return true;
}

void StreamFinder::prefetch_runners_up(const Query& query) const noexcept {
  if (query.runners_up == nullptr) return;
  for (const Index atom : *query.runners_up) prefetch_column(columns_.column(atom));
}

double StreamFinder::exact_score(const double* residual, Index feature) const noexcept {
  const auto column = columns_.column(feature);
  return std::fabs(dot(column.data(), residual, column.size()));
}

/// A score to start from: the best exact one of the runners-up, of an equal feature, or (without
/// runners-up) of the target's neighbours in the table.
double StreamFinder::known_score(const Query& query) const {
  double best = query.known_score;
  const auto consider = [&](Index atom) {
    if (atom < 0 || atom >= columns_.n_features()) return;
    if (std::ranges::find(query.forbidden, atom) != query.forbidden.end()) return;
    best = std::max(best, exact_score(query.residual->data() + 1, atom));
  };
  const bool has_runners_up = query.runners_up != nullptr && !query.runners_up->empty();
  if (has_runners_up) {
    for (const Index atom : *query.runners_up) consider(atom);
  }
  if (query.self < 0) return best;
  consider(duplicates_.twin[query.self]);
  if (!has_runners_up) {
    consider(query.self - 1);
    consider(query.self + 1);
  }
  return best;
}

/// Makes the most likely candidate's score exact, which raises the threshold by about the error.
/// From now on that is done to every score that beats all before; at the beginning there would be
/// many.
void StreamFinder::raise_threshold(Pending& pending) const {
  pending.records = Records::exact;
  if (pending.candidates.empty()) return;
  const auto likely = std::ranges::max_element(pending.candidates, {}, &Candidate::upper);
  const double score = exact_score(pending.residual, likely->feature);
  likely->upper = float_above(score);
  pending.threshold = std::max(pending.threshold, score - kScoreTie);
}

/// The exact test of what the kernel found: it used the panel's largest error, here is the lane's
/// own.
void StreamFinder::take_hits(Pending& pending, std::size_t panel, std::uint32_t hits,
                             const float* values) const {
  for (; hits != 0; hits &= hits - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(hits));
    const Index feature = store_.feature(panel, lane);
    if (feature < 0) continue;
    const double score = std::fabs(static_cast<double>(values[lane])) * pending.packed.unit;
    const double error = store_.error_bound(pending.packed, panel, lane);
    if (score + error < pending.threshold) continue;
    if (std::ranges::find(pending.forbidden, feature) != pending.forbidden.end()) continue;
    double lower = score - error;
    double upper = score + error;
    if (score > pending.threshold && pending.records == Records::exact) {
      lower = upper = exact_score(pending.residual, feature);
      if (upper < pending.threshold) continue;
    }
    pending.threshold = std::max(pending.threshold, lower - kScoreTie);
    pending.candidates.push_back({feature, float_above(upper)});
    if (pending.candidates.size() >= pending.next_thinning) pending.thin_out();
  }
}

/// Compares some groups with some panels; the groups stay in the first-level cache, each panel too
/// while all groups pass it.
void StreamFinder::screen_part(Workspace& work, Range groups, Range panels) const {
  TileResult result;
  for (std::size_t p = panels.begin; p < panels.end; ++p) {
    const TilePanel panel = store_.panel(p);
    for (std::size_t group = groups.begin;; ++group) {
      group += kernel_.run(panel, work.groups.data() + group, groups.end - group, result);
      if (group >= groups.end) break;
      TileTargets& targets = work.groups[group];
      const std::size_t first = group * kernel_.n_targets;
      const std::size_t count = std::min(kernel_.n_targets, work.n_pending - first);
      for (std::size_t t = 0; t < count; ++t) {
        if (result.hits[t] == 0) continue;
        Pending& pending = work.pending[first + t];
        take_hits(pending, p, result.hits[t], result.values + t * kPanelFeatures);
        store_.set_threshold(pending.packed, t, pending.threshold, targets);
      }
    }
  }
}

/// Brings the vectors into the order in which the kernel reads them. A group that is not full
/// repeats its last vector at a threshold that nothing reaches.
void StreamFinder::make_groups(Workspace& work) const {
  const std::size_t group_size = kernel_.n_targets;
  const std::size_t n_groups = (work.n_pending + group_size - 1) / group_size;
  work.groups.resize(n_groups);
  work.group_words.resize(n_groups * group_size * store_.n_rows());
  for (std::size_t slot = 0; slot < n_groups * group_size; ++slot) {
    const Pending& pending = work.pending[std::min(slot, work.n_pending - 1)];
    const std::size_t group = slot / group_size;
    std::uint32_t* words = work.group_words.data() + group * group_size * store_.n_rows();
    store_.set_target(pending.packed, slot % group_size, words, work.groups[group]);
    const double threshold =
        slot < work.n_pending ? pending.threshold : std::numeric_limits<double>::infinity();
    store_.set_threshold(pending.packed, slot % group_size, threshold, work.groups[group]);
  }
}

void StreamFinder::start(const Query& query, CandidateList& list, Pending& pending) const {
  pending.residual = query.residual->data() + 1;
  store_.pack(pending.residual, pending.packed);
  pending.forbidden = query.forbidden;
  pending.threshold = known_score(query) - kScoreTie;
  pending.runners_up = query.runners_up;
  pending.list = &list;
  pending.candidates.clear();
  pending.next_thinning = kFirstCandidateThinning;
  pending.records = Records::screened;
}

void StreamFinder::screen_all(Workspace& work) const {
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
      for (std::size_t b = 0; b < work.n_pending; ++b) {
        raise_threshold(work.pending[b]);
        store_.set_threshold(work.pending[b].packed, b % kernel_.n_targets,
                             work.pending[b].threshold, work.groups[b / kernel_.n_targets]);
      }
    }
    panel = end;
  }
}

void StreamFinder::find(std::span<const Query> queries, std::span<CandidateList> lists,
                        int worker) {
  Workspace& work = *workspaces_[worker];
  if (work.pending.size() < queries.size()) work.pending.resize(queries.size());
  work.n_pending = 0;
  for (std::size_t b = 0; b < queries.size(); ++b) {
    if (b + kAhead < queries.size()) prefetch_runners_up(queries[b + kAhead]);
    if (!recall_first(queries[b], lists[b])) {
      start(queries[b], lists[b], work.pending[work.n_pending++]);
    }
  }
  if (work.n_pending == 0) return;
  make_groups(work);
  screen_all(work);
  for (std::size_t b = 0; b < work.n_pending; ++b) {
    Pending& pending = work.pending[b];
    if (pending.runners_up != nullptr) pending.note_runners_up();
    pending.thin_out();
    pending.list->assign(pending.candidates.begin(), pending.candidates.end());
    std::ranges::sort(*pending.list, {}, &Candidate::feature);
  }
}

std::unique_ptr<CandidateFinder> make_stream_finder(const UnitFeatures& dictionary,
                                                    const Duplicates& duplicates,
                                                    const TileKernel& kernel,
                                                    const RunContext& run) {
  return std::make_unique<StreamFinder>(dictionary, duplicates, kernel, run);
}

}  // namespace sfg::detail
