#include "sfg/json.hpp"

namespace sfg {

using nlohmann::ordered_json;

ordered_json explanation_json(const Explanation& explanation,
                              const std::vector<std::string>& feature_names) {
  const auto name = [&](Index feature) { return feature_names[feature]; };
  ordered_json terms = ordered_json::array();
  for (const Term& term : explanation.combination.terms) {
    terms.push_back({{"feature", name(term.feature)},
                     {"index", term.feature},
                     {"coefficient", term.coefficient}});
  }
  ordered_json group = ordered_json::array();
  for (const Index member : explanation.group) group.push_back(name(member));
  const bool removed = explanation.role == Explanation::Role::removed;
  const bool has_substitute = explanation.representative >= 0;
  ordered_json combination;
  if (removed) {
    combination = {{"text", combination_text(explanation.combination,
                                             on_scale(feature_names, explanation.transform))},
                   {"terms", std::move(terms)},
                   {"intercept", explanation.combination.intercept},
                   {"r2_in_sample", explanation.combination.r2}};
    if (explanation.transform != Transform::none) {
      combination[kTransformText.name] = choice_name(explanation.transform);
    }
  }
  ordered_json stand_in;
  if (const auto& one = explanation.stand_in) {
    stand_in = {{"feature", name(one->feature)},
                {"index", one->feature},
                {"r2", one->r2},
                {"mean_r2", one->mean_r2},
                {"mean_r2_instead", one->mean_r2_instead}};
  }
  return {{"feature", name(explanation.feature)},
          {"index", explanation.feature},
          {"role", choice_name(explanation.role)},
          {"representative",
           has_substitute ? ordered_json(name(explanation.representative)) : ordered_json()},
          {"r2", has_substitute ? ordered_json(explanation.r2) : ordered_json()},
          {"held_out_r2", json_or_null(explanation.held_out_r2)},
          {"reason", removed ? ordered_json(choice_name(explanation.reason)) : ordered_json()},
          {"certificate",
           removed ? ordered_json(choice_name(explanation.certificate)) : ordered_json()},
          {"best_kept",
           explanation.best_kept >= 0 ? ordered_json(name(explanation.best_kept)) : ordered_json()},
          {"best_kept_r2",
           explanation.best_kept >= 0 ? ordered_json(explanation.best_kept_r2) : ordered_json()},
          {"combination", std::move(combination)},
          {"stand_in", std::move(stand_in)},
          {"group", std::move(group)}};
}

}  // namespace sfg
