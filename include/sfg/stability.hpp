#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sfg/dataset.hpp"
#include "sfg/note.hpp"
#include "sfg/options.hpp"
#include "sfg/pipeline.hpp"
#include "sfg/run_context.hpp"

// How much the answer depends on the samples at hand: the method again and again on some of them.
namespace sfg {

/// Which samples a repeat sees.
enum class Resample {
  halves,     ///< repeats 2p and 2p + 1 see halves of the samples that have none in common
  bootstrap,  ///< as many samples as there are, drawn with replacement
};
template <>
inline constexpr auto kChoices<Resample> = std::array{
    Choice{Resample::halves, "halves", "half of the samples; two repeats at a time share none"},
    Choice{Resample::bootstrap, "bootstrap", "as many as there are, drawn with replacement"}};

/// A half of fewer samples than this has less than three.
inline constexpr Index kFewestSamplesToResample = 6;
/// A family that is kept in this share of the repeats is stable where no other share is asked for.
inline constexpr double kUsualStable = 0.8;
/// Agreement beyond chance is poor below the first and excellent above the second (Fleiss 1981, for
/// kappa; Nogueira et al. 2018 read their index so).
inline constexpr double kPoorAgreement = 0.4;
inline constexpr double kExcellentAgreement = 0.75;

struct StabilityOptions {
  Resample resample = Resample::halves;
  int repeats = 50;
  bool same_number = false;
  std::optional<double> stable = {};  ///< not given: kUsualStable
};

template <OptionsOf<StabilityOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({"resample", "Which samples a repeat sees"}, options.resample);
  visit({"repeats", "Times that the method runs on some of the samples; for halves an even number",
         at_least(2)},
        options.repeats);
  visit({"same_number",
         "Every repeat keeps as many features as all samples do, whatever its own level would be"},
        options.same_number);
  visit({"stable",
         "Kept features whose family is kept in at least this share of the repeats are stable "
         "(0.8)",
         share()},
        options.stable);
}

/// Throws invalid_option for a value out of its range, an odd number of halves, and for what the
/// grouping does not have.
void check(const StabilityOptions& options, const MethodOptions& method);

/// The samples of a repeat, ascending; bootstrap: some of them several times. Of an odd number each
/// pair of halves leaves one out. The same for every number of repeats.
[[nodiscard]] std::vector<Index> resampled(Resample how, Index n_samples, int repeat,
                                           std::uint64_t seed);

/// What came out of one repeat. A family is a feature kept of all samples with the members of its
/// group; they stand in the order of these features.
struct StabilityRepeat {
  std::vector<Index> kept;  ///< ascending
  /// The largest |G n H| / |G u H| of a family G over groups H of this repeat, of those that have a
  /// kept feature.
  std::vector<double> group_jaccard;
  /// The share of the pairs of members that are in one such group; 0 without pairs.
  std::vector<double> pairs_together;
};

/// For callers that keep repeats from one run to the next.
struct StabilityCheckpoint {
  /// A repeat that is known already; then it is not run. May be empty.
  std::function<std::optional<StabilityRepeat>(int repeat)> find;
  /// A repeat that was run; from any thread, never two at once. May be empty.
  std::function<void(int repeat, const StabilityRepeat&)> keep;
};

/// A feature that is kept of all samples or in a repeat. Shares are of the repeats.
struct FeatureStability {
  Index feature = -1;
  bool is_kept = false;        ///< of all samples
  Index representative = -1;   ///< of its group there; -1 if it has none
  Index group_size = 1;        ///< there
  double kept_share = 0;       ///< it is kept
  double family_share = 0;     ///< it or a member of its group is kept
  double family_chance = 0;    ///< the same if repeats kept as many features drawn at random
  double group_stability = 0;  ///< mean of group_jaccard; 0 where no group has a kept feature
  double pairs_together = 0;   ///< mean of the same name; 0 without pairs
  bool is_stable = false;      ///< is_kept, and the family share is large enough
};

/// How far sets agree.
struct SetAgreement {
  double jaccard = 1;  ///< mean of |A n B| / |A u B| over all pairs of sets
  /// The same over the pairs of halves, which share no sample.
  std::optional<double> jaccard_apart;
  /// Agreement beyond chance, with its 95 % confidence interval; nothing where all sets are empty
  /// or hold everything.
  std::optional<double> index, low, high;
};

/// Nogueira, Sechidis, Brown (2018), On the stability of feature selection algorithms, JMLR
/// 18(174): of M sets out of d items, p_f being the share of the sets that have f, k_i the size of
/// set i, z_if whether it has f, and k the mean size,
///   Phi   = 1 - [ 1/d sum_f M/(M-1) p_f (1 - p_f) ] / [ k/d (1 - k/d) ],
///   phi_i = [ 1/d sum_f z_if p_f - k_i k/d^2 + Phi/2 (2 k_i k/d^2 - k_i/d - k/d + 1) ]
///           / [ k/d (1 - k/d) ],
///   v     = 4/M^2 sum_i (phi_i - mean phi)^2,  interval: Phi -+ 1.96 sqrt(v), at most 1.
/// Where `n_together` sets come from one draw (2: halves), deviations are added up within a draw
/// before they are squared: what is drawn together is not independent. Sets are ascending numbers
/// below d. O(M^2 k).
[[nodiscard]] SetAgreement agreement(const std::vector<std::vector<Index>>& sets, Index n_items,
                                     int n_together = 1);

struct StabilityResult {
  MethodResult method;  ///< of all samples
  Index n_samples = 0;
  Index n_seen = 0;                        ///< samples of a repeat
  Index n_candidates = 0;                  ///< features that vary, or are kept at least once
  Index n_families = 0;                    ///< groups of all samples that these make
  std::vector<Index> n_kept;               ///< by repeat
  std::vector<FeatureStability> features;  ///< ascending
  SetAgreement kept;                       ///< of the kept features of the repeats
  SetAgreement families;                   ///< of the groups (of all samples) that these are from
  std::vector<Index> stable;               ///< kept features that are stable, ascending
  std::vector<Note> notes;                 ///< what makes repeats and all samples differ
  StageSeconds seconds;                    ///< of all samples, then "repeats"
};

/// The method on all samples and `repeats` times on some of them. Certificates and combinations are
/// left out of the repeats unless they decide what is kept. Several repeats run at a time as far as
/// memory allows. The answer depends neither on the threads nor on the checkpoint. Throws
/// degenerate_data for fewer than kFewestSamplesToResample samples, and where a repeat cannot be
/// reduced.
[[nodiscard]] StabilityResult stability(const Dataset& dataset, const StabilityOptions& options,
                                        const MethodOptions& method, const RunContext& run = {},
                                        const StabilityCheckpoint& checkpoint = {});

/// What came out, in a few plain sentences.
[[nodiscard]] std::string verdict(const StabilityOptions& options, const StabilityResult& result);

}  // namespace sfg
