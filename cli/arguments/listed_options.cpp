#include "listed_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "explain_exception.hpp"
#include "sfg/error.hpp"

namespace sfg::cli {

namespace {

/// A spelling of an earlier version. It works until the next one.
struct OldSpelling {
  std::string_view field;  ///< that it belongs to now
  std::string_view name;
  bool is_switch = false;
  /// Field and value that it stands for; null: that field, its own value.
  std::pair<std::string, std::string> (*meaning)(const std::string& value) = nullptr;
};

using Meaning = std::pair<std::string, std::string>;

const std::vector<OldSpelling>& old_spellings() {
  static const std::vector<OldSpelling> kAll{
      {"n_permutations", "--permutations"},
      {"n_neighbors", "--neighbours"},
      {"n_responses", "--responses"},
      {"n_init", "--replicates"},
      {"n_random", "--random"},
      {"variable", "--var"},
      {"scale", "--weighting", false,
       [](const std::string& value) {
         return Meaning{"scale", value == "none" ? "unit" : value};
       }},
      {"edges", "--graph", false,
       [](const std::string& value) {
         return value == "knn" ? Meaning{"edges", value} : Meaning{"pursuit", value};
       }},
      {"min_overlap", "--level", false,
       [](const std::string& value) {
         constexpr const char* kUsualOverlap = "0.85";
         return Meaning{"min_overlap", value == "knn" ? kUsualOverlap : value};
       }},
      {"keep_empty", "--drop-empty", true,
       [](const std::string&) {
         return Meaning{"keep_empty", "false"};
       }},
  };
  return kAll;
}

/// Shorter names that stay: scripts and papers have them.
std::string also_called(std::string_view field) {
  if (field == "sample_ids") return ",--ids";
  if (field == "n_seeds") return ",--seeds";
  if (field == "n_clusters") return ",-k,--clusters";
  if (field == "groupings") return ",--grouping";
  if (field == "transformation") return ",--transform";
  return "";
}

/// "the paper's groups: lcs" was their name.
std::string current_value(const std::string& field, std::string value) {
  const bool is_grouping = field == "grouping" || field == "groupings";
  for (std::size_t at = value.find("lcs"); is_grouping && at != std::string::npos;
       at = value.find("lcs", at)) {
    value.replace(at, std::string_view("lcs").size(), "components");
  }
  return value;
}

std::string value_text(const FieldDescription& field) {
  switch (field.kind) {
    case FieldKind::choice: {
      std::string text;
      for (const auto& [name, help] : field.choices) text += (text.empty() ? "" : "|") + name;
      return text;
    }
    case FieldKind::features:
    case FieldKind::feature_numbers:
    case FieldKind::feature_positions:
      return "FILE";
    case FieldKind::integers:
    case FieldKind::numbers:
    case FieldKind::choices:
    case FieldKind::texts:
      return "LIST";
    case FieldKind::text:
      return field.form.empty() ? "NAME" : field.form;
    default:
      if (!field.form.empty()) return field.form;
      return field.zero.empty() ? "NUMBER" : fmt::format("NUMBER|{}", field.zero);
  }
}

/// A switch that is off unless it is given: nobody needs to turn it off.
bool is_off(const FieldDescription& field) {
  return field.usual == "false" &&
         std::ranges::all_of(field.usual_of, [](const auto& one) { return one.second == "false"; });
}

/// Help with the default: "(default: medoid; in-degree for components)".
std::string help_text(const FieldDescription& field) {
  std::string text = with_options_spelt(field.help, spell_option);
  if (field.kind == FieldKind::features) return text + ": their names, one per line";
  if (field.kind == FieldKind::feature_numbers) return text + ": name, tab, number, one per line";
  if (field.kind == FieldKind::choices) {
    std::string names;
    for (const auto& [name, help] : field.choices) names += (names.empty() ? "" : ", ") + name;
    text += ": " + names;
  }
  std::string usual = field.usual;
  if (field.kind == FieldKind::flag && !usual.empty()) usual = usual == "true" ? "yes" : "no";
  for (const auto& [owner, value] : field.usual_of) {
    if (value == field.usual) continue;
    const bool is_flag = field.kind == FieldKind::flag;
    usual += fmt::format("; {} for {}", is_flag ? (value == "true" ? "yes" : "no") : value, owner);
  }
  if (usual.empty() || (field.kind == FieldKind::flag && is_off(field))) return text;
  return fmt::format("{} (default: {})", text, usual);
}

}  // namespace

void ListedOptions::add(CLI::App& command, const FieldDescription& field, const std::string& group,
                        const std::string& short_name) {
  std::string names = spell_option(field.name);
  if (!short_name.empty()) names = short_name + "," + names;
  names += also_called(field.name);
  CLI::Option* option = nullptr;
  if (field.kind == FieldKind::flag) {
    if (!is_off(field)) names += ",!--no-" + names.substr(2);
    option = command.add_flag(names);
  } else {
    option = command.add_option(names)->option_text(value_text(field))->allow_extra_args(false);
    option->type_size(1)->expected(1);
  }
  option->description(help_text(field))->group(group);
  arguments_.push_back({field.name, option});
  add_old_spellings(command, field.name);
}

void ListedOptions::add_old_spellings(CLI::App& command, const std::string& field) {
  for (const OldSpelling& old : old_spellings()) {
    if (old.field != field) continue;
    CLI::Option* option = old.is_switch ? command.add_flag(std::string(old.name))
                                        : command.add_option(std::string(old.name))->expected(1);
    option->group("");  // not in the help
    arguments_.push_back({field, option, old.meaning});
  }
}

ListedOptions::Given ListedOptions::given_by(const Argument& argument) {
  const std::string value = argument.option->results().back();
  const Meaning meaning =
      argument.meaning ? argument.meaning(value) : Meaning{argument.field, value};
  return {meaning.first, value, current_value(meaning.first, meaning.second)};
}

GivenTexts ListedOptions::given() const {
  GivenTexts texts;
  for (const Argument& argument : arguments_) {
    if (argument.option->count() == 0) continue;
    const Given one = given_by(argument);
    if (is_old(argument)) {
      texts.try_emplace(one.field, one.now);
    } else {
      texts[one.field] = one.now;
    }
  }
  return texts;
}

bool ListedOptions::has(std::string_view field) const {
  return given().contains(field);
}

void ListedOptions::note_old_spellings(Console& console) const {
  for (const Argument& argument : arguments_) {
    if (argument.option->count() == 0) continue;
    const Given one = given_by(argument);
    if (!is_old(argument) && one.now == one.value) continue;
    const bool is_switch = one.now == "false" || one.now == "true";
    const std::string advice = is_switch ? fmt::format("--no-{}", spell_option(one.field).substr(2))
                                         : fmt::format("{} {}", spell_option(one.field), one.now);
    console.note(fmt::format("{} is an old spelling that the next version will not know: write {}",
                             is_old(argument)
                                 ? "--" + argument.option->get_lnames().front()
                                 : fmt::format("{} {}", argument.option->get_name(), one.value),
                             advice));
  }
}

}  // namespace sfg::cli
