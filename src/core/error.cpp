#include "sfg/error.hpp"

#include <utility>

#include "sfg/note.hpp"

namespace sfg {

namespace {

std::string sentence(const std::string& fault, const std::string& where, const Hint& hint,
                     const FieldSpelling& spelling) {
  std::string text = where;
  if (!where.empty()) text += ": ";
  text += fault;
  if (!fault.empty() && !hint.advice.empty()) text += "; ";
  return text + with_options_spelt(hint.advice, spelling);
}

/// As in C++: missing=mean.
std::string plain(std::string_view field, std::string_view value) {
  std::string text(field);
  if (!value.empty()) text.append("=").append(value);
  return text;
}

}  // namespace

Error::Error(ErrorCode code, std::string fault, std::string where, Hint hint)
    : std::runtime_error(sentence(fault, where, hint, plain)),
      code_(code),
      fault_(std::move(fault)),
      where_(std::move(where)),
      hint_(std::move(hint)) {}

std::string with_options_spelt(std::string_view text, const FieldSpelling& spelling) {
  std::string spelt;
  while (!text.empty()) {
    const auto open = text.find('{');
    const auto close = text.find('}', open);
    spelt += text.substr(0, close == std::string_view::npos ? close : open);
    if (close == std::string_view::npos) break;
    const auto place = text.substr(open + 1, close - open - 1);
    const auto equals = place.find('=');
    const bool has_value = equals != std::string_view::npos;
    spelt += spelling(place.substr(0, equals),
                      has_value ? place.substr(equals + 1) : std::string_view());
    text.remove_prefix(close + 1);
  }
  return spelt;
}

std::string message(const Error& error, const FieldSpelling& spelling) {
  return sentence(error.fault(), error.where(), error.hint(), spelling);
}

std::string message(const Note& note, const FieldSpelling& spelling) {
  return sentence(note.text, "", note.hint, spelling);
}

int exit_status(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::invalid_option:
      return 2;
    case ErrorCode::cannot_read:
      return 3;
    case ErrorCode::malformed_input:
      return 4;
    case ErrorCode::inconsistent_input:
      return 5;
    case ErrorCode::degenerate_data:
      return 6;
    case ErrorCode::cannot_write:
      return 7;
    case ErrorCode::over_memory:
      return 8;
    case ErrorCode::broken_relations:
      return 9;
    case ErrorCode::interrupted:
      return 130;
    case ErrorCode::internal:
      return 70;
  }
  return 70;
}

}  // namespace sfg
