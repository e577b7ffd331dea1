// Model files: read, written, applied to new data, asked about features.
#include <algorithm>
#include <utility>

#include "answer.hpp"
#include "background.hpp"
#include "calls.hpp"
#include "results.hpp"
#include "sfg/sfg.hpp"
#include "tables.hpp"
#include "texts.hpp"

namespace sfg::r {

namespace {

using Rcpp::List;
using Rcpp::Named;

Model model_from(SEXP file) {
  return model_from_text(text_from(file), "the model");
}

List load(SEXP path, SEXP running) {
  const std::string file = text_from(path);
  return model_list(
      compute(running_from(running), [&](const RunContext& run) { return load_model(file, run); }));
}

SEXP save(SEXP file, SEXP path) {
  OutputFiles files(Existing::replace);
  files.add_text(text_from(path), text_from(file));
  files.commit();
  return R_NilValue;
}

/// As `sfg apply` does: gaps are filled in if some were where the model was made, or if `missing`
/// says so; else they stay.
List apply(SEXP file, SEXP table, SEXP missing, SEXP running) {
  const Model model = model_from(file);
  const Dataset dataset = borrow_dataset(table);
  const bool was_filled = model.missing == Missing::mean || model.missing == Missing::median;
  Missing policy = model.missing;
  if (!Rf_isNull(missing)) policy = missing_from(missing);
  const bool fills = !Rf_isNull(missing) || was_filled;
  auto [kept, report] = compute(running_from(running), [&](const RunContext&) {
    Dataset applied = apply_model(model, dataset);
    MissingReport found = fills ? resolve_missing(model, applied, policy) : MissingReport{};
    return std::pair{std::move(applied), std::move(found)};
  });
  return List::create(Named("values") = matrix_of(std::move(kept)),
                      Named("missing") = report_of(report));
}

List broken_list(const Model& model, const DriftReport& report) {
  using B = BrokenRelation;
  const auto& broken = report.broken;
  return List::create(
      Named("feature") =
          text_of_each(broken, [&](const B& one) { return model.feature_names[one.feature]; }),
      Named("relation") =
          text_of_each(broken, [&](const B& one) { return relation_text(model, one.feature); }),
      Named("kind") = text_of_each(broken, [](const B& one) { return choice_name(one.kind); }),
      Named("n_rows") = of_each<INTSXP>(broken, [](const B& one) { return one.n_rows; }),
      Named("n_broken") = of_each<INTSXP>(broken, [](const B& one) { return one.n_broken; }),
      Named("worst_row") =
          text_of_each(broken, [&](const B& one) { return row_name(report, one.worst_row); }),
      Named("largest") = of_each<REALSXP>(broken, [](const B& one) { return one.largest; }),
      Named("limit") = of_each<REALSXP>(broken, [](const B& one) { return one.limit; }));
}

List shifted_list(const Model& model, const DriftReport& report) {
  using S = ShiftedFeature;
  const auto& shifted = report.shifted;
  return List::create(
      Named("feature") =
          text_of_each(shifted, [&](const S& one) { return model.feature_names[one.feature]; }),
      Named("n_rows") = of_each<INTSXP>(shifted, [](const S& one) { return one.n_rows; }),
      Named("n_outside") = of_each<INTSXP>(shifted, [](const S& one) { return one.n_outside; }),
      Named("mean") = of_each<REALSXP>(shifted, [](const S& one) { return one.mean; }),
      Named("shift") = of_each<REALSXP>(shifted, [](const S& one) { return one.shift; }));
}

List suspects_list(const Model& model, const DriftReport& report) {
  const auto names = [&](const Suspect& one) {
    std::string text;
    for (const Index feature : one.features) {
      text += (text.empty() ? "" : ", ") + model.feature_names[feature];
    }
    return text;
  };
  return List::create(Named("features") = text_of_each(report.suspects, names),
                      Named("n_broken") = of_each<INTSXP>(
                          report.suspects, [](const Suspect& one) { return one.n_broken; }));
}

List drift(SEXP file, SEXP table, SEXP running) {
  const Model model = model_from(file);
  const Dataset dataset = borrow_dataset(table);
  const DriftReport report = compute(running_from(running), [&](const RunContext& run) {
    return check_drift(model, dataset, run);
  });
  std::vector<std::string> lines{drift_summary(report)};
  for (const auto& one : report.broken) lines.push_back(describe(model, report, one));
  for (const auto& one : report.suspects) lines.push_back(describe(model, report, one));
  for (const auto& one : report.shifted) lines.push_back(describe(model, one));
  return List::create(
      Named("n_rows") = report.n_rows, Named("n_relations") = report.n_relations,
      Named("n_checked") = report.n_checked, Named("unchecked") = one_text(report.unchecked),
      Named("broken") = broken_list(model, report),
      Named("suspects") = suspects_list(model, report),
      Named("shifted") = shifted_list(model, report), Named("text") = texts_of(lines));
}

Rcpp::NumericVector terms_of(const Model& model, const Combination& combination) {
  const auto names = on_scale(model.feature_names, model.transform);
  Rcpp::NumericVector terms =
      of_each<REALSXP>(combination.terms, [](const Term& term) { return term.coefficient; });
  terms.names() =
      text_of_each(combination.terms, [&](const Term& term) { return names[term.feature]; });
  return terms;
}

List explain_feature(SEXP file, SEXP feature) {
  const Model model = model_from(file);
  const Explanation found = explain(model, text_from(feature));
  const auto name = [&](Index one) {
    return one < 0 ? Rcpp::CharacterVector(1, NA_STRING) : one_text(model.feature_names[one]);
  };
  const bool is_removed = found.role == Explanation::Role::removed;
  const auto word = [&](const std::string& text) {
    return is_removed ? one_text(text) : Rcpp::CharacterVector(1, NA_STRING);
  };
  List result =
      List::create(Named("feature") = name(found.feature), Named("role") = choice_name(found.role),
                   Named("representative") = name(found.representative),
                   Named("r2") = found.representative < 0 ? NA_REAL : found.r2,
                   Named("held_out_r2") = number_or_na(found.held_out_r2),
                   Named("reason") = word(choice_name(found.reason)),
                   Named("certificate") = word(choice_name(found.certificate)),
                   Named("terms") = terms_of(model, found.combination),
                   Named("intercept") = is_removed ? found.combination.intercept : NA_REAL,
                   Named("combination_r2") = is_removed ? found.combination.r2 : NA_REAL,
                   Named("best_kept") = name(found.best_kept),
                   Named("best_kept_r2") = found.best_kept < 0 ? NA_REAL : found.best_kept_r2,
                   Named("group") = text_of_each(
                       found.group, [&](Index one) { return model.feature_names[one]; }),
                   Named("stand_in") = name(found.stand_in ? found.stand_in->feature : -1),
                   Named("stand_in_r2") = found.stand_in ? found.stand_in->r2 : NA_REAL,
                   Named("text") = one_text(explanation_text(model, found, spell_argument)));
  return result;
}

}  // namespace

}  // namespace sfg::r

SEXP C_load(SEXP path, SEXP running) {
  return sfg::r::answer([&] { return sfg::r::load(path, running); });
}

SEXP C_save(SEXP file, SEXP path) {
  return sfg::r::answer([&] { return sfg::r::save(file, path); });
}

SEXP C_apply(SEXP file, SEXP table, SEXP missing, SEXP running) {
  return sfg::r::answer([&] { return sfg::r::apply(file, table, missing, running); });
}

SEXP C_drift(SEXP file, SEXP table, SEXP running) {
  return sfg::r::answer([&] { return sfg::r::drift(file, table, running); });
}

SEXP C_explain(SEXP file, SEXP feature) {
  return sfg::r::answer([&] { return sfg::r::explain_feature(file, feature); });
}
