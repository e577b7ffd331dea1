#include <fmt/format.h>

#include <iterator>
#include <memory>

#include "command_run.hpp"
#include "commands.hpp"
#include "explain_exception.hpp"
#include "sfg/json.hpp"

namespace sfg::cli {

namespace {

constexpr const char* kInfoDescription =
    "What is in a file?\n\n"
    "Examples:\n"
    "  sfg info data.csv\n"
    "  sfg info X.mat --json";

struct InfoCommand {
  CommonOptions common;
  InputOptions input;

  void add_arguments(CLI::App& command);
  void run(Console& console) const;
};

std::string preview(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 4;
  std::string text;
  for (std::size_t k = 0; k < std::min(kShown, names.size()); ++k) {
    text += (k == 0 ? "" : ", ") + escaped(names[k]);
  }
  return names.size() > kShown ? text + ", ..." : text;
}

std::string summary(const Dataset& dataset, const Survey& found) {
  const bool sparse = std::holds_alternative<SparseMatrix>(dataset.matrix);
  std::string text = fmt::format("{}: {}, {}\n\n", shown_name(dataset.source),
                                 choice_name(dataset.format), sparse ? "sparse" : "dense");
  auto out = std::back_inserter(text);
  fmt::format_to(out, "  samples   {}\n", with_commas(n_samples(dataset.matrix)));
  fmt::format_to(out, "  features  {}  ({}: {})\n", with_commas(n_features(dataset.matrix)),
                 dataset.name_source == NameSource::file ? "named" : "no names in the file",
                 preview(dataset.feature_names));
  fmt::format_to(out, "  nonzero   {}\n", percent(density(dataset.matrix), 1));
  if (found.any_value()) {
    fmt::format_to(out, "  values    {} ... {}\n", found.lowest, found.highest);
  }
  fmt::format_to(out, "  missing   {}, infinite {}\n", with_commas(found.missing),
                 with_commas(found.infinite));
  fmt::format_to(out, "  constant  {}, all zero {}\n", with_commas(found.constant),
                 with_commas(found.empty));
  if (!dataset.sample_names.empty()) {
    fmt::format_to(out, "  sample names  {}\n", preview(dataset.sample_names));
  }
  if (dataset.labels) {
    fmt::format_to(out, "  labels    '{}', {} classes\n", escaped(dataset.labels->name),
                   with_commas(n_classes(*dataset.labels)));
  }
  return text;
}

void InfoCommand::run(Console& console) const {
  const RunContext run = common.run(console);
  ReadOptions options = input.read_options();
  options.allow_no_features = true;
  const Dataset dataset = read_dataset(input.path, options, common.reading(run));
  tell_notes(dataset, console);
  if (looks_turned(dataset)) {
    for (const Note& note : notes_on_values(dataset)) console.note(message(note, spell_option));
  }
  const Survey found = survey(dataset.matrix);
  console.print(summary(dataset, found));
  nlohmann::ordered_json document = document_head("info");
  document["input"] = dataset.source;
  document.update(survey_json(dataset, found));
  console.print_json(document);
}

void InfoCommand::add_arguments(CLI::App& command) {
  input.add_to(command, "File to look at; - is stdin");
}

}  // namespace

void add_info(Program& program) {
  add_command<InfoCommand>(program, "info", kInfoDescription);
}

}  // namespace sfg::cli
