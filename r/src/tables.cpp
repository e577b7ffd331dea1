#include "tables.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "sfg/error.hpp"
#include "texts.hpp"

namespace sfg::r {

namespace {

DenseMatrix borrow_dense(SEXP values) {
  const Rcpp::IntegerVector size(Rf_getAttrib(values, R_DimSymbol));
  return {size[0], size[1],
          Buffer<double>::borrow({REAL(values), static_cast<std::size_t>(Rf_xlength(values))})};
}

/// R's own validity of the class promises what SparseMatrix does; validObject() is called before.
SparseMatrix borrow_sparse(SEXP values) {
  const Rcpp::S4 given(values);
  const Rcpp::IntegerVector size = given.slot("Dim");
  const Rcpp::IntegerVector starts = given.slot("p");
  const SEXP rows = given.slot("i");
  const SEXP numbers = given.slot("x");
  SparseMatrix matrix;
  matrix.n_samples = size[0];
  matrix.n_features = size[1];
  matrix.starts.assign(starts.begin(), starts.end());
  const auto n_stored = static_cast<std::size_t>(Rf_xlength(numbers));
  matrix.rows = Buffer<Index>::borrow({INTEGER(rows), n_stored});
  matrix.values = Buffer<double>::borrow({REAL(numbers), n_stored});
  return matrix;
}

/// NULL where the table has none.
SEXP part_of(const Rcpp::List& table, const char* name) {
  if (!table.containsElementNamed(name)) return R_NilValue;
  return table[name];
}

std::optional<Labels> labels_from(const char* name, SEXP values) {
  if (Rf_isNull(values)) return {};
  return Labels{name, texts_from(values)};
}

SEXP dense_of(const DenseMatrix& matrix) {
  Rcpp::NumericMatrix values(matrix.n_samples(), matrix.n_features());
  std::copy_n(matrix.data(), values.size(), values.begin());
  return values;
}

SEXP sparse_of(const SparseMatrix& matrix) {
  if (matrix.n_stored() > std::numeric_limits<int>::max()) {
    throw Error(ErrorCode::over_memory,
                "the sparse matrix has more numbers than R's class for it holds");
  }
  Rcpp::S4 result("dgCMatrix");
  result.slot("Dim") = Rcpp::IntegerVector::create(matrix.n_samples, matrix.n_features);
  result.slot("p") =
      of_each<INTSXP>(matrix.starts, [](Offset start) { return static_cast<int>(start); });
  result.slot("i") = Rcpp::IntegerVector(matrix.rows.begin(), matrix.rows.end());
  result.slot("x") = Rcpp::NumericVector(matrix.values.begin(), matrix.values.end());
  return result;
}

}  // namespace

Dataset borrow_dataset(const Rcpp::List& table) {
  Dataset dataset;
  const SEXP values = table["values"];
  if (Rf_isS4(values)) {
    dataset.matrix = borrow_sparse(values);
  } else {
    dataset.matrix = borrow_dense(values);
  }
  dataset.source = "x";
  const bool has_names = !Rf_isNull(part_of(table, "names"));
  dataset.name_source = has_names ? NameSource::file : NameSource::generated;
  dataset.feature_names = texts_from(table[has_names ? "names" : "generated"]);
  const SEXP samples = part_of(table, "samples");
  if (!Rf_isNull(samples)) dataset.sample_names = texts_from(samples);
  dataset.labels = labels_from("target", part_of(table, "target"));
  dataset.batch = labels_from("batch", part_of(table, "batch"));
  const Rcpp::List texts(part_of(table, "texts"));
  if (texts.size() == 0) return dataset;
  const auto names = texts_from(texts.names());
  for (std::size_t i = 0; i < names.size(); ++i) {
    dataset.texts.push_back(
        {names[i], TextKind::text, texts_from(texts[static_cast<R_xlen_t>(i)])});
  }
  return dataset;
}

SEXP matrix_of(Dataset&& dataset) {
  const auto* dense = std::get_if<DenseMatrix>(&dataset.matrix);
  const Rcpp::RObject result(dense != nullptr ? dense_of(*dense)
                                              : sparse_of(std::get<SparseMatrix>(dataset.matrix)));
  Rcpp::List names(2);
  if (!dataset.sample_names.empty()) names[0] = texts_of(dataset.sample_names);
  names[1] = texts_of(dataset.feature_names);
  if (dense != nullptr) {
    Rf_setAttrib(result, R_DimNamesSymbol, names);
  } else {
    Rcpp::S4(static_cast<SEXP>(result)).slot("Dimnames") = names;
  }
  return result;
}

Rcpp::List report_of(const MissingReport& report) {
  return Rcpp::List::create(Rcpp::Named("n_cells") = static_cast<double>(report.n_cells),
                            Rcpp::Named("filled") = texts_of(report.filled_features),
                            Rcpp::Named("with_gaps") = texts_of(report.features_with_gaps),
                            Rcpp::Named("dropped") = texts_of(report.dropped),
                            Rcpp::Named("n_dropped_samples") = report.n_dropped_samples);
}

Missing missing_from(SEXP name) {
  return choice_from_name<Missing>(text_from(name), "missing");
}

}  // namespace sfg::r
