#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sfg/normalise.hpp"

namespace sfg::detail {

/// A target and some features over the samples in which all of them have values: centred and scaled
/// there, with means and norms in units of the data, so that the code for tables without gaps finds
/// the sums that hold. Where none of them has a gap it is the table itself.
class ObservedTable {
 public:
  ObservedTable(const UnitFeatures& centred, Index target, std::span<const Index> features);

  [[nodiscard]] const UnitFeatures& table() const noexcept { return own_ ? *own_ : centred_; }
  /// Numbers of the target and of the features in that table.
  [[nodiscard]] Index target() const noexcept { return own_ ? 0 : chosen_.front(); }
  [[nodiscard]] std::span<const Index> features() const noexcept {
    return std::span(own_ ? places_ : chosen_).subspan(1);
  }
  /// The number of a feature outside of that table.
  [[nodiscard]] Index number_of(Index feature) const { return own_ ? chosen_[feature] : feature; }
  /// A weight of unit features of that table as one of the unit features outside.
  [[nodiscard]] double weight_outside(Index feature, double weight) const;
  /// Whether there are so many samples for each of the features, and kFewestCommon of them.
  [[nodiscard]] bool has_samples(Index per_feature) const;

 private:
  const UnitFeatures& centred_;
  std::vector<Index> chosen_;  ///< the target, then the features
  std::vector<Index> places_;  ///< 0, 1, ...
  std::optional<UnitFeatures> own_;
};

}  // namespace sfg::detail
