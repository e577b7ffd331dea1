#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pursuit/engines/candidate_finder.hpp"
#include "pursuit/engines/stream/first_pass.hpp"
#include "pursuit/engines/stream/screen_store.hpp"
#include "pursuit/engines/stream/tile.hpp"
#include "sfg/normalise.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {

/// Finds the atoms that may have the largest |<f_k, q>| from products in low precision with a
/// proven error bound. Each residual has a threshold, a score that the best atom surely reaches. It
/// rises as better atoms are seen; an atom whose upper bound stays below it is out.
class StreamFinder final : public CandidateFinder {
 public:
  /// `duplicates` must outlive the finder.
  StreamFinder(const UnitFeatures& dictionary, const Duplicates& duplicates,
               const TileKernel& kernel, const RunContext& run);
  ~StreamFinder() override;

  void find(std::span<const Query> queries, std::span<CandidateList> lists, int worker) override;
  void prepare_first_atoms(const RunContext& run, SharedWork* shared) override;
  [[nodiscard]] bool knows_first_atoms() const override { return first_.has_value(); }
  [[nodiscard]] std::string kernel_name() const override { return kernel_.name; }

 private:
  struct Pending;
  struct Workspace;
  struct Range {
    std::size_t begin;
    std::size_t end;
  };
  [[nodiscard]] bool recall_first(const Query& query, CandidateList& list) const;
  void prefetch_runners_up(const Query& query) const noexcept;
  [[nodiscard]] double known_score(const Query& query) const;
  void start(const Query& query, CandidateList& list, Pending& pending) const;
  void screen_all(Workspace& work) const;
  void screen_part(Workspace& work, Range groups, Range panels) const;
  void make_groups(Workspace& work) const;
  [[nodiscard]] double exact_score(const double* residual, Index feature) const noexcept;
  void raise_threshold(Pending& pending) const;
  void take_hits(Pending& pending, std::size_t panel, std::uint32_t hits,
                 const float* values) const;

  const UnitFeatures& dictionary_;
  const DenseMatrix& columns_;
  const Duplicates& duplicates_;
  TileKernel kernel_;
  ScreenStore store_;
  std::optional<FirstCandidates> first_;
  std::vector<std::unique_ptr<Workspace>> workspaces_;
};

}  // namespace sfg::detail
