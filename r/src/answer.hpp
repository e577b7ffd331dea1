#pragma once

#include <Rcpp.h>

#include <string>

#include "sfg/error.hpp"

// How the library's errors reach R: as an answer of the class sfg_failure, of which the R side
// makes a condition. No error jumps over the frames of C++.
namespace sfg::r {

/// An option of the library as in a call: missing = "mean", features_in_rows = TRUE.
[[nodiscard]] std::string spell_argument(std::string_view field, std::string_view value);

/// The error as a list: code and message.
[[nodiscard]] SEXP failure(const Error& error);

/// What the work returns, or its failure.
template <typename Work>
[[nodiscard]] SEXP answer(const Work& work) {
  BEGIN_RCPP
  try {
    return Rcpp::wrap(work());
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted) throw Rcpp::internal::InterruptedException();
    return failure(error);
  }
  END_RCPP
}

}  // namespace sfg::r
