#pragma once

#include <span>
#include <vector>

#include "pursuit/checkpoint/shared_work.hpp"
#include "pursuit/engines/candidate.hpp"
#include "pursuit/engines/stream/screen_store.hpp"
#include "pursuit/engines/stream/tile.hpp"
#include "sfg/normalise.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {

/// Candidates for the first atom of every feature.
struct FirstCandidates {
  std::vector<Offset> starts;
  std::vector<Candidate> candidates;  ///< ascending for each target

  [[nodiscard]] std::span<const Candidate> of(Index target) const noexcept {
    const auto i = static_cast<std::size_t>(target);
    return {candidates.data() + starts[i], static_cast<std::size_t>(starts[i + 1] - starts[i])};
  }
};

/// In the first step every residual is a feature itself, and <f_i, f_k> serves i and k: half the
/// products of a step are enough. Guarantees the same as StreamFinder::find: no atom within a
/// tie of the best one is left out. A repeated feature has no list of its own: the first of its
/// kind has the same, and is the best atom or tied with it. `shared`: several processes do it
/// together, with the same store, and all get the whole result; null: this one alone.
[[nodiscard]] FirstCandidates first_candidates(const UnitFeatures& features,
                                               const Duplicates& duplicates,
                                               const ScreenStore& store, const TileKernel& kernel,
                                               const RunContext& run, SharedWork* shared = nullptr);

}  // namespace sfg::detail
