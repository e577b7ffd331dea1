// docs/OPTIONS.md, from the lists of options.
#include "option_docs.hpp"

#include <fmt/format.h>

#include "sfg/sfg.hpp"

namespace sfg::cli {

namespace {

/// A cell of a Markdown table.
std::string cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) {
    text.insert(at, 1, '\\');
  }
  return text;
}

std::string values_text(const FieldDescription& field) {
  std::string text;
  switch (field.kind) {
    case FieldKind::flag:
      return "yes or no";
    case FieldKind::choice:
      for (const auto& [name, help] : field.choices) {
        text += fmt::format("{}`{}`", text.empty() ? "" : ", ", name);
      }
      return text;
    case FieldKind::text:
      return "text";
    case FieldKind::features:
      return "features";
    case FieldKind::integer:
    case FieldKind::integers:
      text = "whole number";
      break;
    case FieldKind::number:
    case FieldKind::numbers:
      text = "number";
      break;
  }
  if (field.kind == FieldKind::integers || field.kind == FieldKind::numbers) text += "s";
  const std::string limits = limits_text(field.limits);
  if (!limits.empty()) text += " " + limits;
  return field.zero.empty() ? text : fmt::format("{}, or `{}`", text, field.zero);
}

std::string default_text(const FieldDescription& field) {
  const auto shown = [&](const std::string& value) {
    if (value.empty()) return std::string("-");
    if (field.kind == FieldKind::flag) return std::string(value == "true" ? "yes" : "no");
    return value;
  };
  std::string text = shown(field.usual);
  for (const auto& [owner, value] : field.usual_of) {
    if (value != field.usual) text += fmt::format("; {}: {}", owner, shown(value));
  }
  return text;
}

std::string meaning_text(const FieldDescription& field) {
  std::string text = field.help + ".";
  for (const auto& [name, help] : field.choices) {
    if (!help.empty()) text += fmt::format(" `{}`: {}.", name, help);
  }
  constexpr std::size_t kGroupings = kChoices<GroupingKind>.size();
  if (!field.usual_of.empty() && field.usual_of.size() < kGroupings) {
    std::string owners;
    for (const auto& [owner, value] : field.usual_of)
      owners += (owners.empty() ? "" : ", ") + owner;
    text += fmt::format(" For: {}.", owners);
  }
  return text;
}

}  // namespace

std::string options_table(const std::string& heading, const std::vector<FieldDescription>& fields) {
  std::string text = fmt::format(
      "## {}\n\n| option | values | default | what it does |\n|---|---|---|---|\n", heading);
  for (const FieldDescription& field : fields) {
    text += fmt::format("| `{}` | {} | {} | {} |\n", field.name, cell(values_text(field)),
                        cell(default_text(field)), cell(meaning_text(field)));
  }
  return text + "\n";
}

std::string options_document() {
  std::string text =
      "# Options\n\n"
      "Made from the library's own lists by `make options-doc`: do not edit it by hand.\n\n"
      "A name is the same everywhere. C++ has it as a field, Python as a parameter "
      "(`max_atoms=5`),\n"
      "the command line with dashes (`--max-atoms 5`; `--center` and `--no-center` for yes and "
      "no;\n"
      "lists of features as a file with one name per line). Python calls the options of a run as\n"
      "scikit-learn does: `n_jobs`, `memory_limit`, `random_state`; the command line has "
      "`--threads`,\n"
      "`--memory`, `--seed`.\n\n";
  text += options_table("Reading a table (`ReadOptions`)", describe_fields<ReadOptions>());
  text += options_table("Missing values (`MissingOptions`)", describe_fields<MissingOptions>());
  text += options_table("Reducing (`MethodOptions`)", describe_method());
  text += options_table("Selecting (`SelectOptions`)", describe_fields<SelectOptions>());
  text += options_table("Clustering (`SpectralOptions`)", describe_fields<SpectralOptions>());
  text += options_table("Comparing (`CompareOptions`)", describe_fields<CompareOptions>());
  text += options_table("Planted data (`SynthOptions`)", describe_fields<SynthOptions>());
  text.pop_back();
  return text;
}

}  // namespace sfg::cli
