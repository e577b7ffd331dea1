#pragma once

#include <Rcpp.h>

#include "sfg/dataset.hpp"
#include "sfg/normalise.hpp"

// Tables between R and the library.
namespace sfg::r {

/// A table of table_of() in R: `values` (a double matrix, or a dgCMatrix without stored zeros) and
/// `generated` names; `names`, `samples`, `texts`, `target` and `batch` where there are such. Its
/// numbers stay in the memory of R, which is never written to.
[[nodiscard]] Dataset borrow_dataset(const Rcpp::List& table);

/// The numbers as a matrix or dgCMatrix, with names of rows and columns.
[[nodiscard]] SEXP matrix_of(Dataset&& dataset);

/// What was done about missing values: n_cells, filled, with_gaps, dropped, n_dropped_samples.
[[nodiscard]] Rcpp::List report_of(const MissingReport& report);

/// The policy of this name.
[[nodiscard]] Missing missing_from(SEXP name);

}  // namespace sfg::r
