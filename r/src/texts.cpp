#include "texts.hpp"

namespace sfg::r {

namespace {

SEXP utf8(const std::string& text) {
  return Rf_mkCharLenCE(text.data(), static_cast<int>(text.size()), CE_UTF8);
}

}  // namespace

Rcpp::CharacterVector one_text(const std::string& text) {
  return texts_of({text});
}

Rcpp::CharacterVector texts_of(const std::vector<std::string>& texts) {
  Rcpp::CharacterVector result(static_cast<R_xlen_t>(texts.size()));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    SET_STRING_ELT(result, static_cast<R_xlen_t>(i), utf8(texts[i]));
  }
  return result;
}

std::vector<std::string> texts_from(SEXP texts) {
  const Rcpp::CharacterVector given(texts);
  std::vector<std::string> result;
  result.reserve(static_cast<std::size_t>(given.size()));
  for (R_xlen_t i = 0; i < given.size(); ++i) {
    result.emplace_back(Rf_translateCharUTF8(STRING_ELT(given, i)));
  }
  return result;
}

std::string text_from(SEXP text) {
  return texts_from(text).at(0);
}

Rcpp::IntegerVector numbers_of(const std::vector<Index>& features) {
  return of_each<INTSXP>(features, number_of);
}

}  // namespace sfg::r
