#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/line.hpp"
#include "sfg/normalise.hpp"
#include "sfg/run_context.hpp"

namespace sfg::detail {

/// Sums of r2 are whole numbers of 2^-32: they are the same in whatever order they are added up.
/// Products may differ in the last digit from tile to tile, so that each r2 may be one such step
/// off: sums over d features are a tie if they differ by d steps or fewer.
[[nodiscard]] std::int64_t r2_steps(double r2) noexcept;
[[nodiscard]] double r2_from_steps(std::int64_t steps) noexcept;

/// By feature: how many others are close to it, and sums of r2. 0 for features that do not vary.
struct Closeness {
  std::vector<std::int64_t> n_close;
  std::vector<std::int64_t> close_r2;  ///< with those
  std::vector<std::int64_t> all_r2;    ///< with all others that are near

  explicit Closeness(std::size_t n_features)
      : n_close(n_features, 0), close_r2(n_features, 0), all_r2(n_features, 0) {}
};

/// Features that are compared with as many others at once. So few that two tiles of them fit well
/// into memory however many samples there are; the same for every number of threads.
[[nodiscard]] std::size_t pair_tile(const UnitFeatures& features) noexcept;

/// Bytes of the tiles in which pairs are compared, by all workers.
[[nodiscard]] double pair_tile_bytes(const UnitFeatures& features, const RunContext& run);

/// The pairs of features that vary, are near each other and whose r2 reaches a limit, from tiles of
/// products: never d x d.
/// BLAS must be single-threaded while it works (SingleThreadedBlas).
class ClosePairs {
 public:
  /// Looks at all pairs that are near (window null: all pairs). Throws over_memory if not even the
  /// tiles fit.
  ClosePairs(const UnitFeatures& centred, double max_r2, const Window* window,
             const RunContext& run);

  /// Of all features, by what was found at the start.
  [[nodiscard]] const Closeness& closeness() const noexcept { return closeness_; }

  /// Those of `open` (ascending, with a flag by feature) that are close to the feature.
  [[nodiscard]] std::vector<Index> close_to(Index feature, std::span<const Index> open,
                                            const std::vector<char>& is_open) const;

  /// Takes what `gone` are to the open features out of their counts and sums.
  void take_out(std::span<const Index> gone, std::span<const Index> open,
                const std::vector<char>& is_open, Closeness& closeness) const;

  /// Whether the pairs are held, or found anew when they are asked for.
  [[nodiscard]] bool are_held() const noexcept { return !starts_.empty(); }

 private:
  struct Pair {
    Index first;
    Index second;
    std::uint32_t r2;  ///< in steps
  };
  struct Neighbour {
    Index feature;
    std::uint32_t r2;
  };
  struct Scan;

  [[nodiscard]] bool is_close(double r2, Index a, Index b) const;
  void scan(const RunContext& run);
  void compare(Run rows, Run columns, Scan& scan, std::vector<Pair>& pairs) const;
  void hold(std::vector<std::vector<Pair>> pairs);
  template <typename Found>
  void find_anew(std::span<const Index> some, std::span<const Index> open,
                 const std::vector<char>& is_open, const Found& found) const;
  [[nodiscard]] std::vector<Index> open_near(std::span<const Index> some,
                                             std::span<const Index> open,
                                             const std::vector<char>& is_open) const;

  const UnitFeatures& features_;
  RunContext run_;
  double limit_;
  const Window* window_;
  Line line_;  ///< the features that vary
  Closeness closeness_;
  std::vector<Offset> starts_;  ///< of the lists below, by feature; empty if they do not fit
  std::vector<Neighbour> neighbours_;
};

}  // namespace sfg::detail
