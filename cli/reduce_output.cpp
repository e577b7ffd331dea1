#include "reduce_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "core/options_json.hpp"
#include "core/text.hpp"

namespace sfg::cli {

namespace {

using nlohmann::ordered_json;

/// Permuted features cannot be predicted: above this their held-out R2 means that the samples are
/// too few, or leak.
constexpr double kSuspiciousNull = 0.1;
/// Groups and features that the summary lists.
constexpr std::size_t kShown = 5;

const std::string& name_of(const std::vector<std::string>& names, Index feature) {
  return names[feature];
}

std::size_t group_size(const Groups& groups, Index group) {
  return groups.members_of(group).size();
}

/// Numbers of the largest groups, largest first.
std::vector<Index> largest_groups(const Groups& groups) {
  std::vector<Index> order(static_cast<std::size_t>(groups.n_groups()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto shown = std::min(kShown, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                    [&](Index a, Index b) {
                      const auto left = group_size(groups, a);
                      const auto right = group_size(groups, b);
                      return left != right ? left > right : a < b;
                    });
  order.resize(shown);
  return order;
}

/// Mean r2 of the removed members of each group.
std::vector<double> mean_r2_by_group(const Reduction& reduction) {
  const auto n_groups = static_cast<std::size_t>(reduction.groups.n_groups());
  std::vector<double> sums(n_groups, 0.0);
  std::vector<double> counts(n_groups, 0.0);
  for (const RemovedFeature& removed : reduction.removed) {
    const auto group = static_cast<std::size_t>(reduction.groups.group_of[removed.feature]);
    sums[group] += removed.r2;
    counts[group] += 1;
  }
  for (std::size_t g = 0; g < n_groups; ++g) sums[g] = counts[g] > 0 ? sums[g] / counts[g] : 1;
  return sums;
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

Index count_failed(const FeatureGraph& graph) {
  return static_cast<Index>(std::ranges::count(graph.failed, std::uint8_t{1}));
}

Index count_kind(const std::vector<FeatureKind>& kinds, FeatureKind kind) {
  return static_cast<Index>(std::ranges::count(kinds, kind));
}

Index groups_of_two_or_more(const Groups& groups) {
  Index count = 0;
  for (Index g = 0; g < groups.n_groups(); ++g) count += group_size(groups, g) > 1 ? 1 : 0;
  return count;
}

std::string groups_table(const Dataset& dataset, const Reduction& reduction) {
  const auto means = mean_r2_by_group(reduction);
  Table table({"kept feature", "group of", "mean r2", "with it"});
  for (const Index group : largest_groups(reduction.groups)) {
    const auto size = group_size(reduction.groups, group);
    if (size < 2) break;
    table.add({escaped(name_of(dataset.feature_names, reduction.representatives[group])),
               with_commas(static_cast<std::int64_t>(size)), fmt::format("{:.3f}", means[group]),
               members_preview(reduction, group, dataset.feature_names)});
  }
  return table.text("  ");
}

std::string level_text(const MethodOptions& options) {
  const std::string grouping = choice_name(kind_of(options.grouping));
  if (const LevelOptions* level = level_of(options.grouping)) {
    return fmt::format("{}, {}", grouping, describe(*level));
  }
  const auto& components = std::get<ComponentOptions>(options.grouping);
  return components.weight_threshold
             ? fmt::format("{}, weights above {}", grouping, *components.weight_threshold)
             : fmt::format("{}, theta {}", grouping, components.theta.value_or(kUsualTheta));
}

/// The removed features that the kept ones predict worst.
std::string worst_text(const Dataset& dataset, const Certificate& certificate) {
  std::vector<std::size_t> order(certificate.features.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return certificate.r2[k]; });
  std::string text;
  for (std::size_t k = 0; k < std::min(kShown, order.size()); ++k) {
    text += fmt::format("{}{} ({:.2f})", k == 0 ? "" : ", ",
                        escaped(name_of(dataset.feature_names, certificate.features[order[k]])),
                        certificate.r2[order[k]]);
  }
  return text;
}

/// What the removed features lose: how well the kept ones stand in for them.
std::string loss_text(const Dataset& dataset, const MethodResult& result) {
  const Reduction& reduction = result.reduction;
  const Certificate& certificate = reduction.certificate;
  std::string text = "\nWhat was lost\n";
  auto out = std::back_inserter(text);
  if (!certificate.possible) {
    fmt::format_to(out, "  cannot be certified: {} are too few (at least {})\n",
                   counted(n_samples(dataset.matrix), "sample"), kFewestSamplesToCertify);
  } else if (!certificate.features.empty()) {
    fmt::format_to(out,
                   "  held-out R2 of {}: mean {:.3f}, a tenth below {:.3f}; {:.0f} % reach 0.8, "
                   "{:.0f} % reach 0.5\n",
                   certificate.all ? std::string("removed features")
                                   : fmt::format("{} removed features, drawn at random",
                                                 certificate.features.size()),
                   certificate.removed.mean, certificate.removed.quantile_10,
                   100 * certificate.removed.share_80, 100 * certificate.removed.share_50);
    fmt::format_to(out, "    with permuted samples: mean {:.3f}, 95 % below {:.3f}{}\n",
                   certificate.permuted.mean, certificate.permuted.quantile_95,
                   certificate.permuted.quantile_95 > kSuspiciousNull
                       ? " - too high: too few samples to trust the line above"
                       : "");
    fmt::format_to(out, "    predicted worst: {}\n", worst_text(dataset, certificate));
  }
  fmt::format_to(out, "  r2 with the feature kept instead: mean {:.3f}, a tenth below {:.3f}\n",
                 reduction.mean_r2, reduction.quantile_10_r2);
  fmt::format_to(out, "  of the 10 nearest samples of a sample {:.0f} % stay the nearest\n",
                 100 * result.neighbour_overlap);
  return text;
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

ordered_json certificate_json(const Certificate& certificate) {
  const auto summary = [](const HeldOutSummary& one) {
    return ordered_json{{"n", one.n_features},      {"mean", one.mean},
                        {"q10", one.quantile_10},   {"q95", one.quantile_95},
                        {"share_50", one.share_50}, {"share_80", one.share_80}};
  };
  return {{"possible", certificate.possible},        {"all", certificate.all},
          {"removed", summary(certificate.removed)}, {"permuted", summary(certificate.permuted)},
          {"features", certificate.features},        {"held_out_r2", certificate.r2}};
}

ordered_json permutation_json(const PermutationCheck& check) {
  if (check.n_permuted == 0) return {};
  return {{"n_permuted", check.n_permuted},
          {"real_share", check.real_share},
          {"permuted_share", check.permuted_share},
          {"angle_says_little", check.angle_says_little()}};
}

}  // namespace

std::string kept_text(const Model& model) {
  std::string text;
  for (const Index feature : model.reduction.kept) {
    text += escaped(name_of(model.feature_names, feature)) + "\n";
  }
  return text;
}

std::string removed_tsv(const Model& model) {
  std::string text =
      "feature\trepresentative\tr2\theld_out_r2\tcombination\tcombination_r2_in_sample\n";
  for (const RemovedFeature& removed : model.reduction.removed) {
    const bool replaced = removed.representative >= 0;
    fmt::format_to(std::back_inserter(text), "{}\t{}\t{}\t{}\t{}\t{}\n",
                   escaped(name_of(model.feature_names, removed.feature)),
                   replaced ? escaped(name_of(model.feature_names, removed.representative)) : "",
                   replaced ? format_number(removed.r2) : "",
                   removed.held_out_r2 ? format_number(*removed.held_out_r2) : "",
                   combination_text(removed.combination, model.feature_names),
                   format_number(removed.combination.r2));
  }
  return text;
}

std::string weights_tsv(const Model& model) {
  const auto weight = weights(model.reduction);
  std::string text = "feature\tstands_for\tweight\n";
  for (std::size_t k = 0; k < weight.size(); ++k) {
    fmt::format_to(std::back_inserter(text), "{}\t{:.0f}\t{}\n",
                   escaped(name_of(model.feature_names, model.reduction.kept[k])),
                   weight[k] * weight[k], format_number(weight[k]));
  }
  return text;
}

std::string groups_tsv(const Model& model) {
  const Reduction& reduction = model.reduction;
  std::string text = "group\tfeature\trole\trepresentative\tr2\n";
  auto next_removed = std::vector<const RemovedFeature*>(model.feature_names.size(), nullptr);
  for (const RemovedFeature& removed : reduction.removed) {
    next_removed[removed.feature] = &removed;
  }
  for (Index group = 0; group < reduction.groups.n_groups(); ++group) {
    const Index representative = reduction.representatives[group];
    for (const Index member : reduction.groups.members_of(group)) {
      const auto* removed = next_removed[member];
      const bool empty = removed != nullptr && removed->representative < 0;
      const char* role = removed == nullptr ? (member == representative ? "representative" : "kept")
                                            : (empty ? "empty" : "removed");
      fmt::format_to(std::back_inserter(text), "{}\t{}\t{}\t{}\t{}\n", group,
                     escaped(name_of(model.feature_names, member)), role,
                     empty ? "" : escaped(name_of(model.feature_names, representative)),
                     removed == nullptr ? "1" : (empty ? "" : format_number(removed->r2)));
    }
  }
  return text;
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
  if (const Index failed = count_failed(result.graph); failed > 0) {
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
  if (removed > 0) text += loss_text(dataset, result);
  text += permutation_text(result.permutation);
  if (groups_of_two_or_more(reduction.groups) > 0) {
    text += "\nLargest groups\n" + groups_table(dataset, reduction);
  }
  return text + "\n";
}

ordered_json reduce_json(const Dataset& dataset, const MethodOptions& options,
                         const MethodResult& result) {
  const Reduction& reduction = result.reduction;
  ordered_json groups = ordered_json::array();
  for (Index g = 0; g < reduction.groups.n_groups(); ++g) {
    const auto members = reduction.groups.members_of(g);
    groups.push_back({{"representative", reduction.representatives[g]},
                      {"members", std::vector<Index>(members.begin(), members.end())}});
  }
  const auto* components = std::get_if<ComponentOptions>(&options.grouping);
  const LevelOptions* level = level_of(options.grouping);
  const bool by_theta = components != nullptr && !components->weight_threshold;
  const bool cover = std::holds_alternative<CoverOptions>(options.grouping);
  const Certificate& certificate = reduction.certificate;
  const auto certified = [&](double value) {
    return certificate.removed.n_features > 0 ? ordered_json(value) : ordered_json();
  };
  return {
      {"schema_version", 1},
      {"sfg_version", version()},
      {"command", "reduce"},
      {"input", dataset.source},
      {"n_samples", n_samples(dataset.matrix)},
      {"n_features", n_features(dataset.matrix)},
      {"n_kept", reduction.kept.size()},
      {"n_removed", reduction.removed.size()},
      {"n_rescued", reduction.n_rescued},
      {"n_groups", reduction.groups.n_groups()},
      {"largest_group", reduction.groups.largest()},
      {"grouping", choice_name(kind_of(options.grouping))},
      {"level", level != nullptr ? ordered_json(describe(*level)) : ordered_json()},
      {"theta", by_theta ? ordered_json(components->theta.value_or(kUsualTheta)) : ordered_json()},
      {"threshold", result.threshold ? ordered_json(*result.threshold) : ordered_json()},
      {"representative",
       cover ? ordered_json()
             : ordered_json(choice_name(representative_of(options.grouping, options.keep).rule))},
      {"options", detail::options_to_json(options)},
      {"mean_r2", reduction.mean_r2},
      {"r2_q10", reduction.quantile_10_r2},
      {"certified_80", certified(certificate.removed.share_80)},
      {"certified_50", certified(certificate.removed.share_50)},
      {"r2cv_mean", certified(certificate.removed.mean)},
      {"r2cv_q10", certified(certificate.removed.quantile_10)},
      {"neighbour_overlap", result.neighbour_overlap},
      {"certificate", certificate_json(certificate)},
      {"permutation_check", permutation_json(result.permutation)},
      {"failed", count_failed(result.graph)},
      {"empty", count_kind(result.kind, FeatureKind::empty)},
      {"constant", count_kind(result.kind, FeatureKind::constant)},
      {"engine", pursuit_of(options.grouping) != nullptr ? ordered_json(choice_name(result.engine))
                                                         : ordered_json()},
      {"method", result.graph.description},
      {"kept", reduction.kept},
      {"weights", weights(reduction)},
      {"groups", std::move(groups)}};
}

}  // namespace sfg::cli
