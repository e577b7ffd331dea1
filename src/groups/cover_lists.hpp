#pragma once

#include <optional>
#include <vector>

#include "groups/float_features.hpp"
#include "sfg/normalise.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {

/// For each open feature j the features i that it covers better than the picks do, r_ij^2 > b_i.
/// They are all that counts for c_j = sum_i max(0, r_ij^2 - b_i), now and later, as b only rises:
/// after some dozen picks they are few, one pass over all pairs finds them all, and from then on
/// no c takes a pass over the data. Lists only get shorter.
class CoverLists {
 public:
  /// What one entry takes while the lists are made: once as a pair, once in its list.
  static constexpr double kBytesOfEntry = 28;
  /// Bytes of the tiles that workers compare.
  [[nodiscard]] static double tile_bytes(const RunContext& run);

  /// About how many entries there would be, from the lists of some features.
  [[nodiscard]] static double expected_entries(const FloatFeatures& rounded,
                                               const std::vector<double>& b,
                                               const std::vector<char>& is_open,
                                               const RunContext& run);
  /// None if there are more than `most_entries`. BLAS must be single-threaded.
  [[nodiscard]] static std::optional<CoverLists> make(
      const UnitFeatures& features, const FloatFeatures& rounded, const std::vector<double>& b,
      const std::vector<char>& is_open, std::size_t most_entries, const RunContext& run);

  /// c_j, added up in the order of the features; entries that are covered by now go.
  [[nodiscard]] double gain(Index feature, const std::vector<double>& b);
  /// b with the feature picked; its list must be up to date.
  void cover(Index feature, std::vector<double>& b) const;

 private:
  struct Entry {
    Index list;
    Index feature;
    double r2;
  };
  class Search;

  explicit CoverLists(std::vector<std::vector<Entry>> entries, std::size_t n_features);

  std::vector<std::size_t> starts_, ends_;  ///< of the lists below
  std::vector<Index> features_;
  std::vector<double> r2_;
};

}  // namespace sfg::detail
