#include "answer.hpp"

#include <fmt/format.h>

#include "texts.hpp"

namespace sfg::r {

namespace {

/// The middle of a condition's class: sfg_invalid_option_error.
const char* code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_option:
      return "invalid_option";
    case ErrorCode::malformed_input:
      return "malformed_input";
    case ErrorCode::inconsistent_input:
    case ErrorCode::broken_relations:
      return "inconsistent_input";
    case ErrorCode::degenerate_data:
      return "degenerate_data";
    case ErrorCode::cannot_read:
    case ErrorCode::cannot_write:
      return "file";
    case ErrorCode::over_memory:
      return "memory_limit";
    case ErrorCode::interrupted:
    case ErrorCode::internal:
      break;
  }
  return "internal";
}

}  // namespace

std::string spell_argument(std::string_view field, std::string_view value) {
  if (value.empty()) return std::string(field);
  if (value == "true") return fmt::format("{} = TRUE", field);
  if (value == "false") return fmt::format("{} = FALSE", field);
  const bool is_number = value.find_first_not_of("0123456789.") == std::string_view::npos;
  return is_number ? fmt::format("{} = {}", field, value)
                   : fmt::format("{} = \"{}\"", field, value);
}

SEXP failure(const Error& error) {
  Rcpp::List result =
      Rcpp::List::create(Rcpp::Named("code") = code_name(error.code()),
                         Rcpp::Named("message") = one_text(message(error, spell_argument)));
  result.attr("class") = "sfg_failure";
  return result;
}

}  // namespace sfg::r
