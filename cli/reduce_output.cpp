#include "reduce_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "sfg/verdict.hpp"

namespace sfg::cli {

namespace {

/// Permuted features cannot be predicted: above this their held-out R2 means that the samples are
/// too few, or leak.
constexpr double kSuspiciousNull = 0.1;
/// Groups and features that the summary lists.
constexpr std::size_t kShown = 5;

const std::string& name_of(const std::vector<std::string>& names, Index feature) {
  return names[feature];
}

std::string members_preview(const Reduction& reduction, Index group,
                            const std::vector<std::string>& names) {
  const Index representative = reduction.representatives[group];
  std::string text;
  std::size_t shown = 0;
  for (const Index member : reduction.groups.members_of(group)) {
    if (member == representative) continue;
    if (shown++ == 3) return text + ", ...";
    text += (text.empty() ? "" : ", ") + escaped(name_of(names, member));
  }
  return text;
}

Index count_kind(const std::vector<FeatureKind>& kinds, FeatureKind kind) {
  return static_cast<Index>(std::ranges::count(kinds, kind));
}

std::string groups_table(const Dataset& dataset, const Reduction& reduction) {
  const auto means = mean_r2_by_group(reduction);
  Table table({"kept feature", "group of", "mean r2", "with it"});
  for (const Index group : largest_groups(reduction.groups, kShown)) {
    const auto size = reduction.groups.members_of(group).size();
    if (size < 2) break;
    table.add({escaped(name_of(dataset.feature_names, reduction.representatives[group])),
               with_commas(static_cast<std::int64_t>(size)), format_r2(means[group]),
               members_preview(reduction, group, dataset.feature_names)});
  }
  return table.text("  ");
}

std::string level_text(const MethodOptions& options) {
  const std::string grouping = choice_name(kind_of(options.grouping));
  if (const LevelOptions* level = level_of(options.grouping)) {
    return fmt::format("{}, {}", grouping, describe(*level));
  }
  if (const auto* pairwise = std::get_if<PairwiseOptions>(&options.grouping)) {
    return fmt::format("{}, {}", grouping, describe(*pairwise));
  }
  const auto& components = std::get<ComponentOptions>(options.grouping);
  return components.weight_threshold
             ? fmt::format("{}, weights above {}", grouping, *components.weight_threshold)
             : fmt::format("{}, theta {}", grouping, components.theta.value_or(kUsualTheta));
}

/// An R2 that prints as "above 0.99999".
bool is_above(const std::string& shown) {
  return shown.starts_with("above");
}

/// The removed features that the kept ones predict worst; empty if they predict all to every digit.
std::string worst_text(const Dataset& dataset, const Certificate& certificate) {
  std::vector<std::size_t> order(certificate.features.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return certificate.r2[k]; });
  std::string text;
  for (std::size_t k = 0; k < std::min(kShown, order.size()); ++k) {
    const std::string r2 = format_r2(certificate.r2[order[k]]);
    if (is_above(r2)) break;
    text +=
        fmt::format("{}{} ({})", k == 0 ? "" : ", ",
                    escaped(name_of(dataset.feature_names, certificate.features[order[k]])), r2);
  }
  return text;
}

/// "1,031 copies, 12 exact sums, ..."
std::string kinds_text(const Reduction& reduction, const ReduceOptions& options) {
  const auto number = [&](CertificateKind kind) {
    return std::ranges::count(reduction.removed, kind, &RemovedFeature::certificate);
  };
  const std::string demand = fmt::format("predicted on held-out samples, R2 at least {}",
                                         options.certify.value_or(kUsualPredicted));
  const std::vector<std::pair<CertificateKind, std::string>> lines{
      {CertificateKind::copy, "copies of a kept feature"},
      {CertificateKind::exact, "exact: sums of kept features, or without variation"},
      {CertificateKind::predicted, demand},
      {CertificateKind::shared, "predicted about as well as by all features together"},
      {CertificateKind::unshared, "shared nothing with any other feature"},
      {CertificateKind::lost, "lost in part: the other features knew more of them"},
      {CertificateKind::untried, "not tested"}};
  std::string text;
  for (const auto& [kind, words] : lines) {
    if (number(kind) > 0) text += fmt::format("  {:>9}  {}\n", with_commas(number(kind)), words);
  }
  return text;
}

/// The 10 % quantile in words; an R2 that prints as "above 0.99999" is no limit to be below.
std::string lowest_tenth(double quantile) {
  const std::string shown = format_r2(quantile);
  return is_above(shown) ? "nine in ten " + shown : "one in ten below " + shown;
}

/// What the removed features lose: how well the kept ones stand in for them.
std::string loss_text(const Dataset& dataset, const MethodOptions& options,
                      const MethodResult& result) {
  const Reduction& reduction = result.reduction;
  const Certificate& certificate = reduction.certificate;
  std::string text = "\nWhat was removed, and how sure that is\n";
  text += kinds_text(reduction, options.reduce);
  auto out = std::back_inserter(text);
  if (!certificate.possible) {
    fmt::format_to(out, "  {} are too few to test predictions (at least {})\n",
                   counted(n_samples(dataset.matrix), "sample"), kFewestSamplesToCertify);
  } else if (!certificate.features.empty()) {
    fmt::format_to(out,
                   "  R2 on held-out samples{}: median {}, {}; chance level "
                   "{:.3f}{}\n",
                   certificate.all ? std::string()
                                   : fmt::format(" of {} of them, drawn at random",
                                                 with_commas(certificate.features.size())),
                   format_r2(certificate.removed.median),
                   lowest_tenth(certificate.removed.quantile_10), certificate.permuted.quantile_95,
                   certificate.permuted.quantile_95 > kSuspiciousNull
                       ? " - too high: too few samples to trust this line"
                       : "");
    const std::string worst = worst_text(dataset, certificate);
    if (!worst.empty()) fmt::format_to(out, "  predicted worst: {}\n", worst);
  }
  fmt::format_to(out, "  r2 with the nearest kept feature: mean {}\n",
                 format_r2(reduction.mean_best_r2));
  return text;
}

std::string equations_text(const Dataset& dataset, const Reduction& reduction,
                           Transform transform) {
  if (reduction.equations.empty()) return {};
  const auto terms = on_scale(dataset.feature_names, transform);
  std::string text = "\nExact sums\n";
  for (std::size_t k = 0; k < std::min(2 * kShown, reduction.equations.size()); ++k) {
    const Equation& one = reduction.equations[k];
    text += fmt::format("  {} = {}\n",
                        escaped(on_scale(name_of(dataset.feature_names, one.feature), transform)),
                        exact_text(one.combination, terms));
  }
  if (reduction.equations.size() > 2 * kShown) {
    text += fmt::format("  ... and {} more in PREFIX.equations.tsv (-o PREFIX)\n",
                        reduction.equations.size() - 2 * kShown);
  }
  return text;
}

/// How to have it the other way, where features were dropped because they share nothing.
std::string unshared_text(const MethodResult& result) {
  const ReductionCounts counts = count_reduction(result);
  if (counts.unshared_dropped > 0) {
    return "  (--unshared keep keeps those that share nothing with the others)\n";
  }
  return counts.unshared_kept > 0 && counts.unshared_kept * 2 > counts.kept
             ? "  (--unshared drop drops those that share nothing with the others)\n"
             : "";
}

/// Lines that fit a terminal.
std::string wrapped(const std::string& text) {
  constexpr std::size_t kWidth = 90;
  std::string lines;
  std::size_t width = 0;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    if (width > 0 && width + 1 + end - start > kWidth) {
      lines += '\n';
      width = 0;
    }
    if (width > 0) lines += ' ';
    lines.append(text, start, end - start);
    width += (width > 0 ? 1 : 0) + end - start;
    start = end + 1;
  }
  return lines + '\n';
}

