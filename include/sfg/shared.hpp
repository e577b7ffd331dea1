#pragma once

#include <vector>

#include "sfg/normalise.hpp"
#include "sfg/options.hpp"
#include "sfg/predict.hpp"
#include "sfg/pursuit.hpp"
#include "sfg/run_context.hpp"

// Some features share something with the rest of the table; others do not: nothing in it knows
// anything about them. Without labels such a feature may be noise or unique information, and nobody
// can tell which. Grouping them with others would be arbitrary, and keeping them all while copies
// go gives noise more weight. So they take no part in groups.
namespace sfg {

/// What to do with features that share nothing with the others.
enum class Unshared {
  automatic,  ///< drop them from dense tables with more features than samples
  keep,
  drop,
};
template <>
inline constexpr auto kChoices<Unshared> = std::array{
    Choice{Unshared::automatic, "auto",
           "drop them from dense tables with more features than samples, else keep them"},
    Choice{Unshared::keep, "keep", "keep all of them"},
    Choice{Unshared::drop, "drop", "drop all of them"}};

/// A witness counts if it knows this much more of a feature than chance does.
inline constexpr double kSharedBeyondChance = 0.2;
/// With fewer samples nothing is called unshared: chance explains too much.
inline constexpr Index kFewestSamplesToJudge = 30;
/// Atoms of the short description that is the third witness.
inline constexpr int kWitnessAtoms = 8;

/// What chance reaches: 95 % quantiles over features with permuted samples.
struct Chance {
  Index n_permuted = 0;
  double nearest_r2 = 0;  ///< squared correlation with the nearest feature
  double explained = 0;   ///< share that a description by kWitnessAtoms atoms explains
};

/// Describes permuted features (RunContext::seed) by the real ones.
[[nodiscard]] Chance measure_chance(const UnitFeatures& centred, const PursuitOptions& pursuit,
                                    const RunContext& run = {});

/// Descriptions of features that the rest of the table does not predict, and whose nearest feature
/// is no nearer than chance, may end early.
[[nodiscard]] EarlyEnd early_end(const Predictability& predictability, const Chance& chance);

/// Which features the rest of the table knows something about.
struct SharedFeatures {
  bool looked_at = false;  ///< false: too few samples, or nobody asked
  Predictability predictability;
  Chance chance;
  std::vector<char> is_unshared;  ///< by feature
  Index n_unshared = 0;
  bool dropped = false;  ///< they were removed
};

/// A feature is shared if one of three witnesses says so: (1) all others together predict it,
/// h > 0.2; (2) its nearest feature is nearer than chance, (r2 - q)/(1 - q) > 0.2; (3) a
/// description by at most eight atoms explains at least 0.2 more than those of permuted features
/// do. The first alone is blind where redundancy is sparse: among thousands of independent
/// features, copies have h near 0. `descriptions` are those of all features; without them the
/// doubtful ones are described here.
[[nodiscard]] SharedFeatures find_shared(const UnitFeatures& centred, Predictability predictability,
                                         const Chance& chance, const PursuitOptions& pursuit,
                                         const Representations* descriptions,
                                         const RunContext& run = {});

/// Features that were shared by what has been removed only (an exact sum of them, say): of those
/// that take part in groups (FeatureKind::regular) nothing knows them any more. `now` is what is
/// known of each without the removed ones.
[[nodiscard]] std::vector<Index> left_alone(const UnitFeatures& centred,
                                            const SharedFeatures& shared, const Predictability& now,
                                            const Representations* descriptions);

}  // namespace sfg
