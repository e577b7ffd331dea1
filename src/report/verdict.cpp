#include "sfg/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"

namespace sfg {

namespace {

std::string number(Index count) {
  return with_commas(count);
}

std::string are(Index count) {
  return fmt::format("{} {}", number(count), count == 1 ? "is" : "are");
}

/// "A, B and C."
std::string listed(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    text += k == 0 ? "" : k + 1 == parts.size() ? " and " : ", ";
    text += parts[k];
  }
  return text;
}

bool is_automatic(const MethodOptions& options) {
  const LevelOptions* level = level_of(options.grouping);
  return level != nullptr && level->rule() == LevelRule::automatic;
}

/// Rules that look at what the kept features say of each other one. Elsewhere a feature goes
/// because a number or a threshold asks for it.
bool asks_for_redundancy(const MethodOptions& options) {
  return options.reduce.certify || is_automatic(options) ||
         std::holds_alternative<PairwiseOptions>(options.grouping);
}

/// What the rule promises, after "10 are kept".
std::string promise_of(const LevelOptions& level, Index n_kept) {
  switch (level.rule()) {
    case LevelRule::n_features:
      return *level.n_features == n_kept
                 ? ", as many as were asked for"
                 : fmt::format(", {} were asked for", number(*level.n_features));
    case LevelRule::keep_share:
      return fmt::format(", for a share of {}", *level.keep_share);
    case LevelRule::overlap:
      return fmt::format(", enough for {:.0f} % of the samples' nearest neighbours to stay",
                         100 * *level.min_overlap);
    case LevelRule::mean_r2:
      return fmt::format(", enough for a mean r2 of {} between the others and their substitutes",
                         *level.min_mean_r2);
    case LevelRule::automatic:
      break;
  }
  return {};
}

std::string promise_of(const PairwiseOptions& pairwise, const FeatureList& keep) {
  const double most = pairwise.max_r2.value_or(kUsualMaxR2);
  return fmt::format(
      ", no two of them with an r2 above {}{}, and every other one that varies has an r2 of at "
      "least {} with one of them",
      most, keep.empty() ? "" : " (but for those that must be kept)", most);
}

std::string promise_of(const ComponentOptions& components, const FeatureList& keep) {
  const char* who = keep.empty() ? "one" : "at least one";
  return components.weight_threshold ? fmt::format(", {} of each group at a weight of {}", who,
                                                   *components.weight_threshold)
                                     : fmt::format(", {} of each group at theta {}", who,
                                                   components.theta.value_or(kUsualTheta));
}

/// "20 are kept, as many as were asked for."
std::string what_stays(const MethodOptions& options, Index n_kept) {
  if (options.reduce.certify) {
    return fmt::format(
        "{} kept. Every other one that varies is a copy, an exact sum of kept ones, or predicted "
        "by them on held-out samples with an R2 of at least {}.",
        are(n_kept), *options.reduce.certify);
  }
  const WindowOptions* along = along_of(options.grouping);
  const std::string among = along != nullptr ? describe(*along) : "";
  if (is_automatic(options)) {
    return fmt::format("{} say{} what all of them say{}.", number(n_kept), n_kept == 1 ? "s" : "",
                       among);
  }
  std::string promise;
  if (const LevelOptions* level = level_of(options.grouping)) promise = promise_of(*level, n_kept);
  if (const auto* pairwise = std::get_if<PairwiseOptions>(&options.grouping)) {
    promise = promise_of(*pairwise, options.keep);
  }
  if (const auto* components = std::get_if<ComponentOptions>(&options.grouping)) {
    promise = promise_of(*components, options.keep);
  }
  return fmt::format("{} kept{}{}.", are(n_kept), promise, among);
}

std::string what_went(const MethodOptions& options, const Reduction& reduction,
                      const ReductionCounts& counts) {
  std::vector<std::string> parts;
  if (counts.redundant > 0 && asks_for_redundancy(options)) {
    parts.push_back(fmt::format("{} redundant", are(counts.redundant)));
  } else if (counts.redundant > 0) {
    parts.push_back(fmt::format("{} {} a substitute among them (mean r2 {:.2f})",
                                number(counts.redundant), counts.redundant == 1 ? "has" : "have",
                                reduction.mean_r2));
  }
  if (counts.exact > 0) {
    parts.push_back(fmt::format("{} {} of others", are(counts.exact),
                                counts.exact == 1 ? "an exact sum" : "exact sums"));
  }
  if (counts.unshared_dropped > 0) {
    parts.push_back(fmt::format("{} share{} nothing with the others (noise, or unique)",
                                number(counts.unshared_dropped),
                                counts.unshared_dropped == 1 ? "s" : ""));
  }
  if (counts.no_variation > 0) {
    parts.push_back(fmt::format("{} never {}", number(counts.no_variation),
                                counts.no_variation == 1 ? "varies" : "vary"));
  }
  return parts.empty() ? std::string() : fmt::format(" {}.", listed(parts));
}

}  // namespace

ReductionCounts count_reduction(const MethodResult& result) {
  const Reduction& reduction = result.reduction;
  ReductionCounts counts;
  counts.kept = static_cast<Index>(reduction.kept.size());
  counts.n_features = counts.kept + static_cast<Index>(reduction.removed.size());
  for (const RemovedFeature& removed : reduction.removed) {
    switch (removed.reason) {
      case RemovalReason::redundant:
        ++counts.redundant;
        break;
      case RemovalReason::exact:
        ++counts.exact;
        break;
      case RemovalReason::unshared:
        ++counts.unshared_dropped;
        break;
      case RemovalReason::no_variation:
        ++counts.no_variation;
        break;
    }
  }
  counts.unshared_kept = result.shared.n_unshared - counts.unshared_dropped;
  return counts;
}

std::string verdict(const MethodOptions& options, const MethodResult& result) {
  const ReductionCounts counts = count_reduction(result);
  if (counts.kept == counts.n_features) {
    return fmt::format("{} features: {}.", number(counts.n_features),
                       is_automatic(options) || options.reduce.certify
                           ? "none of them can go without a loss"
                           : "all of them are kept");
  }
  std::string text =
      fmt::format("{} features: {}", number(counts.n_features), what_stays(options, counts.kept));
  text += what_went(options, result.reduction, counts);
  if (counts.unshared_kept > 0) {
    text += fmt::format(" Of the kept ones {} share{} nothing with the others.",
                        number(counts.unshared_kept), counts.unshared_kept == 1 ? "s" : "");
  }
  return text + fmt::format(" The samples keep {:.0f} % of their nearest neighbours.",
                            100 * result.neighbour_overlap);
}

}  // namespace sfg
