#include <fmt/format.h>

#include <iterator>

#include "sfg/text.hpp"
#include "sfg/write.hpp"

namespace sfg {

namespace {

std::string name_in(const Model& model, Index feature) {
  return escaped(model.feature_names[feature]);
}

}  // namespace

std::string kept_to_text(const Model& model) {
  std::string text;
  for (const Index feature : model.reduction.kept) {
    text += name_in(model, feature) + "\n";
  }
  return text;
}

std::string removed_to_tsv(const Model& model) {
  std::string text =
      "feature\trepresentative\tr2\theld_out_r2\tcombination\tcombination_r2_in_sample\treason\t"
      "certificate\tbest_kept\tbest_kept_r2\n";
  const auto terms = on_scale(model.feature_names, model.transform);
  for (const RemovedFeature& removed : model.reduction.removed) {
    const bool replaced = removed.representative >= 0;
    const bool has_best = removed.best_kept >= 0;
    fmt::format_to(
        std::back_inserter(text), "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n",
        name_in(model, removed.feature), replaced ? name_in(model, removed.representative) : "",
        replaced ? format_rounded(removed.r2) : "",
        removed.held_out_r2 ? format_rounded(*removed.held_out_r2) : "",
        combination_text(removed.combination, terms), format_rounded(removed.combination.r2),
        choice_name(removed.reason), choice_name(removed.certificate),
        has_best ? name_in(model, removed.best_kept) : "",
        has_best ? format_rounded(removed.best_kept_r2) : "");
  }
  return text;
}

std::string weights_to_tsv(const Model& model) {
  const auto weight = weights(model.reduction);
  std::string text = "feature\tstands_for\tweight\n";
  for (std::size_t k = 0; k < weight.size(); ++k) {
    fmt::format_to(std::back_inserter(text), "{}\t{:.0f}\t{}\n",
                   name_in(model, model.reduction.kept[k]), weight[k] * weight[k],
                   format_rounded(weight[k]));
  }
  return text;
}

std::string groups_to_tsv(const Model& model) {
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
      const char* role =
          removed == nullptr
              ? (member == representative ? "representative" : "kept")
              : (removed->reason == RemovalReason::no_variation ? "empty" : "removed");
      fmt::format_to(std::back_inserter(text), "{}\t{}\t{}\t{}\t{}\n", group,
                     name_in(model, member), role, empty ? "" : name_in(model, representative),
                     removed == nullptr ? "1" : (empty ? "" : format_rounded(removed->r2)));
    }
  }
  return text;
}

std::string equations_to_tsv(const std::vector<Equation>& equations,
                             const std::vector<std::string>& feature_names, Transform transform) {
  const auto terms = on_scale(feature_names, transform);
  std::string text = "feature\tequation\tn_terms\tresidual\n";
  for (const Equation& one : equations) {
    fmt::format_to(std::back_inserter(text), "{}\t{}\t{}\t{:.2g}\n",
                   escaped(feature_names[one.feature]), exact_text(one.combination, terms),
                   one.combination.terms.size(), one.residual);
  }
  return text;
}

std::string sweep_to_tsv(const std::vector<SweepLevel>& levels) {
  std::string text = "theta\tthreshold\tn_kept\tlargest_group\tmean_r2\n";
  for (const SweepLevel& level : levels) {
    text += fmt::format("{}\t{}\t{}\t{}\t{}\n", format_rounded(level.theta),
                        // --weight-threshold takes it back: every digit may decide about an edge.
                        format_number(level.threshold), level.n_kept, level.largest_group,
                        level.mean_r2 ? format_rounded(*level.mean_r2) : "");
  }
  return text;
}

std::string levels_to_tsv(const MethodResult& result) {
  const auto rounded = [](const std::optional<double>& value) {
    return value ? format_rounded(*value) : std::string();
  };
  std::string text = "n_kept\toverlap\tloss_ratio\tr2loo_mean\tgood\tchosen\n";
  for (const TriedLevel& level : result.tried) {
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", level.n_kept, format_rounded(level.overlap),
                        rounded(level.loss_ratio), rounded(level.r2loo_mean), level.is_good,
                        level.n_steps == result.n_steps);
  }
  return text;
}

std::string superseded_to_tsv(const SelectResult& result,
                              const std::vector<std::string>& feature_names) {
  std::string text = "feature\tremoved_by\tuncertainty_between\trelevance\n";
  for (const Superseded& one : result.removed) {
    text +=
        fmt::format("{}\t{}\t{}\t{}\n", escaped(feature_names[one.feature]),
                    one.by < 0 ? "" : escaped(feature_names[one.by]),
                    one.by < 0 ? "" : format_rounded(one.between), format_rounded(one.relevance));
  }
  return text;
}

std::string selections_to_tsv(const SelectResult& result,
                              const std::vector<std::string>& feature_names) {
  std::string text = "n_selected\trank\tfeature\tscore\n";
  for (const auto& selection : result.selections) {
    if (!selection) continue;
    for (std::size_t k = 0; k < selection->features.size(); ++k) {
      text += fmt::format("{}\t{}\t{}\t{}\n", selection->n_selected, k + 1,
                          escaped(feature_names[selection->features[k]]),
                          format_rounded(selection->scores[k]));
    }
  }
  return text;
}

std::string stability_to_tsv(const StabilityResult& result,
                             const std::vector<std::string>& feature_names) {
  std::string text =
      "feature\tkept\tstable\tkept_share\tfamily_share\tfamily_chance\trepresentative\tgroup_size\t"
      "group_stability\tpairs_together\n";
  for (const FeatureStability& one : result.features) {
    const bool has_group = one.representative >= 0;
    fmt::format_to(std::back_inserter(text), "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n",
                   escaped(feature_names[one.feature]), one.is_kept, one.is_stable,
                   format_rounded(one.kept_share), format_rounded(one.family_share),
                   format_rounded(one.family_chance),
                   has_group ? escaped(feature_names[one.representative]) : "", one.group_size,
                   has_group ? format_rounded(one.group_stability) : "",
                   one.group_size > 1 ? format_rounded(one.pairs_together) : "");
  }
  return text;
}

std::string clusters_to_text(const std::vector<Index>& labels) {
  std::string text;
  for (const Index label : labels) text += fmt::format("{}\n", label);
  return text;
}

}  // namespace sfg
