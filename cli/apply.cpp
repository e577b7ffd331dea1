#include <fmt/format.h>

#include <memory>

#include "command_run.hpp"
#include "commands.hpp"
#include "output_path.hpp"

namespace sfg::cli {

namespace {

constexpr const char* kApplyDescription =
    "Keep the same features of new data.\n\n"
    "Examples:\n"
    "  sfg apply out.model.json new.csv -o new_reduced.csv\n"
    "  sfg apply out.model.json new.mat -o new        writes new.reduced.mat\n\n"
    "Features are matched by name, in whatever order they come; further ones are left out. Where\n"
    "either side has no names the number of features must be the model's, in its order.";

struct ApplyCommand {
  CLI::App* command = nullptr;
  CommonOptions common;
  OutputOptions output;
  InputOptions input;
  std::string model_path;

  void add_arguments(CLI::App& command);
  void run(Console& console) const;
};

std::vector<std::string> kept_names(const Model& model) {
  std::vector<std::string> names;
  for (const Index feature : model.reduction.kept) names.push_back(model.feature_names[feature]);
  return names;
}

void ApplyCommand::run(Console& console) const {
  CommandRun frame(*command, common, output, console);
  const Model model = load_model(model_path);
  ReadOptions reading = input.read_options();
  if (model.name_source == NameSource::file) reading.known_names = kept_names(model);
  const Dataset dataset = frame.read(input, reading);
  const TablePlace place = table_place(output.path, dataset);
  const auto temporary = frame.files().stage(place.path);
  const Dataset reduced = apply_model(model, dataset);
  write_dataset(reduced, temporary, place.format);
  frame.commit();
  frame.print(fmt::format("{}: kept {} of {}\nWrote {}\n", shown_name(dataset.source),
                          with_commas(n_features(reduced.matrix)),
                          counted(n_features(dataset.matrix), "feature"), place.path),
              frame.document(dataset.source, {{"n_samples", n_samples(reduced.matrix)},
                                              {"n_features", n_features(dataset.matrix)},
                                              {"n_kept", n_features(reduced.matrix)},
                                              {"output", place.path}}));
}

void ApplyCommand::add_arguments(CLI::App& command) {
  command.add_option("model", model_path, "Model file that 'sfg reduce -o' wrote")
      ->required()
      ->option_text("MODEL");
  input.add_to(command, "New data");
  output.add_to(command, "File to write, or prefix of it");
  command.get_option("--output")->required();
}

}  // namespace

void add_apply(CLI::App& app, Console& console, Action& action) {
  add_command<ApplyCommand>(app, "apply", kApplyDescription, console, action);
}

}  // namespace sfg::cli
