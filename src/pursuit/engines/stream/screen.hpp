#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pursuit/engines/stream/screen_store.hpp"
#include "pursuit/engines/stream/tile.hpp"
#include "pursuit/omp/candidate.hpp"
#include "sfg/normalise.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {

/// Atoms with high scores that are remembered from one step to the next.
inline constexpr std::size_t kRunnersUp = 3;

/// A residual whose best atom is wanted.
struct ScreenQuery {
  const double* vector = nullptr;    ///< over all samples
  double reached = 0;                ///< a score that some allowed atom is known to have
  std::span<const Index> forbidden;  ///< atoms that must not win: the target itself, chosen ones
  /// Gets a few atoms with high scores, for a good start of the next step; null: not wanted.
  std::vector<Index>* runners_up = nullptr;
};

/// Finds for each residual the few atoms that may have the largest |<f_k, q>|, from products in low
/// precision with a proven error bound. Every atom whose exact score is within a tie of the best is
/// in the list, repeated features aside.
class CandidateScreen {
 public:
  CandidateScreen(const UnitFeatures& dictionary, const Duplicates& duplicates,
                  const TileKernel& kernel, const RunContext& run);
  ~CandidateScreen();

  /// lists[b]: candidates of query b, ascending. Calls with different workers may run at once.
  void find(std::span<const ScreenQuery> queries, int worker,
            std::span<std::vector<Candidate>> lists);

  [[nodiscard]] const TileKernel& kernel() const noexcept { return kernel_; }
  [[nodiscard]] const ScreenStore& store() const noexcept { return store_; }

 private:
  struct Pending;
  struct Workspace;
  struct Range {
    std::size_t begin;
    std::size_t end;
  };
  void screen_part(Workspace& work, Range groups, Range panels) const;
  void make_groups(Workspace& work) const;
  [[nodiscard]] double exact_score(const Pending& pending, Index feature) const noexcept;
  void raise_level(Pending& pending) const;
  void take_hits(Pending& pending, std::size_t panel, std::uint32_t hits,
                 const float* values) const;

  const DenseMatrix& columns_;
  TileKernel kernel_;
  ScreenStore store_;
  std::vector<std::unique_ptr<Workspace>> workspaces_;
};

}  // namespace sfg::detail
