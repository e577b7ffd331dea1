// What judges a table or other ways to reduce it, and how tables are read.
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

List predictability_of_table(SEXP table, SEXP missing, SEXP running) {
  Dataset dataset = borrow_dataset(table);
  const MissingReport report = resolve_missing(dataset, missing_from(missing));
  const Predictability found = compute(running_from(running), [&](const RunContext& run) {
    return predictability(comparable_features(dataset, {}, run), run);
  });
  return List::create(Named("r2") = Rcpp::wrap(found.r2),
                      Named("names") = texts_of(dataset.feature_names),
                      Named("missing") = report_of(report));
}

/// A measure of every row; NA where the row has none.
template <typename Figure>
Rcpp::NumericVector figures(const std::vector<CompareRow>& rows, Figure CompareRow::*figure) {
  return of_each<REALSXP>(rows, [&](const CompareRow& row) -> double {
    if constexpr (std::same_as<Figure, double>)
      return row.reached ? row.*figure : NA_REAL;
    else
      return number_or_na(row.*figure);
  });
}

List rows_of(const std::vector<CompareRow>& rows) {
  using Row = CompareRow;
  return List::create(
      Named("competitor") =
          text_of_each(rows, [](const Row& row) { return choice_name(row.competitor); }),
      Named("share") = of_each<REALSXP>(rows, [](const Row& row) { return row.share; }),
      Named("n_kept") = of_each<INTSXP>(rows, [](const Row& row) { return row.n_kept; }),
      Named("reached") =
          of_each<LGLSXP>(rows, [](const Row& row) { return static_cast<int>(row.reached); }),
      Named("rank") = of_each<INTSXP>(rows, [](const Row& row) { return row.rank; }),
      Named("score") = figures(rows, &Row::score),
      Named("accuracy") = figures(rows, &Row::accuracy),
      Named("accuracy_1nn") = figures(rows, &Row::accuracy_1nn),
      Named("accuracy_5nn") = figures(rows, &Row::accuracy_5nn),
      Named("accuracy_linear") = figures(rows, &Row::accuracy_linear),
      Named("nmi_mean") = figures(rows, &Row::nmi_mean), Named("nmi") = figures(rows, &Row::nmi),
      Named("acc") = figures(rows, &Row::acc),
      Named("nmi_kmeans") = figures(rows, &Row::nmi_kmeans),
      Named("acc_kmeans") = figures(rows, &Row::acc_kmeans),
      Named("neighbour_overlap") = figures(rows, &Row::neighbour_overlap),
      Named("mean_best_r2") = figures(rows, &Row::mean_best_r2),
      Named("r2cv_mean") = figures(rows, &Row::r2cv_mean),
      Named("r2cv_q10") = figures(rows, &Row::r2cv_q10),
      Named("reason") = text_of_each(rows, [](const Row& row) { return row.reason; }));
}

List differences_of(const std::vector<PairedDifference>& rows) {
  using Row = PairedDifference;
  return List::create(
      Named("first") = text_of_each(rows, [](const Row& row) { return choice_name(row.first); }),
      Named("second") = text_of_each(rows, [](const Row& row) { return choice_name(row.second); }),
      Named("measure") = text_of_each(rows, [](const Row& row) { return row.measure; }),
      Named("n_pairs") = of_each<INTSXP>(rows, [](const Row& row) { return row.n_pairs; }),
      Named("mean") = of_each<REALSXP>(rows, [](const Row& row) { return row.mean; }),
      Named("error") = of_each<REALSXP>(rows, [](const Row& row) { return row.error; }),
      Named("n_higher") = of_each<INTSXP>(rows, [](const Row& row) { return row.n_higher; }),
      Named("n_lower") = of_each<INTSXP>(rows, [](const Row& row) { return row.n_lower; }));
}

List compare_on_table(SEXP table, SEXP given, SEXP missing, SEXP running) {
  const auto options = GivenOptions(given).read<CompareOptions>();
  check(options);
  Dataset dataset = borrow_dataset(table);
  const MissingReport report = resolve_missing(dataset, missing_from(missing));
  const CompareResult found = compute(
      running_from(running), [&](const RunContext& run) { return compare(dataset, options, run); });
  return List::create(Named("verdict") = one_text(verdict({found})),
                      Named("rows") = rows_of(found.rows),
                      Named("differences") = differences_of(paired_differences({found})),
                      Named("missing") = report_of(report));
}

List read_table(SEXP path, SEXP given, SEXP running) {
  const std::string file = text_from(path);
  const auto options = GivenOptions(given).read<ReadOptions>();
  Dataset dataset = compute(running_from(running), [&](const RunContext& run) {
    return read_dataset(file, options, run);
  });
  const auto& texts = dataset.texts;
  List columns(static_cast<R_xlen_t>(texts.size()));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    columns[static_cast<R_xlen_t>(i)] = texts_of(texts[i].values);
  }
  columns.names() = text_of_each(texts, [](const TextColumn& one) { return one.name; });
  Rcpp::RObject labels;
  if (dataset.labels) labels = texts_of(dataset.labels->values);
  const auto notes =
      text_of_each(dataset.notes, [](const Note& note) { return message(note, spell_argument); });
  const bool has_names = dataset.name_source == NameSource::file;
  return List::create(Named("data") = matrix_of(std::move(dataset)), Named("has_names") = has_names,
                      Named("labels") = labels, Named("texts") = columns, Named("notes") = notes);
}

}  // namespace

}  // namespace sfg::r

SEXP C_predictability(SEXP table, SEXP missing, SEXP running) {
  return sfg::r::answer([&] { return sfg::r::predictability_of_table(table, missing, running); });
}

SEXP C_compare(SEXP table, SEXP options, SEXP missing, SEXP running) {
  return sfg::r::answer([&] { return sfg::r::compare_on_table(table, options, missing, running); });
}

SEXP C_read_table(SEXP path, SEXP options, SEXP running) {
  return sfg::r::answer([&] { return sfg::r::read_table(path, options, running); });
}
