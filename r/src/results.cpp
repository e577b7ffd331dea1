#include "results.hpp"

#include "sfg/verdict.hpp"
#include "texts.hpp"

namespace sfg::r {

namespace {

using Rcpp::List;
using Rcpp::Named;

/// By removed feature, with numbers of features counted from 1.
List removed_list(const Model& model) {
  using R = RemovedFeature;
  const auto& removed = model.reduction.removed;
  const auto terms = on_scale(model.feature_names, model.transform);
  const auto text = [&](const R& one) {
    return one.certificate == CertificateKind::exact ? exact_text(one.combination, terms)
                                                     : combination_text(one.combination, terms);
  };
  return List::create(
      Named("feature") =
          of_each<INTSXP>(removed, [](const R& one) { return number_of(one.feature); }),
      Named("representative") =
          of_each<INTSXP>(removed, [](const R& one) { return number_of(one.representative); }),
      Named("r2") = of_each<REALSXP>(
          removed, [](const R& one) { return one.representative < 0 ? NA_REAL : one.r2; }),
      Named("held_out_r2") =
          of_each<REALSXP>(removed, [](const R& one) { return number_or_na(one.held_out_r2); }),
      Named("combination") = text_of_each(removed, text),
      Named("combination_r2_in_sample") =
          of_each<REALSXP>(removed, [](const R& one) { return one.combination.r2; }),
      Named("reason") = text_of_each(removed, [](const R& one) { return choice_name(one.reason); }),
      Named("certificate") =
          text_of_each(removed, [](const R& one) { return choice_name(one.certificate); }),
      Named("best_kept") =
          of_each<INTSXP>(removed, [](const R& one) { return number_of(one.best_kept); }),
      Named("best_kept_r2") = of_each<REALSXP>(
          removed, [](const R& one) { return one.best_kept < 0 ? NA_REAL : one.best_kept_r2; }));
}

List summary_list(const HeldOutSummary& summary) {
  return List::create(Named("n") = summary.n_features, Named("mean") = summary.mean,
                      Named("median") = summary.median, Named("q10") = summary.quantile_10,
                      Named("q95") = summary.quantile_95, Named("share_50") = summary.share_50,
                      Named("share_80") = summary.share_80);
}

List certificate_list(const Certificate& certificate) {
  return List::create(Named("possible") = certificate.possible, Named("all") = certificate.all,
                      Named("removed") = summary_list(certificate.removed),
                      Named("permuted") = summary_list(certificate.permuted));
}

Rcpp::NumericVector seconds_of(const StageSeconds& seconds) {
  Rcpp::NumericVector values =
      of_each<REALSXP>(seconds, [](const auto& one) { return one.second; });
  values.names() = text_of_each(seconds, [](const auto& one) { return one.first; });
  return values;
}

std::string kind_name(FeatureKind kind) {
  switch (kind) {
    case FeatureKind::empty:
      return "empty";
    case FeatureKind::constant:
      return "constant";
    default:
      return "regular";
  }
}

SEXP shared_list(const SharedFeatures& shared) {
  if (!shared.looked_at) return R_NilValue;
  return List::create(Named("predictability") = Rcpp::wrap(shared.predictability.r2),
                      Named("unshared") = of_each<LGLSXP>(
                          shared.is_unshared, [](char flag) { return flag != 0 ? TRUE : FALSE; }));
}

}  // namespace

double number_or_na(const std::optional<double>& number) {
  return number.value_or(NA_REAL);
}

List levels_list(const MethodResult& result) {
  using L = TriedLevel;
  const auto& tried = result.tried;
  return List::create(
      Named("n_kept") = of_each<INTSXP>(tried, [](const L& one) { return one.n_kept; }),
      Named("overlap") = of_each<REALSXP>(tried, [](const L& one) { return one.overlap; }),
      Named("loss_ratio") =
          of_each<REALSXP>(tried, [](const L& one) { return number_or_na(one.loss_ratio); }),
      Named("r2loo_mean") =
          of_each<REALSXP>(tried, [](const L& one) { return number_or_na(one.r2loo_mean); }),
      Named("good") =
          of_each<LGLSXP>(tried, [](const L& one) { return static_cast<int>(one.is_good); }),
      Named("chosen") = of_each<LGLSXP>(
          tried, [&](const L& one) { return static_cast<int>(one.n_steps == result.n_steps); }));
}

List model_list(const Model& model) {
  const Reduction& reduction = model.reduction;
  return List::create(
      Named("names") = texts_of(model.feature_names),
      Named("has_names") = model.name_source == NameSource::file,
      Named("kept") = numbers_of(reduction.kept),
      Named("group") = of_each<INTSXP>(reduction.groups.group_of, number_of),
      Named("representatives") = numbers_of(reduction.representatives),
      Named("weights") = Rcpp::wrap(weights(reduction)), Named("removed") = removed_list(model),
      Named("mean_r2") = reduction.mean_r2, Named("transformation") = choice_name(model.transform),
      Named("missing") = choice_name(model.missing),
      Named("description") = one_text(model.description), Named("batch") = one_text(model.batch),
      Named("file") = one_text(model_to_json(model)));
}

List run_list(const MethodOptions& options, const MethodResult& result) {
  return List::create(
      Named("verdict") = one_text(verdict(options, result)),
      Named("grouping") = choice_name(kind_of(options.grouping)),
      Named("threshold") = number_or_na(result.threshold),
      Named("r2_q10") = result.reduction.quantile_10_r2,
      Named("mean_best_r2") = result.reduction.mean_best_r2,
      Named("n_rescued") = result.reduction.n_rescued,
      Named("certificate") = certificate_list(result.reduction.certificate),
      Named("neighbour_overlap") = result.neighbour_overlap,
      Named("kind") = text_of_each(result.kind, kind_name),
      Named("shared") = shared_list(result.shared), Named("levels") = levels_list(result),
      Named("kept_though_avoided") = numbers_of(result.kept_though_avoided),
      Named("engine") = choice_name(result.engine), Named("seconds") = seconds_of(result.seconds));
}

}  // namespace sfg::r
