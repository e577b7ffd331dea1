#pragma once

#include <Rcpp.h>

#include <string>
#include <vector>

#include "sfg/matrix.hpp"

// Texts and numbers of features between R and the library. Texts are UTF-8 on both sides; features
// count from 1 in R and from 0 in the library.
namespace sfg::r {

[[nodiscard]] Rcpp::CharacterVector one_text(const std::string& text);
[[nodiscard]] Rcpp::CharacterVector texts_of(const std::vector<std::string>& texts);
/// NA is "NA", which the library takes for a missing label.
[[nodiscard]] std::vector<std::string> texts_from(SEXP texts);
[[nodiscard]] std::string text_from(SEXP text);

/// Features as R counts them; NA for -1.
[[nodiscard]] inline int number_of(Index feature) {
  return feature < 0 ? NA_INTEGER : feature + 1;
}
[[nodiscard]] Rcpp::IntegerVector numbers_of(const std::vector<Index>& features);

/// One value of each item.
template <int kType, typename Items, typename Part>
[[nodiscard]] Rcpp::Vector<kType> of_each(const Items& items, const Part& part) {
  Rcpp::Vector<kType> values(static_cast<R_xlen_t>(items.size()));
  R_xlen_t place = 0;
  for (const auto& item : items) values[place++] = part(item);
  return values;
}

/// One text of each item.
template <typename Items, typename Part>
[[nodiscard]] Rcpp::CharacterVector text_of_each(const Items& items, const Part& part) {
  std::vector<std::string> texts;
  texts.reserve(items.size());
  for (const auto& item : items) texts.push_back(part(item));
  return texts_of(texts);
}

}  // namespace sfg::r
