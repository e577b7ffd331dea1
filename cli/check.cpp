#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>

#include "command_run.hpp"
#include "commands.hpp"
#include "explain_exception.hpp"
#include "sfg/json.hpp"

namespace sfg::cli {

namespace {

constexpr const char* kCheckDescription =
    "Is this table what I think it is? One screen, before anything is computed.\n\n"
    "Examples:\n"
    "  sfg check data.csv\n"
    "  sfg check data.csv --na-values -200     with an option that it has suggested\n"
    "  sfg check data.csv --json               every column\n\n"
    "Tells how the file is read, what its columns are (numbers, categories, dates, ids), where\n"
    "values are missing, which numbers may stand for missing ones, what is constant, copied or\n"
    "has heavy tails, and the command to run.";

/// Names that a line of findings lists, and all names of columns that are no numbers.
constexpr std::size_t kShownInLine = 6;
constexpr std::size_t kShownTexts = 60;
constexpr std::size_t kLineLength = 96;

struct CheckCommand {
  CommonOptions common;
  InputOptions input;

  void add_arguments(CLI::App& command);
  void run(Console& console) const;
};

/// One heading with its names, wrapped below each other.
std::string section(const std::string& heading, const std::vector<std::string>& names,
                    std::size_t most) {
  constexpr std::size_t kIndent = 15;
  std::string text = fmt::format("  {:<{}}", heading, kIndent - 2);
  std::size_t column = kIndent;
  const std::size_t n_shown = std::min(names.size(), most);
  for (std::size_t i = 0; i < n_shown; ++i) {
    const std::string word = names[i] + (i + 1 < n_shown ? "," : "");
    if (column > kIndent && column + word.size() > kLineLength) {
      text += "\n" + std::string(kIndent, ' ');
      column = kIndent;
    } else if (i > 0) {
      text += ' ';
    }
    text += word;
    column += word.size() + 1;
  }
  if (n_shown < names.size()) text += fmt::format(" and {} more", names.size() - n_shown);
  return text + "\n";
}

using Columns = std::vector<CheckedColumn>;

template <typename Test, typename Say>
std::vector<std::string> said_of(const Columns& columns, Test test, Say say) {
  std::vector<std::string> names;
  for (const CheckedColumn& column : columns) {
    if (test(column)) names.push_back(say(column));
  }
  return names;
}

std::string name_of(const CheckedColumn& column) {
  return escaped(column.name);
}

std::string kinds_line(const Columns& columns) {
  std::vector<std::string> parts;
  for (const auto& choice : kChoices<ColumnKind>) {
    const auto count = std::ranges::count(columns, choice.value, &CheckedColumn::kind);
    if (count > 0) parts.push_back(fmt::format("{} {}", with_commas(count), choice.name));
  }
  return section("columns", parts, parts.size());
}

std::vector<std::string> missing_parts(const TableCheck& check) {
  Columns columns = check.columns;
  std::ranges::stable_sort(columns, std::greater<>{}, &CheckedColumn::n_missing);
  return said_of(
      columns, [](const CheckedColumn& column) { return column.n_missing > 0; },
      [&](const CheckedColumn& column) {
        return fmt::format("{} {} ({})", escaped(column.name), with_commas(column.n_missing),
                           percent(static_cast<double>(column.n_missing), check.n_samples));
      });
}

bool is_text_kind(const CheckedColumn& column) {
  return column.kind >= ColumnKind::category;
}

std::string columns_text(const TableCheck& check) {
  const Columns& columns = check.columns;
  std::string text = kinds_line(columns);
  const auto add = [&](const char* heading, const std::vector<std::string>& names,
                       std::size_t most = kShownInLine) {
    if (!names.empty()) text += section(heading, names, most);
  };
  add("no numbers",
      said_of(columns, is_text_kind,
              [](const CheckedColumn& column) {
                const bool is_category = column.kind == ColumnKind::category;
                return is_category
                           ? name_of(column)
                           : fmt::format("{} ({})", name_of(column), choice_name(column.kind));
              }),
      kShownTexts);
  add("ids", said_of(
                 columns, [](const auto& column) { return column.is_id; }, name_of));
  add("missing", missing_parts(check));
  for (const MissingCode& code : check.codes) {
    add("codes", {fmt::format("{} in {} ({} cells) may mean \"missing\"", code.value,
                              counted(code.n_features, "feature"), with_commas(code.n_cells))});
  }
  add("constant",
      said_of(
          columns, [](const auto& column) { return column.kind == ColumnKind::constant; },
          name_of));
  add("empty",
      said_of(
          columns, [](const auto& column) { return column.kind == ColumnKind::empty; }, name_of));
  add("copies", said_of(
                    columns, [](const auto& column) { return column.copy_of >= 0; },
                    [&](const CheckedColumn& column) {
                      return fmt::format("{} = {}", name_of(column),
                                         name_of(columns[column.copy_of]));
                    }));
  std::vector<std::string> names;
  for (const CheckedColumn& column : columns) names.push_back(column.name);
  std::vector<std::string> equations;
  for (const Equation& equation : check.equations) {
    equations.push_back(fmt::format("{} = {}", escaped(names[equation.feature]),
                                    combination_text(equation.combination, names)));
  }
  add("equations", equations);
  add("heavy tails", said_of(
                         columns, [](const auto& column) { return column.taming != Taming::none; },
                         [](const CheckedColumn& column) {
                           return fmt::format("{} ({})", name_of(column),
                                              choice_name(column.taming));
                         }));
  return text;
}

/// A word as the shell takes it.
std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string command_line(const std::string& path, const TableCheck& check) {
  std::string text = "sfg reduce " + shell_word(path);
  for (const auto& [option, value] : check.advice) {
    text += " " + spell_option(option, "");
    // With '=', so that a value such as -200 is not taken for an option.
    if (value != "true") text += "=" + shell_word(value);
  }
  return text + " -o out";
}

std::string advice_text(const TableCheck& check) {
  std::string text;
  if (!check.equations.empty() && check.n_equation_samples < check.n_samples) {
    text += fmt::format("  Equations: in the {} that have values in all columns looked at.\n",
                        counted(check.n_equation_samples, "sample"));
  }
  if (!check.transforms.empty()) {
    std::string options;
    for (const Transform one : check.transforms) {
      options += fmt::format("{}{} {}", options.empty() ? "" : " or ",
                             spell_option(kTransformText.name), choice_name(one));
    }
    text += fmt::format("  Heavy tails: a few large values decide the correlations: add {}.\n",
                        options);
  }
  if (check.is_turned) {
    text +=
        "  Many named rows over few columns that are alike: if the rows are the features (genes),\n"
        "  add --features-in-rows.\n";
  }
  return text;
}

std::string report_text(const Dataset& dataset, const TableCheck& check) {
  std::string text = fmt::format(
      "{}: {}, {} x {}{}\n\n", shown_name(dataset.source), choice_name(dataset.format),
      counted(check.n_samples, "sample"), counted(check.n_features, "feature"),
      dataset.texts.empty()
          ? ""
          : fmt::format(", {} that are not numbers",
                        counted(static_cast<std::int64_t>(dataset.texts.size()), "column")));
  text += columns_text(check);
  if (!dataset.sample_names.empty()) {
    std::vector<std::string> names;
    for (const std::string& name : dataset.sample_names) {
      if (names.size() < kShownInLine) names.push_back(escaped(name));
    }
    text += section("sample names", names, kShownInLine);
  }
  if (dataset.labels) {
    text += section(
        "labels",
        {fmt::format("{}, {} classes", escaped(dataset.labels->name), n_classes(*dataset.labels))},
        1);
  }
  text += "\n" + advice_text(check);
  if (check.n_features == 0)
    return text + "  There are no numbers, so there is nothing to reduce.\n";
  return text + "To run\n  " + command_line(dataset.source, check) + "\n";
}

void CheckCommand::run(Console& console) const {
  const RunContext run = common.run(console);
  ReadOptions options = input.read_options();
  options.allow_no_features = true;
  options.suffix_duplicates = true;
  const Dataset dataset = read_dataset(input.path, options, common.reading(run));
  for (const Note& note : dataset.notes) {
    if (note.about != Note::About::columns) console.note(message(note, spell_option));
  }
  const TableCheck check = check_table(dataset, run);
  console.print(report_text(dataset, check));
  nlohmann::ordered_json document = document_head("check");
  document["input"] = dataset.source;
  document["format"] = choice_name(dataset.format);
  document.update(check_json(check));
  document["notes"] = nlohmann::ordered_json::array();
  for (const Note& note : dataset.notes) document["notes"].push_back(message(note, spell_option));
  document["command_line"] = command_line(dataset.source, check);
  console.print_json(document);
}

void CheckCommand::add_arguments(CLI::App& command) {
  input.add_to(command, "File to check; - is stdin");
}

}  // namespace

void add_check(Program& program) {
  add_command<CheckCommand>(program, "check", kCheckDescription);
}

}  // namespace sfg::cli
