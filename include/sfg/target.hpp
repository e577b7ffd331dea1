#pragma once

#include <array>
#include <string>
#include <vector>

#include "sfg/dataset.hpp"
#include "sfg/normalise.hpp"
#include "sfg/options.hpp"
#include "sfg/run_context.hpp"

// What the kept features are to be used for: one value per sample. It chooses among the members of
// a group, which say nearly the same of the other features; it has no part in finding the groups.
namespace sfg {

/// What the values of a target are.
enum class TargetKind { numbers, classes };
template <>
inline constexpr auto kChoices<TargetKind> =
    std::array{Choice{TargetKind::numbers, "numbers", "squared correlation"},
               Choice{TargetKind::classes, "classes", "share of variance between classes, eta^2"}};

/// Whole numbers with no more different values than this are the numbers of classes.
inline constexpr Index kMostClassNumbers = 20;

struct Target {
  std::string name;
  TargetKind kind = TargetKind::numbers;
  std::vector<double> values;  ///< one per known sample: the number, or the number of the class
  std::vector<Index> samples;  ///< whose target is known, ascending
  Index n_classes = 0;         ///< 0 for numbers
};

/// A target from texts, one per sample. Texts that are no numbers are classes, and so are whole
/// numbers of at most kMostClassNumbers different values; missing ones (is_missing_label()) are
/// left out. Throws inconsistent_input (not one value per sample), degenerate_data (fewer than two
/// different values).
[[nodiscard]] Target read_target(const Labels& labels, Index n_samples);

/// How well each feature alone goes with the target, over the samples whose target is known:
///   numbers: r^2;  classes: eta^2 = sum_c n_c (m_c - m)^2 / sum_i (f_i - m)^2,
/// which orders features as the F of a one-way analysis of variance does:
/// F = (n - c) eta^2 / ((c - 1) (1 - eta^2)). 0 for features that do not vary over these samples.
[[nodiscard]] std::vector<double> target_scores(const UnitFeatures& features, const Target& target,
                                                const RunContext& run = {});

}  // namespace sfg
