// What the library lists of the options of each stage.
#include "answer.hpp"
#include "calls.hpp"
#include "sfg/sfg.hpp"
#include "texts.hpp"

namespace sfg::r {

namespace {

using Rcpp::List;
using Rcpp::Named;

const char* type_name(FieldKind kind) {
  switch (kind) {
    case FieldKind::flag:
      return "TRUE or FALSE";
    case FieldKind::integer:
      return "whole number";
    case FieldKind::number:
      return "number";
    case FieldKind::integers:
      return "whole numbers";
    case FieldKind::numbers:
      return "numbers";
    case FieldKind::choices:
    case FieldKind::texts:
      return "texts";
    case FieldKind::features:
      return "features";
    case FieldKind::feature_numbers:
      return "numbers by feature";
    case FieldKind::feature_positions:
      return "positions by feature, or a file";
    case FieldKind::choice:
    case FieldKind::text:
      break;
  }
  return "text";
}

std::vector<FieldDescription> fields_of(const std::string& stage) {
  if (stage == "method") return describe_method();
  if (stage == "missing") return describe_fields<MissingOptions>();
  if (stage == "sweep") return describe_fields<SweepOptions>();
  if (stage == "compare") return describe_fields<CompareOptions>();
  if (stage == "stability") return describe_fields<StabilityOptions>();
  if (stage == "read") return describe_fields<ReadOptions>();
  throw Error(ErrorCode::invalid_option, "there is no stage '" + stage + "'", "",
              {"", "one of method, missing, sweep, compare, stability, read"});
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// What stands on the right, named by what stands on the left.
Rcpp::CharacterVector named_texts(const Pairs& pairs) {
  Rcpp::CharacterVector texts = text_of_each(pairs, [](const auto& one) { return one.second; });
  texts.names() = text_of_each(pairs, [](const auto& one) { return one.first; });
  return texts;
}

List field_list(const FieldDescription& field) {
  return List::create(Named("name") = field.name,
                      Named("help") = one_text(with_options_spelt(field.help, spell_argument)),
                      Named("type") = type_name(field.kind),
                      Named("choices") = named_texts(field.choices),
                      Named("limits") = limits_text(field.limits), Named("zero") = field.zero,
                      Named("form") = field.form, Named("default") = field.usual,
                      Named("groupings") = named_texts(field.usual_of));
}

List fields(SEXP stage) {
  const auto described = fields_of(text_from(stage));
  List list(static_cast<R_xlen_t>(described.size()));
  for (std::size_t i = 0; i < described.size(); ++i) {
    list[static_cast<R_xlen_t>(i)] = field_list(described[i]);
  }
  return list;
}

}  // namespace

}  // namespace sfg::r

SEXP C_fields(SEXP stage) {
  return sfg::r::answer([&] { return sfg::r::fields(stage); });
}

SEXP C_version() {
  return sfg::r::answer([] {
    return Rcpp::List::create(Rcpp::Named("version") = sfg::version(),
                              Rcpp::Named("built_with") = sfg::r::texts_of(sfg::built_with()));
  });
}
