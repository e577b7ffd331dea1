#include "reduce_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "core/text.hpp"

namespace sfg::cli {

namespace {

using detail::escaped;
using detail::format_number;
using nlohmann::ordered_json;

/// Groups and features that the summary lists.
constexpr std::size_t kShown = 5;

const std::string& name_of(const std::vector<std::string>& names, Index feature) {
  return names[static_cast<std::size_t>(feature)];
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
    const auto group = static_cast<std::size_t>(
        reduction.groups.group_of[static_cast<std::size_t>(removed.feature)]);
    sums[group] += removed.r2;
    counts[group] += 1;
  }
  for (std::size_t g = 0; g < n_groups; ++g) sums[g] = counts[g] > 0 ? sums[g] / counts[g] : 1;
  return sums;
}

std::string members_preview(const Reduction& reduction, Index group,
                            const std::vector<std::string>& names) {
  const Index representative = reduction.representatives[static_cast<std::size_t>(group)];
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
    table.add({escaped(name_of(dataset.feature_names,
                               reduction.representatives[static_cast<std::size_t>(group)])),
               with_commas(static_cast<std::int64_t>(size)),
               fmt::format("{:.3f}", means[static_cast<std::size_t>(group)]),
               members_preview(reduction, group, dataset.feature_names)});
  }
  return table.text("  ");
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
  std::string text = "feature\trepresentative\tr2\tcombination\tcombination_r2\n";
  for (const RemovedFeature& removed : model.reduction.removed) {
    const bool replaced = removed.representative >= 0;
    fmt::format_to(std::back_inserter(text), "{}\t{}\t{}\t{}\t{}\n",
                   escaped(name_of(model.feature_names, removed.feature)),
                   replaced ? escaped(name_of(model.feature_names, removed.representative)) : "",
                   replaced ? format_number(removed.r2) : "",
                   combination_text(removed.combination, model.feature_names),
                   format_number(removed.combination.r2));
  }
  return text;
}

std::string groups_tsv(const Model& model) {
  const Reduction& reduction = model.reduction;
  std::string text = "group\tfeature\trole\trepresentative\tr2\n";
  auto next_removed = std::vector<const RemovedFeature*>(model.feature_names.size(), nullptr);
  for (const RemovedFeature& removed : reduction.removed) {
    next_removed[static_cast<std::size_t>(removed.feature)] = &removed;
  }
  for (Index group = 0; group < reduction.groups.n_groups(); ++group) {
    const Index representative = reduction.representatives[static_cast<std::size_t>(group)];
    for (const Index member : reduction.groups.members_of(group)) {
      const auto* removed = next_removed[static_cast<std::size_t>(member)];
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

std::string reduce_summary(const Dataset& dataset, const MethodResult& result) {
  const Reduction& reduction = result.reduction;
  const auto d = static_cast<double>(n_features(dataset.matrix));
  const auto kept = static_cast<double>(reduction.kept.size());
  const auto removed = static_cast<double>(reduction.removed.size());
  std::string text = fmt::format("{}: {} x {}\n\n", shown_name(dataset.source),
                                 counted(n_samples(dataset.matrix), "sample"),
                                 counted(n_features(dataset.matrix), "feature"));
  auto out = std::back_inserter(text);
  fmt::format_to(out, "  kept     {:>9}  {}\n", with_commas(static_cast<Index>(kept)),
                 percent(kept, d));
  fmt::format_to(out, "  removed  {:>9}  {}", with_commas(static_cast<Index>(removed)),
                 percent(removed, d));
  if (removed > 0) {
    fmt::format_to(out, ", mean r2 with the feature kept instead: {:.3f}", reduction.mean_r2);
  }
  fmt::format_to(out, "\n  groups   {:>9}  of two or more features, the largest of {}\n",
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
    groups.push_back({{"representative", reduction.representatives[static_cast<std::size_t>(g)]},
                      {"members", std::vector<Index>(members.begin(), members.end())}});
  }
  return {{"schema_version", 1},
          {"sfg_version", version()},
          {"command", "reduce"},
          {"input", dataset.source},
          {"n_samples", n_samples(dataset.matrix)},
          {"n_features", n_features(dataset.matrix)},
          {"n_kept", reduction.kept.size()},
          {"n_removed", reduction.removed.size()},
          {"n_groups", reduction.groups.n_groups()},
          {"largest_group", reduction.groups.largest()},
          {"grouping", "lcs"},
          {"theta", options.threshold ? ordered_json() : ordered_json(options.theta)},
          {"threshold", result.threshold},
          {"representative", rule_name(options.representative.rule)},
          {"mean_r2", reduction.mean_r2},
          {"failed", count_failed(result.graph)},
          {"empty", count_kind(result.kind, FeatureKind::empty)},
          {"constant", count_kind(result.kind, FeatureKind::constant)},
          {"engine", engine_name(result.engine)},
          {"method", result.graph.description},
          {"kept", reduction.kept},
          {"groups", std::move(groups)}};
}

}  // namespace sfg::cli
