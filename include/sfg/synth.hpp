#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sfg/dataset.hpp"
#include "sfg/options.hpp"
#include "sfg/reduce.hpp"

namespace sfg {

/// Planted data: features whose redundancy is known. Shares are of n_features and add up to at most
/// 1; what they leave are independent features, the sources of all others.
struct SynthOptions {
  Index n_samples = 300;
  Index n_features = 2000;
  double copies = 0.12;        ///< exact copies of an independent feature
  double scaled = 0.10;        ///< copies times a factor in [0.1, 10]
  double negated = 0.06;       ///< copies times a factor in [-10, -0.1]
  double noisy = 0.12;         ///< copies plus a little noise
  double combinations = 0.10;  ///< sums of 2 to 5 independent features with random weights
  double irrelevant = 0.20;    ///< independent noise that nothing is made from
  double constant = 0.01;      ///< one value throughout; none in sparse data, which they are not
  double empty = 0.01;         ///< all zero
  /// Standard deviation of the noise of noisy copies, in units of the copied feature's.
  double noise = 0.02;
  /// Share of entries that are not zero; below 1 the table is sparse.
  double density = 1;
};

template <OptionsOf<SynthOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({"samples", "Number of samples", at_least(2)}, options.n_samples);
  visit({"features", "Number of features", at_least(2)}, options.n_features);
  visit({"noise", "Noise of noisy copies, in standard deviations", at_least(0)}, options.noise);
  visit({"density", "Share of entries that are not zero; below 1 the table is sparse", share()},
        options.density);
  visit({"copies", "Share of exact copies", within(0, 1)}, options.copies);
  visit({"scaled", "Share of scaled copies", within(0, 1)}, options.scaled);
  visit({"negated", "Share of negated copies", within(0, 1)}, options.negated);
  visit({"noisy", "Share of copies with noise", within(0, 1)}, options.noisy);
  visit({"combinations", "Share of sums of 2 to 5 features", within(0, 1)}, options.combinations);
  visit({"irrelevant", "Share of pure noise", within(0, 1)}, options.irrelevant);
  visit({"constant", "Share of constant features", within(0, 1)}, options.constant);
  visit({"empty", "Share of features that are all zero", within(0, 1)}, options.empty);
}

/// What a planted feature is.
enum class PlantedKind {
  independent,
  copy,
  scaled,
  negated,
  noisy,
  combination,
  irrelevant,
  constant,
  empty
};
template <>
inline constexpr auto kChoices<PlantedKind> =
    std::array{Choice{PlantedKind::independent, "independent"},
               Choice{PlantedKind::copy, "copy"},
               Choice{PlantedKind::scaled, "scaled"},
               Choice{PlantedKind::negated, "negated"},
               Choice{PlantedKind::noisy, "noisy"},
               Choice{PlantedKind::combination, "combination"},
               Choice{PlantedKind::irrelevant, "irrelevant"},
               Choice{PlantedKind::constant, "constant"},
               Choice{PlantedKind::empty, "empty"}};

/// How one feature was made: kind, and the features it was made from with their weights.
struct Planted {
  PlantedKind kind = PlantedKind::independent;
  std::vector<Term> sources;
};

struct SynthResult {
  Dataset dataset;
  std::vector<Planted> truth;  ///< by feature
};

/// Makes planted data, columns in random order. The same seed gives the same data on every machine.
/// Throws invalid_option for shares that do not add up.
[[nodiscard]] SynthResult synthesise(const SynthOptions& options, std::uint64_t seed);

/// Tab-separated: feature, kind, sources ("2.5*x3 - 1*x8").
[[nodiscard]] std::string truth_to_tsv(const SynthResult& result);
/// Reads it back for the features of a table: by name, or by position if the table's file had no
/// names. Throws cannot_read, malformed_input, inconsistent_input.
[[nodiscard]] std::vector<Planted> load_truth(const std::filesystem::path& path,
                                              const Dataset& dataset);

/// What became of one kind of planted features.
struct PlantedOutcome {
  PlantedKind kind = PlantedKind::independent;
  Index planted = 0;
  Index kept = 0;
  Index removed = 0;
  double lowest_r2 = 1;  ///< of the removed ones with their representatives
  Index lost = 0;        ///< removed though neither a copy of it nor all its parts are kept
};

/// Reduction against truth. A family is an independent feature with all its copies (exact, scaled,
/// negated, noisy).
struct TruthReport {
  std::vector<PlantedOutcome> outcomes;   ///< kinds that were planted, in order of the enum
  Index families = 0;                     ///< with at least one copy
  Index families_with_one_kept = 0;       ///< exactly one
  Index families_merged = 0;              ///< represented by a feature outside the family
  Index combinations_with_all_parts = 0;  ///< combinations of which every part's family is kept
};

[[nodiscard]] TruthReport compare_with_truth(const std::vector<Planted>& truth,
                                             const Reduction& reduction);

}  // namespace sfg
