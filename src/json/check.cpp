#include "sfg/check.hpp"
#include "sfg/json.hpp"

namespace sfg {

using nlohmann::ordered_json;

ordered_json check_json(const TableCheck& check) {
  ordered_json columns = ordered_json::array();
  for (const CheckedColumn& column : check.columns) {
    columns.push_back(
        {{"name", column.name},
         {"kind", choice_name(column.kind)},
         {"missing", column.n_missing},
         {"id", column.is_id},
         {"heavy_tails", column.taming != Taming::none},
         {"advice", choice_name(column.taming)},
         {"copy_of",
          column.copy_of < 0 ? ordered_json() : ordered_json(check.columns[column.copy_of].name)}});
  }
  ordered_json codes = ordered_json::array();
  for (const MissingCode& code : check.codes) {
    codes.push_back(
        {{"value", code.value}, {"n_features", code.n_features}, {"n_cells", code.n_cells}});
  }
  std::vector<std::string> names;
  for (const CheckedColumn& column : check.columns) names.push_back(column.name);
  ordered_json equations = ordered_json::array();
  for (const Equation& equation : check.equations) {
    equations.push_back(
        {{"feature", names[equation.feature]}, {"text", exact_text(equation.combination, names)}});
  }
  ordered_json advice = ordered_json::object();
  for (const auto& [option, value] : check.advice) advice[option] = value;
  ordered_json transforms = ordered_json::array();
  for (const Transform one : check.transforms) transforms.push_back(choice_name(one));
  return {{"n_samples", check.n_samples},
          {"n_features", check.n_features},
          {"columns", columns},
          {"missing_codes", codes},
          {"equations", equations},
          {"equation_samples", check.n_equation_samples},
          {"features_in_rows", check.is_turned},
          {"transformations", std::move(transforms)},
          {"options", advice}};
}

}  // namespace sfg
