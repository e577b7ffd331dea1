#include "option_dict.hpp"

#include "errors.hpp"
#include "sfg/sfg.hpp"

namespace sfg::python {

namespace {

const char* type_name(FieldKind kind) {
  switch (kind) {
    case FieldKind::flag:
      return "bool";
    case FieldKind::integer:
      return "int";
    case FieldKind::number:
      return "float";
    case FieldKind::integers:
      return "sequence of int";
    case FieldKind::numbers:
      return "sequence of float";
    case FieldKind::choices:
    case FieldKind::texts:
      return "sequence of str";
    case FieldKind::features:
      return "list of features";
    case FieldKind::feature_numbers:
      return "dict or array";
    case FieldKind::feature_positions:
      return "dict, array or path";
    case FieldKind::choice:
    case FieldKind::text:
      break;
  }
  return "str";
}

template <typename Item>
py::tuple items_as(const std::string& text) {
  py::list items;
  for (const std::string& item : detail::items_of(text)) items.append(Item(py::str(item)));
  return py::tuple(items);
}

/// A default as Python has it.
py::object value_of(const FieldDescription& field, const std::string& text) {
  if (text.empty() || field.kind == FieldKind::features) return py::none();
  switch (field.kind) {
    case FieldKind::flag:
      return py::bool_(text == "true");
    case FieldKind::integer:
      return py::int_(py::str(text));
    case FieldKind::number:
      return py::float_(py::str(text));
    case FieldKind::integers:
      return items_as<py::int_>(text);
    case FieldKind::numbers:
      return items_as<py::float_>(text);
    case FieldKind::choices:
      return items_as<py::str>(text);
    default:
      return py::str(text);
  }
}

/// Where groupings have different defaults, None stands for the chosen one's.
bool has_one_default(const FieldDescription& field) {
  for (const auto& [grouping, usual] : field.usual_of) {
    if (usual != field.usual) return false;
  }
  return true;
}

py::list list_of(const std::vector<FieldDescription>& fields) {
  py::list list;
  for (const FieldDescription& field : fields) {
    py::dict entry;
    entry["name"] = field.name;
    entry["help"] = with_options_spelt(field.help, spell_parameter);
    entry["type"] = type_name(field.kind);
    entry["choices"] = py::cast(field.choices);
    entry["limits"] = limits_text(field.limits);
    entry["zero"] = field.zero;
    entry["form"] = field.form;
    entry["default"] = has_one_default(field) ? value_of(field, field.usual) : py::none();
    py::dict groupings;
    for (const auto& [grouping, usual] : field.usual_of) {
      groupings[py::str(grouping)] = value_of(field, usual);
    }
    entry["groupings"] = groupings;
    list.append(entry);
  }
  return list;
}

}  // namespace

void OptionDict::require_zero(const FieldText& field, const std::string& text) {
  if (text == field.zero) return;
  throw Error(ErrorCode::invalid_option, "", "",
              {std::string(field.name),
               fmt::format("{{{}}} must be a number or '{}', not a text", field.name, field.zero)});
}

std::vector<std::string> OptionDict::unused() const {
  std::vector<std::string> names;
  for (const auto& [key, value] : options_) {
    auto name = key.cast<std::string>();
    if (!value.is_none() && !used_.contains(name)) names.push_back(std::move(name));
  }
  return names;
}

MethodOptions method_options(const py::dict& options) {
  const py::dict rest(options.attr("copy")());
  const auto kind =
      choice_from_name<GroupingKind>(rest.attr("pop")("grouping").cast<std::string>(), "grouping");
  OptionDict given(rest);
  const MethodOptions read = given.read(MethodOptions{usual_grouping(kind), {}, {}});
  const auto foreign = given.unused();
  if (!foreign.empty()) refuse_foreign_option(foreign.front(), kind);
  check(read);
  return read;
}

py::list fields_of(const std::string& stage) {
  if (stage == "method") return list_of(describe_method());
  if (stage == "select") return list_of(describe_fields<SelectOptions>());
  if (stage == "sweep") return list_of(describe_fields<SweepOptions>());
  if (stage == "cluster") return list_of(describe_fields<ClusterOptions>());
  if (stage == "compare") return list_of(describe_fields<CompareOptions>());
  if (stage == "stability") return list_of(describe_fields<StabilityOptions>());
  if (stage == "report") return list_of(describe_fields<ReportOptions>());
  if (stage == "read") return list_of(describe_fields<ReadOptions>());
  throw py::value_error("no options are known of " + stage);
}

}  // namespace sfg::python
