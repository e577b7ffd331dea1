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

std::string what_went(const ReductionCounts& counts) {
  std::vector<std::string> parts;
  if (counts.redundant > 0) parts.push_back(fmt::format("{} redundant", are(counts.redundant)));
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

std::string verdict(const MethodResult& result) {
  const ReductionCounts counts = count_reduction(result);
  if (counts.kept == counts.n_features) {
    return fmt::format("{} features: none of them can go without a loss.",
                       number(counts.n_features));
  }
  std::string text =
      fmt::format("{} features: {} say{} what all of them say.", number(counts.n_features),
                  number(counts.kept), counts.kept == 1 ? "s" : "");
  text += what_went(counts);
  if (counts.unshared_kept > 0) {
    text += fmt::format(" Of the kept ones {} share{} nothing with the others.",
                        number(counts.unshared_kept), counts.unshared_kept == 1 ? "s" : "");
  }
  return text + fmt::format(" The samples keep {:.0f} % of their nearest neighbours.",
                            100 * result.neighbour_overlap);
}

}  // namespace sfg