std::string permutation_text(const PermutationCheck& check) {
  if (check.n_permuted == 0) return {};
  const std::string shares =
      fmt::format("{:.0f} % of all features pass the angle filter, {:.0f} % of {} permuted ones",
                  100 * check.real_share, 100 * check.permuted_share, check.n_permuted);
  return check.angle_says_little()
             ? fmt::format("\n  {}:\n  on this data the filter says little about redundancy.\n",
                           shares)
             : fmt::format("\n  {}.\n", shares);
}

/// Who chose the kept members, and which of them were to be avoided.
std::string choice_text(const Dataset& dataset, const MethodOptions& options,
                        const MethodResult& result) {
  std::string text;
  if (const auto& target = result.target) {
    text +=
        fmt::format("  target   {:>9}  {} '{}'; of each group the member with the highest {}\n",
                    with_commas(static_cast<std::int64_t>(target->samples.size())),
                    target->kind == TargetKind::classes
                        ? fmt::format("samples in {} classes of", target->n_classes)
                        : "values of",
                    escaped(target->name), target->kind == TargetKind::classes ? "eta^2" : "r2");
  }
  if (avoided(options.grouping).empty() || result.kept_though_avoided.empty()) return text;
  std::string names;
  for (std::size_t k = 0; k < std::min(kShown, result.kept_though_avoided.size()); ++k) {
    names += (k == 0 ? "" : ", ") +
             escaped(name_of(dataset.feature_names, result.kept_though_avoided[k]));
  }
  if (result.kept_though_avoided.size() > kShown) {
    names += fmt::format(" and {} more", result.kept_though_avoided.size() - kShown);
  }
  return text + "  kept although to be avoided: " + names + "\n";
}

