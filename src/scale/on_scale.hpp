#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sfg/batch.hpp"
#include "sfg/dataset.hpp"
#include "sfg/fill.hpp"
#include "sfg/normalise.hpp"
#include "sfg/reduce.hpp"
#include "sfg/transform.hpp"

namespace sfg::detail {

/// What the method says of the scale.
struct ScaleOptions {
  Transform transform = Transform::none;
  BatchAdjustment batch_adjustment = BatchAdjustment::centre;
  Centering centering = Centering::mean;
  bool has_combinations = false;
};

/// What bringing a table to its scale has left behind.
struct ScaleOrigin {
  std::vector<double> origin;        ///< taken off each feature, or nothing: see transform()
  std::shared_ptr<const Gaps> gaps;  ///< cells that were filled in; null: none
  std::optional<FillReport> filled;  ///< how they were
  bool within_batches = false;       ///< what differs between batches was taken off
};

/// Transforms the values, then takes the batches off, then fills the gaps. Transformed first: a
/// growing function of a feature has its ranks, but not after something was taken off; and a batch
/// that multiplies adds on the scale of logarithms. Filled last: in what the method works on.
[[nodiscard]] ScaleOrigin bring_to_scale(Dataset& dataset, const ScaleOptions& options,
                                         const RunContext& run);

/// The data on the scale on which the method compares them: as they are, or a changed copy.
class OnScale {
 public:
  OnScale(const Dataset& dataset, const ScaleOptions& options, const RunContext& run);
  OnScale(const OnScale&) = delete;
  OnScale& operator=(const OnScale&) = delete;

  [[nodiscard]] const Dataset& data() const noexcept { return *data_; }
  /// What the run may take beside data that were copied.
  [[nodiscard]] const RunContext& run() const noexcept { return run_; }
  [[nodiscard]] const std::optional<FillReport>& filled() const noexcept { return origin_.filled; }
  /// Unit features of the data, with their gaps.
  [[nodiscard]] UnitFeatures normalised(Centering centering) const;
  void restore_origin(Reduction& reduction) const;

 private:
  const Dataset* data_;
  RunContext run_;
  bool has_combinations_;
  std::optional<Dataset> copy_;
  ScaleOrigin origin_;
};

}  // namespace sfg::detail
