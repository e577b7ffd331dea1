// What the repeats say, in plain words.
#include <fmt/format.h>

#include <algorithm>

#include "sfg/stability.hpp"
#include "sfg/text.hpp"

namespace sfg {

namespace {

/// Sets that share so much of what they hold agree, though chance alone would have them share
/// nearly as much: each holds nearly everything.
constexpr double kNearlyEqual = 0.95;

/// Nothing in it depends on the samples; without an index every set holds everything, or nothing.
bool is_the_same(const SetAgreement& agreement) {
  return !agreement.index || agreement.jaccard >= kNearlyEqual ||
         *agreement.index > kExcellentAgreement;
}

bool is_poor(const SetAgreement& agreement) {
  return !is_the_same(agreement) && *agreement.index < kPoorAgreement;
}

std::string index_text(const SetAgreement& agreement) {
  if (!agreement.index) return "all in every repeat";
  const char* word = is_the_same(agreement) ? "excellent" : is_poor(agreement) ? "poor" : "fair";
  return fmt::format("{:.2f} ({:.2f} to {:.2f}), {}", *agreement.index, *agreement.low,
                     *agreement.high, word);
}

std::string numbers_text(const StabilityOptions& options, const StabilityResult& result) {
  const auto [fewest, most] = std::ranges::minmax(result.n_kept);
  const std::string range = fewest == most
                                ? with_commas(fewest)
                                : fmt::format("{} to {}", with_commas(fewest), with_commas(most));
  const std::string seen =
      options.resample == Resample::halves
          ? fmt::format("{} halves of {} samples", options.repeats, with_commas(result.n_seen))
          : fmt::format("{} bootstrap samples of {}", options.repeats, with_commas(result.n_seen));
  return fmt::format("All {} samples keep {} features, {} keep {}{}.",
                     with_commas(result.n_samples),
                     with_commas(static_cast<Index>(result.method.reduction.kept.size())), seen,
                     range, options.same_number ? " (the number was set)" : "");
}

/// What follows for the user.
const char* advice(const StabilityResult& result) {
  if (is_the_same(result.kept))
    return "The kept features hardly depend on which samples there are.";
  if (is_poor(result.families)) {
    return "Other samples would keep other features: trust the families that are stable, not the "
           "list as a whole.";
  }
  if (is_poor(result.kept)) {
    return "Which member stands for a group depends on the samples; that it is there depends on "
           "them less.";
  }
  return "Part of the answer depends on the samples: look at the shares before a single feature is "
         "made much of.";
}

}  // namespace

std::string verdict(const StabilityOptions& options, const StabilityResult& result) {
  const double limit = options.stable.value_or(kUsualStable);
  const auto n_kept = static_cast<Index>(result.method.reduction.kept.size());
  const auto n_themselves = std::ranges::count_if(
      result.features, [&](const auto& one) { return one.is_kept && one.kept_share >= limit; });
  std::string text = numbers_text(options, result);
  text += fmt::format(
      " Of the {} kept features {} ({:.0f} %) are stable: they or a member of their group are kept "
      "in at least {:.0f} % of the repeats; {} ({:.0f} %) are so often kept themselves.",
      with_commas(n_kept), with_commas(static_cast<Index>(result.stable.size())),
      100.0 * static_cast<double>(result.stable.size()) / std::max<Index>(1, n_kept), 100 * limit,
      with_commas(n_themselves),
      100.0 * static_cast<double>(n_themselves) / std::max<Index>(1, n_kept));
  text += fmt::format(" Agreement of the repeats beyond chance: features {}; families {}.",
                      index_text(result.kept), index_text(result.families));
  return text + " " + advice(result);
}

}  // namespace sfg
