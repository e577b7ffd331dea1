#include <memory>

#include "command_run.hpp"
#include "commands.hpp"
#include "explain_exception.hpp"
#include "sfg/json.hpp"

namespace sfg::cli {

namespace {

constexpr const char* kExplainDescription =
    "Why was a feature removed or kept?\n\n"
    "Examples:\n"
    "  sfg explain out.model.json GENE7\n"
    "  sfg explain out.model.json '#17' --json   by number, counted from 0\n"
    "  sfg explain data.csv GENE7 --theta 0.3    reduces first, as 'sfg reduce' would";

struct ExplainCommand {
  CommonOptions common;
  InputOptions input;
  MethodArguments method;
  std::string feature;

  void add_arguments(CLI::App& command);
  void run(Console& console) const;
  [[nodiscard]] Model model(const RunContext& run, Console& console) const;
};

Model ExplainCommand::model(const RunContext& run, Console& console) const {
  if (std::filesystem::path(input.path).extension() == ".json")
    return load_model(input.path, common.reading(run));
  method.note_old_spellings(console);
  MethodOptions options = method.options();
  const Dataset dataset =
      input.read(method.reading(input.read_options()), common.reading(run), console);
  method.read_lists(options, dataset.feature_names, common.reading(run));
  MethodResult result = reduce(dataset, options, run);
  Model made{dataset.feature_names, dataset.name_source, std::move(result.reduction),
             result.graph.description};
  made.transform = options.transform;
  if (dataset.batch) made.batch = dataset.batch->name;
  return made;
}

void ExplainCommand::run(Console& console) const {
  const RunContext run = common.run(console);
  const Model known = model(run, console);
  const Explanation explanation = sfg::explain(known, feature);
  console.print(explanation_text(known, explanation, spell_option));
  nlohmann::ordered_json document = document_head("explain");
  document.update(explanation_json(explanation, known.feature_names));
  console.print_json(document);
}

void ExplainCommand::add_arguments(CLI::App& command) {
  command.add_option("input", input.path, "Model (.model.json) or data file")
      ->required()
      ->option_text("INPUT|MODEL");
  command.add_option("feature", feature, "Name of the feature, or #NUMBER counted from 0")
      ->required()
      ->option_text("FEATURE");
  input.add_reading_options_to(command);
  input.add_method_input_to(command);
  method.add_to(command, MethodPart::groups);
  method.add_batches_to(command);
  method.add_target_to(command);
}

}  // namespace

void add_explain(Program& program) {
  add_command<ExplainCommand>(program, "explain", kExplainDescription);
}

}  // namespace sfg::cli
