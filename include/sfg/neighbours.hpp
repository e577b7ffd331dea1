#pragma once

#include <span>
#include <vector>

#include "sfg/normalise.hpp"
#include "sfg/run_context.hpp"

namespace sfg {

struct NeighbourOptions {
  /// Nearest samples that are compared; at most half of the others are.
  Index n_neighbours = 10;
  /// Samples whose neighbours are looked at: a random choice (RunContext::seed) if there are more.
  Index most_queries = 1000;
};

/// The overlap that features without any meaning would have: k of the n - 1 other samples.
[[nodiscard]] double chance_overlap(Index n_samples, const NeighbourOptions& options = {});

/// What features do to the neighbourhoods of samples: which samples are nearest by all features, to
/// be compared with those by fewer. Columns count by their deviation from the mean (z-scores);
/// Euclidean distance; ties: lowest sample. The features must outlive it.
class SampleNeighbours {
 public:
  /// `all` are the features that neighbours are to be kept of; by default those that vary.
  SampleNeighbours(const UnitFeatures& centred, const NeighbourOptions& options,
                   const RunContext& run);
  SampleNeighbours(const UnitFeatures& centred, std::span<const Index> all,
                   const NeighbourOptions& options, const RunContext& run);

  /// Mean share of the nearest samples that stay the nearest by the kept features alone.
  [[nodiscard]] double overlap(std::span<const Index> kept, const RunContext& run) const;

  /// The same for a set of features that changes.
  class Changing {
   public:
    Changing(const SampleNeighbours& all, std::span<const Index> features, const RunContext& run);
    void add(Index feature) { change({&feature, 1}, 1.0); }
    void remove(Index feature) { change({&feature, 1}, -1.0); }
    /// To a whole other set (ascending): what they have in common is not looked at again.
    void turn_to(std::span<const Index> features);
    [[nodiscard]] double overlap() const;

   private:
    void change(std::span<const Index> features, double factor);

    const SampleNeighbours& all_;
    RunContext run_;
    std::vector<Index> features_;   ///< as of the last turn
    std::vector<double> products_;  ///< n x queries
    std::vector<double> squares_;   ///< squared length of each sample
  };

 private:
  /// <x_i, x_q> over the features for every sample i and query q, and |x_i|^2.
  void add_products(std::span<const Index> features, double factor, const RunContext& run,
                    std::vector<double>& products, std::vector<double>& squares) const;
  /// The nearest samples of each query, ascending.
  [[nodiscard]] std::vector<Index> nearest(const std::vector<double>& products,
                                           const std::vector<double>& squares,
                                           const RunContext& run) const;
  [[nodiscard]] double share_in_common(const std::vector<Index>& nearest) const;

  const UnitFeatures& features_;
  std::size_t n_samples_;
  std::size_t n_neighbours_;
  std::vector<Index> queries_;
  std::vector<Index> reference_;  ///< by all features
};

}  // namespace sfg
