#pragma once

#include <string>
#include <vector>

#include "sfg/model.hpp"

// Do new data follow the relations of the model? Counts of rows decide, not normal distributions:
// if new rows are drawn as the old ones were, the number of m new rows beyond the k-th largest of n
// held-out residuals is beta-binomial, whatever the residuals' distribution.
namespace sfg {

/// Chance that data like those of the model raise any alarm of one sort (relations, features).
inline constexpr double kFalseAlarm = 1e-4;
/// Rows that a report names.
inline constexpr std::size_t kRowsNamed = 5;

struct BrokenRelation {
  Index feature = -1;  ///< of the model; the combination is that of this removed feature
  RelationKind kind = RelationKind::exact;
  Index n_rows = 0;                    ///< rows without gaps
  Index n_broken = 0;                  ///< of them, beyond the limit
  std::vector<Index> first_rows = {};  ///< of those, kRowsNamed at most
  Index worst_row = -1;
  double largest = 0;  ///< feature - combination there, in units of the data (of their scale)
  double limit = 0;    ///< what it was held against
};

/// A kept feature that is elsewhere than where the model was made.
struct ShiftedFeature {
  Index feature = -1;
  Index n_rows = 0;
  Index n_outside = 0;  ///< rows below the smallest or above the largest value known
  double mean = 0;      ///< of the new rows
  double shift = 0;     ///< of the mean, in standard deviations (the larger of old and new)
};

/// Features that would explain broken relations: each of them alone.
struct Suspect {
  std::vector<Index> features = {};
  Index n_broken = 0;  ///< broken relations that they are in
};

struct DriftReport {
  /// Why no relation could be checked, as a text for people; empty where that is not so.
  std::string unchecked;
  Index n_rows = 0;
  Index n_relations = 0;  ///< that the model knows
  Index n_checked = 0;    ///< all of their columns are there
  std::vector<BrokenRelation> broken;
  std::vector<ShiftedFeature> shifted;
  std::vector<Suspect> suspects;       ///< the one in most broken relations first
  std::vector<std::string> row_names;  ///< of the data; empty: rows are counted from 1
};

/// Checks every relation whose features are all there, and every kept feature that is. Features are
/// matched as apply_model() does; missing ones are no fault. Rows with gaps do not count where the
/// gap is.
[[nodiscard]] DriftReport check_drift(const Model& model, const Dataset& dataset,
                                      const RunContext& run = {});

/// "temp_f = 1.8*temp_in + 32"
[[nodiscard]] std::string relation_text(const Model& model, Index feature);
/// The name of a row, or its number from 1.
[[nodiscard]] std::string row_name(const DriftReport& report, Index row);
/// "temp_f = 1.8*temp_in + 32 holds no longer in 41 of 200 rows (...)"
[[nodiscard]] std::string describe(const Model& model, const DriftReport& report,
                                   const BrokenRelation& broken);
[[nodiscard]] std::string describe(const Model& model, const ShiftedFeature& shifted);
[[nodiscard]] std::string describe(const Model& model, const DriftReport& report,
                                   const Suspect& suspect);
/// How much could be checked, and how much of it holds: one line.
[[nodiscard]] std::string drift_summary(const DriftReport& report);

}  // namespace sfg
