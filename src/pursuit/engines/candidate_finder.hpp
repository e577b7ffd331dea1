#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/line.hpp"
#include "pursuit/engines/candidate.hpp"
#include "pursuit/omp/duplicates.hpp"
#include "pursuit/omp/orthogonal_fit.hpp"
#include "pursuit/omp/selection.hpp"
#include "sfg/normalise.hpp"
#include "sfg/run_context.hpp"

// What all engines have in common: a target asks which atoms may be its best one, a finder answers
// with a short list. The finder decides nothing. It works with approximate scores and a proven
// bound on their error, so that its list holds the best atom for sure; the step
// (pursuit/omp/step.hpp) scores the list exactly and chooses.
namespace sfg::detail {

class SharedWork;
struct TileKernel;

/// A target that asks for its next atom.
struct Query {
  const SampleVector* residual = nullptr;  ///< q, what is left of the target
  std::span<const Index>
      forbidden;           ///< atoms that must not win: the target, chosen, dependent ones
  double known_score = 0;  ///< a score that some allowed atom is known to have
  /// Atoms that had high scores in the last step. A finder may start with them and leave new ones;
  /// null: there is no next step.
  std::vector<Index>* runners_up = nullptr;

  // For finders that need more than the residual.
  Index self = -1;                     ///< the target's own number in the dictionary, -1: none
  std::span<const Index> rows;         ///< samples of the vectors' entries; empty: all of them
  std::span<const Index> atoms;        ///< chosen so far
  const OrthogonalFit* fit = nullptr;  ///< of the target on these atoms
  OlsScores* ols = nullptr;            ///< the target's scores, for the finder to update; null: OMP
};

/// Atoms that may be the best one, ascending.
using CandidateList = std::vector<Candidate>;

class CandidateFinder {
 public:
  virtual ~CandidateFinder() = default;

  /// lists[b]: every allowed atom whose score may be within a tie of the best one of queries[b].
  /// The score of atom k is |<f_k, q>| (OMP) or |<f_k, q>| / |f_k outside the span| (OLS). Repeated
  /// features may be missing. Many queries per call: what is read of the features serves all of
  /// them. Calls with different workers may run at once.
  virtual void find(std::span<const Query> queries, std::span<CandidateList> lists, int worker) = 0;

  /// Work that pays if most features of the dictionary are targets: call it once before the first
  /// target starts. `shared`: several processes do it together; null: this one alone.
  virtual void prepare_first_atoms(const RunContext& /*run*/, SharedWork* /*shared*/) {}
  /// The lists for first atoms are there already, so that a query for one costs nothing.
  [[nodiscard]] virtual bool knows_first_atoms() const { return false; }

  /// The kernel that approximates the scores; empty if there is only one way.
  [[nodiscard]] virtual std::string kernel_name() const { return {}; }
};

/// gram: <f_k, q> as a sum of columns of the Gram matrix F'F (float, 4 d^2 bytes). `near` says by
/// Query::self which atoms are allowed; empty: all of them.
[[nodiscard]] std::unique_ptr<CandidateFinder> make_gram_finder(const UnitFeatures& features,
                                                                const RunContext& run,
                                                                std::vector<Run> near = {});
/// sparse: from the nonzero entries of the residual's rows.
[[nodiscard]] std::unique_ptr<CandidateFinder> make_sparse_finder(const UnitFeatures& dictionary,
                                                                  const Duplicates& duplicates,
                                                                  const RunContext& run);
/// stream, for OMP: screens the data in the precision of a kernel, and looks again only at what
/// passes.
[[nodiscard]] std::unique_ptr<CandidateFinder> make_stream_finder(const UnitFeatures& dictionary,
                                                                  const Duplicates& duplicates,
                                                                  const TileKernel& kernel,
                                                                  const RunContext& run);
/// stream, for OLS, which needs the products of every feature: the same kernels, nothing left out.
[[nodiscard]] std::unique_ptr<CandidateFinder> make_tile_product_finder(
    const UnitFeatures& dictionary, const Duplicates& duplicates, const TileKernel& kernel,
    const RunContext& run);

}  // namespace sfg::detail
