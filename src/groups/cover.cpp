#include "sfg/cover.hpp"

#include <fmt/format.h>

#include "core/memory.hpp"
#include "core/threads.hpp"
#include "groups/cover_phases.hpp"
#include "groups/greedy_cover.hpp"
#include "normalise/fewer_samples.hpp"

namespace sfg {

namespace {

void check_memory(const UnitFeatures& features, const RunContext& run) {
  detail::require_memory(detail::memory_of_inverse(features), run,
                         fmt::format("cover of {} samples", features.n_samples()),
                         "raise {memory_limit} or use {grouping=compact}");
}

}  // namespace

CoverSequence detail::cover_in_phases(const UnitFeatures& centred, const CoverStop& stop,
                                      const RunContext& run, const CoverPhases& phases) {
  const bool wide = centred.n_samples() <= centred.n_features();
  if (!wide && std::holds_alternative<DenseMatrix>(centred.matrix)) {
    // The products of features are all that matters: the factor R of F = QR has the same ones.
    return cover_in_phases(fewer_samples(centred, run), stop, while_holding(centred.matrix, run),
                           phases);
  }
  check_memory(centred, run);
  const detail::SingleThreadedBlas single_threaded;
  detail::GreedyCover greedy(centred, run, phases);
  CoverSequence sequence;
  const Index most = stop.most_features > 0 ? stop.most_features : centred.n_features();
  bool enough = false;
  for (std::size_t k = 0; k < stop.keep.size() || !enough; ++k) {
    detail::check_stop(run);
    const Index feature = k < stop.keep.size() ? stop.keep[k] : greedy.best();
    if (feature < 0) break;
    if (!greedy.is_open(feature)) continue;
    greedy.pick(feature);
    sequence.picks.push_back(feature);
    sequence.mean_r2.push_back(greedy.mean_r2());
    enough = (stop.enough && stop.enough(feature)) ||
             static_cast<Index>(sequence.picks.size()) >= most ||
             sequence.mean_r2.back() >= stop.enough_mean_r2 ||
             (stop.enough_r2 <= 1 && greedy.lowest_r2() >= stop.enough_r2);
    if (run.progress) {
      run.progress("cover", static_cast<double>(sequence.picks.size()), static_cast<double>(most));
    }
  }
  return sequence;
}

CoverSequence cover(const UnitFeatures& centred, const CoverStop& stop, const RunContext& run) {
  return detail::cover_in_phases(centred, stop, run, {});
}

}  // namespace sfg
