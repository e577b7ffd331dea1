// The method on a table: reduce, sweep, stability.
#include <utility>

#include "answer.hpp"
#include "background.hpp"
#include "calls.hpp"
#include "given_options.hpp"
#include "results.hpp"
#include "sfg/sfg.hpp"
#include "tables.hpp"
#include "texts.hpp"

namespace sfg::r {

namespace {

using Rcpp::List;
using Rcpp::Named;

/// A table with its gaps treated, and the method with what it says of features.
struct Job {
  Job(SEXP table, const GivenOptions& given, SEXP policy)
      : options(given.method()),
        missing(missing_from(policy)),
        dataset(borrow_dataset(table)),
        report(resolve_missing(dataset, missing)) {
    given.read_features(options, dataset.feature_names);
  }

  MethodOptions options;
  Missing missing;
  Dataset dataset;
  MissingReport report;
};

/// As `sfg reduce` does, the model fills gaps of new data in if some were filled in here, or if the
/// user has asked for it.
List reduce_table(SEXP table, SEXP given, SEXP missing, SEXP is_asked, SEXP running) {
  const Job job(table, GivenOptions(given), missing);
  const bool fills = Rcpp::as<bool>(is_asked) || !job.report.filled_features.empty();
  const Missing later = fills ? job.missing : Missing::refuse;
  const auto [result, model] = compute(running_from(running), [&](const RunContext& run) {
    MethodResult found = reduce(job.dataset, job.options, run);
    Model made = make_model(job.dataset, job.options, found, later, run);
    return std::pair{std::move(found), std::move(made)};
  });
  return List::create(Named("model") = model_list(model),
                      Named("run") = run_list(job.options, result),
                      Named("missing") = report_of(job.report));
}

List theta_levels(const std::vector<SweepLevel>& levels) {
  using L = SweepLevel;
  return List::create(
      Named("theta") = of_each<REALSXP>(levels, [](const L& one) { return one.theta; }),
      Named("threshold") = of_each<REALSXP>(levels, [](const L& one) { return one.threshold; }),
      Named("n_kept") = of_each<INTSXP>(levels, [](const L& one) { return one.n_kept; }),
      Named("largest_group") =
          of_each<INTSXP>(levels, [](const L& one) { return one.largest_group; }),
      Named("mean_r2") =
          of_each<REALSXP>(levels, [](const L& one) { return number_or_na(one.mean_r2); }));
}

List sweep_table(SEXP table, SEXP given, SEXP missing, SEXP thetas, SEXP running) {
  const Job job(table, GivenOptions(given), missing);
  const Running how = running_from(running);
  if (kind_of(job.options.grouping) != GroupingKind::components) {
    return levels_list(compute(
        how, [&](const RunContext& run) { return sweep_levels(job.dataset, job.options, run); }));
  }
  SweepOptions cuts;
  if (!Rf_isNull(thetas)) cuts.thetas = Rcpp::as<std::vector<double>>(thetas);
  check_fields(cuts);
  return theta_levels(compute(how, [&](const RunContext& run) {
    const MethodResult made = make_graph(job.dataset, job.options, run);
    return sweep(made.graph, cuts.thetas, &job.dataset, job.options, run);
  }));
}

List agreement_list(const SetAgreement& found) {
  return List::create(
      Named("jaccard") = found.jaccard, Named("jaccard_apart") = number_or_na(found.jaccard_apart),
      Named("index") = number_or_na(found.index), Named("low") = number_or_na(found.low),
      Named("high") = number_or_na(found.high));
}

List stability_features(const std::vector<FeatureStability>& features,
                        const std::vector<std::string>& names) {
  using F = FeatureStability;
  const auto name = [&](Index feature) { return feature < 0 ? std::string() : names[feature]; };
  return List::create(
      Named("feature") = text_of_each(features, [&](const F& one) { return name(one.feature); }),
      Named("kept") =
          of_each<LGLSXP>(features, [](const F& one) { return static_cast<int>(one.is_kept); }),
      Named("stable") =
          of_each<LGLSXP>(features, [](const F& one) { return static_cast<int>(one.is_stable); }),
      Named("kept_share") = of_each<REALSXP>(features, [](const F& one) { return one.kept_share; }),
      Named("family_share") =
          of_each<REALSXP>(features, [](const F& one) { return one.family_share; }),
      Named("family_chance") =
          of_each<REALSXP>(features, [](const F& one) { return one.family_chance; }),
      Named("representative") =
          text_of_each(features, [&](const F& one) { return name(one.representative); }),
      Named("group_size") = of_each<INTSXP>(features, [](const F& one) { return one.group_size; }),
      Named("group_stability") = of_each<REALSXP>(features, [](const F& one) {
        return one.representative >= 0 ? one.group_stability : NA_REAL;
      }));
}

List stability_of_table(SEXP table, SEXP given, SEXP repeats, SEXP missing, SEXP running) {
  const Job job(table, GivenOptions(given), missing);
  const auto options = GivenOptions(repeats).read<StabilityOptions>();
  check(options, job.options);
  const StabilityResult found = compute(running_from(running), [&](const RunContext& run) {
    return stability(job.dataset, options, job.options, run);
  });
  return List::create(
      Named("verdict") = one_text(verdict(options, found)), Named("n_seen") = found.n_seen,
      Named("n_kept") = Rcpp::wrap(found.n_kept), Named("agreement") = agreement_list(found.kept),
      Named("family_agreement") = agreement_list(found.families),
      Named("features") = stability_features(found.features, job.dataset.feature_names),
      Named("notes") = text_of_each(
          found.notes, [](const Note& note) { return message(note, spell_argument); }));
}

}  // namespace

}  // namespace sfg::r

SEXP C_reduce(SEXP table, SEXP options, SEXP missing, SEXP is_asked, SEXP running) {
  return sfg::r::answer(
      [&] { return sfg::r::reduce_table(table, options, missing, is_asked, running); });
}

SEXP C_sweep(SEXP table, SEXP options, SEXP missing, SEXP thetas, SEXP running) {
  return sfg::r::answer(
      [&] { return sfg::r::sweep_table(table, options, missing, thetas, running); });
}

SEXP C_stability(SEXP table, SEXP options, SEXP repeats, SEXP missing, SEXP running) {
  return sfg::r::answer(
      [&] { return sfg::r::stability_of_table(table, options, repeats, missing, running); });
}