/// On what scale, within what and around what the features were compared.
std::string scale_text(const Dataset& dataset, const MethodOptions& options,
                       const MethodResult& result) {
  std::string text;
  auto out = std::back_inserter(text);
  if (options.transform != Transform::none) {
    fmt::format_to(out, "  scale    {:>9}  r2, combinations and equations are of {}\n",
                   choice_name(options.transform), on_scale("feature", options.transform));
  }
  if (dataset.batch) {
    fmt::format_to(out,
                   "  batches  {:>9}  r2, combinations and equations hold within those of '{}'\n",
                   n_classes(*dataset.batch), escaped(dataset.batch->name));
  }
  if (result.filled) {
    fmt::format_to(
        out, "  gaps     {:>9}  cells: r2 and held-out R2 go by the samples that have values\n",
        with_commas(result.filled->n_cells));
    if (!result.filled->converged) {
      text +=
          fmt::format("           what stands in the gaps meanwhile still moved after {} rounds\n",
                      result.filled->n_rounds);
    }
  }
  return text;
}

}  // namespace

std::string too_few_note(const Dataset& dataset, const MethodOptions& options,
                         const MethodResult& result) {
  const LevelOptions* level = level_of(options.grouping);
  const auto n_kept = static_cast<Index>(result.reduction.kept.size());
  if (level == nullptr || !level->n_features || *level->n_features <= n_kept) return {};
  const Index unfit =
      count_kind(result.kind, FeatureKind::empty) + count_kind(result.kind, FeatureKind::constant);
  return fmt::format("{} were asked for, but only {} are kept: the data have {}{}",
                     counted(*level->n_features, "feature"), with_commas(n_kept),
                     with_commas(n_features(dataset.matrix)),
                     unfit > 0
                         ? fmt::format(", {} of them all zero or constant", with_commas(unfit))
                         : std::string());
}

std::string reduce_summary(const Dataset& dataset, const MethodOptions& options,
                           const MethodResult& result) {
  const Reduction& reduction = result.reduction;
  const auto d = static_cast<double>(n_features(dataset.matrix));
  const auto kept = static_cast<double>(reduction.kept.size());
  const auto removed = static_cast<double>(reduction.removed.size());
  std::string text = fmt::format("{}: {} x {}\n\n", shown_name(dataset.source),
                                 counted(n_samples(dataset.matrix), "sample"),
                                 counted(n_features(dataset.matrix), "feature"));
  text += wrapped(verdict(options, result)) + unshared_text(result) + "\n";
  auto out = std::back_inserter(text);
  fmt::format_to(out, "  kept     {:>9}  {} ({})\n", with_commas(static_cast<Index>(kept)),
                 percent(kept, d), level_text(options));
  fmt::format_to(out, "  removed  {:>9}  {}\n", with_commas(static_cast<Index>(removed)),
                 percent(removed, d));
  if (reduction.n_rescued > 0) {
    fmt::format_to(out, "  rescued  {:>9}  features: {}\n", with_commas(reduction.n_rescued),
                   options.reduce.certify ? "kept because they could not be certified"
                                          : "kept because nothing explains them");
  }
  fmt::format_to(out, "  groups   {:>9}  of two or more features, the largest of {}\n",
                 with_commas(groups_of_two_or_more(reduction.groups)),
                 with_commas(reduction.groups.largest()));
  if (const Index failed = figures_of(result.graph).n_failed; failed > 0) {
    fmt::format_to(out, "  failed   {:>9}  representations, too far from their feature\n",
                   with_commas(failed));
  }
  if (const Index empty = count_kind(result.kind, FeatureKind::empty); empty > 0) {
    fmt::format_to(out, "  empty    {:>9}  features are all zero\n", with_commas(empty));
  }
  if (const Index constant = count_kind(result.kind, FeatureKind::constant); constant > 0) {
    fmt::format_to(out, "  constant {:>9}  features have one value throughout\n",
                   with_commas(constant));
  }
  text += scale_text(dataset, options, result);
  text += choice_text(dataset, options, result);
  if (removed > 0) text += loss_text(dataset, options, result);
  text += equations_text(dataset, reduction, options.transform);
  text += permutation_text(result.permutation);
  if (groups_of_two_or_more(reduction.groups) > 0) {
    text += "\nLargest groups\n" + groups_table(dataset, reduction);
  }
  return text + "\n";
}

}  // namespace sfg::cli
