#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sfg/normalise.hpp"
#include "sfg/transform.hpp"
#include "team.hpp"

// A table that no rank reads alone: each opens the file and takes its range of the features. The
// first rank needs no more than one of the others. Where that cannot be (no such file at a rank,
// gaps to fill, ...) the first rank reads the table as one process does, and says what there is to
// say about it.
namespace sfg::mpi {

/// First feature of a rank's part; that of the rank after the last is the number of features.
[[nodiscard]] Index first_of_part(int rank, int n_ranks, Index n_features);

/// What the first rank asks all of them to read.
struct PartOrder {
  bool features_in_rows = false;
  Centering centering = Centering::none;
  Transform transform = Transform::none;
  int threads = 1;
  std::uint64_t memory_limit = 0;
  Index n_samples = 0;
  Index n_features = 0;
  std::uint64_t fingerprint = 0;    ///< of the first rank's file
  Offset fewest_dense_entries = 0;  ///< with fewer of them the table is a matter of sparse engines
};

/// The table, a part of it at every rank.
struct FeatureParts {
  Index n_samples = 0;
  Index n_features = 0;
  UnitFeatures own;
  std::vector<FeatureKind> kinds;     ///< of all features; at the first rank
  std::vector<std::uint64_t> hashes;  ///< likewise, for the journal

  /// All features without their values: sizes and kinds.
  [[nodiscard]] UnitFeatures without_values() const;
};

/// Sizes of a table and no values.
[[nodiscard]] UnitFeatures shape_of(Index n_samples, Index n_features);

/// Collective: order and path are those of the first rank. Nothing if it has to read the table
/// itself; there `why_not` says why. Throws inconsistent_input, at the first rank, where the file
/// of another rank is another one; interrupted.
[[nodiscard]] std::optional<FeatureParts> read_parts(Team& team, PartOrder order, std::string path,
                                                     const std::atomic<bool>* stop,
                                                     std::string& why_not);

/// One value of every own feature from all ranks, at the first one; collective.
template <typename Value>
[[nodiscard]] std::vector<Value> gather_parts(Team& team, const std::vector<Value>& own);

}  // namespace sfg::mpi
