#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sfg/matrix.hpp"

// Cells without a value. Inside the method they are filled in (sfg/fill.hpp); everything that is
// said about a pair of features, or held against a prediction, goes by samples with values.
namespace sfg {

/// With fewer samples that both of two features have, nothing is said of them: their correlation
/// counts as 0. A feature with fewer values takes no part.
inline constexpr Index kFewestCommon = 10;

/// Samples in which each feature has no value, ascending.
struct Gaps {
  std::vector<Offset> starts{0};
  std::vector<Index> rows;

  [[nodiscard]] std::span<const Index> of(Index feature) const noexcept {
    const auto begin = static_cast<std::size_t>(starts[feature]);
    return {rows.data() + begin, static_cast<std::size_t>(starts[feature + 1]) - begin};
  }
  /// Ends the list of a feature: the next rows are of the next one.
  void close() { starts.push_back(static_cast<Offset>(rows.size())); }
};

/// Cells that are missing (NaN) or infinite; nothing if there is none.
[[nodiscard]] std::shared_ptr<const Gaps> find_gaps(const Matrix& matrix);

/// Those of the features given, in their order.
[[nodiscard]] std::shared_ptr<const Gaps> select_features(const std::shared_ptr<const Gaps>& gaps,
                                                          std::span<const Index> chosen);

}  // namespace sfg
