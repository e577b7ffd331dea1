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
    case FieldKind::choices:
      for (const auto& [name, help] : field.choices) {
        text += fmt::format("{}`{}`", text.empty() ? "" : ", ", name);
      }
      return field.kind == FieldKind::choice ? text : "list of " + text;
    case FieldKind::text:
      return field.form.empty() ? "text" : fmt::format("text: `{}`", field.form);
    case FieldKind::texts:
      return "list of texts";
    case FieldKind::features:
      return "features";
    case FieldKind::feature_numbers:
      return "one number per feature";
    case FieldKind::feature_positions:
      return "a chromosome and a position per feature";
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
  const auto quoted = [](std::string_view name, std::string_view value) {
    return value.empty() ? fmt::format("`{}`", name) : fmt::format("`{}={}`", name, value);
  };
  std::string text = with_options_spelt(field.help, quoted) + ".";
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

std::vector<OptionList> option_lists() {
  return {
      {"Reading a table (`ReadOptions`)", describe_fields<ReadOptions>()},
      {"Missing values (`MissingOptions`)", describe_fields<MissingOptions>()},
      {"Reducing (`MethodOptions`)", describe_method()},
      {"Several thetas at once (`SweepOptions`)", describe_fields<SweepOptions>()},
      {"Keeping a long run (`JournalOptions`)", describe_fields<JournalOptions>()},
      {"Exporting a graph (`ExportOptions`)", describe_fields<ExportOptions>()},
      {"Selecting (`SelectOptions`)", describe_fields<SelectOptions>()},
      {"Clustering (`ClusterOptions`)", describe_fields<ClusterOptions>()},
      {"Comparing (`CompareOptions`)", describe_fields<CompareOptions>()},
      {"Stability (`StabilityOptions`)", describe_fields<StabilityOptions>()},
      {"The paper's experiment (`ExperimentOptions`)", describe_fields<ExperimentOptions>()},
      {"The page (`ReportOptions`)", describe_fields<ReportOptions>()},
      {"Planted data (`SynthOptions`)", describe_fields<SynthOptions>()},
      {"Genotypes (`GenotypeOptions`)", describe_fields<GenotypeOptions>()},
  };
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
  for (const auto& [heading, fields] : option_lists()) text += options_table(heading, fields);
  text.pop_back();
  return text;
}

}  // namespace sfg::cli
