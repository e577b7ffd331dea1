#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"
#include "sfg/error.hpp"
#include "sfg/model.hpp"

namespace sfg {

namespace {

/// Members of a group that a text lists.
constexpr std::size_t kMembersShown = 12;

/// Lines about one feature of a model.
class Explainer {
 public:
  Explainer(const Model& model, const Explanation& explanation, const FieldSpelling& spelling)
      : model_(model), about_(explanation), spelling_(spelling) {}

  [[nodiscard]] std::string text() const {
    std::string text = name(about_.feature) + ": " + what_happened();
    if (about_.group.size() > 1) {
      text += fmt::format("  group of {}: {}\n", about_.group.size(), members());
    }
    if (!model_.batch.empty()) {
      text += fmt::format("  (within batches of '{}': a constant differs from one to the other)\n",
                          escaped(model_.batch));
    }
    return text;
  }

 private:
  [[nodiscard]] std::string name(Index feature) const {
    return escaped(model_.feature_names[feature]);
  }

  [[nodiscard]] std::string what_happened() const {
    switch (about_.role) {
      case Explanation::Role::removed:
        return why_removed() + how_well();
      case Explanation::Role::empty:
        return "removed, it has no direction (all zero, or constant in centred data)\n";
      case Explanation::Role::representative:
        return stands_for() + stand_in();
      case Explanation::Role::kept:
        break;
    }
    return "kept, no other feature stands for it, and it stands for no other\n";
  }

  [[nodiscard]] std::string why_removed() const {
    if (about_.reason == RemovalReason::exact) {
      return "removed, it is an exact sum of other features\n";
    }
    if (about_.reason == RemovalReason::unshared) {
      return "removed, it shares nothing with the other features: noise, or unique\n" +
             with_options_spelt("  ({unshared=keep} keeps such features)\n", spelling_);
    }
    std::string text = fmt::format("removed, {} is kept instead (r2 {:.4f})\n",
                                   name(about_.representative), about_.r2);
    if (about_.best_kept >= 0 && about_.best_kept != about_.representative) {
      text += fmt::format("  the nearest kept feature is {} (r2 {:.4f})\n", name(about_.best_kept),
                          about_.best_kept_r2);
    }
    return text;
  }

  /// How well the kept features say what a removed one said.
  [[nodiscard]] std::string how_well() const {
    std::string text;
    if (about_.held_out_r2) {
      text += fmt::format("  the kept features predict {:.1f} % of it on samples held out\n",
                          100 * std::max(0.0, *about_.held_out_r2));
    }
    if (about_.reason == RemovalReason::unshared) return text;
    const auto terms = on_scale(model_.feature_names, about_.transform);
    return text + (about_.certificate == CertificateKind::exact
                       ? fmt::format("  {} = {}\n", escaped(terms[about_.feature]),
                                     exact_text(about_.combination, terms))
                       : fmt::format("  {} explains {:.1f} % of it (in sample)\n",
                                     combination_text(about_.combination, terms),
                                     100 * about_.combination.r2));
  }

  [[nodiscard]] std::string stands_for() const {
    const std::size_t others = about_.group.size() - 1;
    return fmt::format("kept, it stands for {} other feature{}\n", with_commas(others),
                       others == 1 ? "" : "s");
  }

  [[nodiscard]] std::string stand_in() const {
    if (!about_.stand_in) return {};
    const StandIn& one = *about_.stand_in;
    std::string text = fmt::format("  if you cannot measure {}, take {}: r2 {:.3f}\n",
                                   name(one.kept), name(one.feature), one.r2);
    if (about_.group.size() > 2) {
      text += fmt::format("  (mean r2 of the rest of the group: {:.3f} with it, {:.3f} with {})\n",
                          one.mean_r2_instead, one.mean_r2, name(one.kept));
    }
    return text;
  }

  /// At most a dozen by name.
  [[nodiscard]] std::string members() const {
    std::string text;
    for (std::size_t k = 0; k < std::min(kMembersShown, about_.group.size()); ++k) {
      text += (k == 0 ? "" : ", ") + name(about_.group[k]);
    }
    return text + (about_.group.size() > kMembersShown ? ", ..." : "");
  }

  const Model& model_;
  const Explanation& about_;
  const FieldSpelling& spelling_;
};

}  // namespace

std::string explanation_text(const Model& model, const Explanation& explanation,
                             const FieldSpelling& spelling) {
  return Explainer(model, explanation, spelling).text();
}

}  // namespace sfg
