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
    "  sfg apply out.model.json new.mat -o new        writes new.reduced.mat\n"
    "  sfg apply out.model.json new.csv -o -          prints the table\n\n"
    "Features are matched by name, in whatever order they come; further ones are left out. Where\n"
    "either side has no names the number of features must be the model's, in its order. Missing\n"
    "values are filled in with those of the data that the model was made from, if they were there\n"
    "too or if --missing mean or median asks for it; else they stay.";

struct ApplyCommand {
  CLI::App* command = nullptr;
  CommonOptions common;
  OutputOptions output;
  InputOptions input;
  std::string model_path;

  void add_arguments(CLI::App& command);
  void run(Console& console) const;
  [[nodiscard]] Model load(const RunContext& run) const;
  void treat_missing(const Model& model, Dataset& reduced, Console& console) const;
};

std::vector<std::string> kept_names(const Model& model) {
  std::vector<std::string> names;
  for (const Index feature : model.reduction.kept) names.push_back(model.feature_names[feature]);
  return names;
}

bool is_model(const std::string& path, const RunContext& run) {
  if (path == "-") return false;
  try {
    static_cast<void>(load_model(path, run));
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// The model, unless it and the data have changed places.
Model ApplyCommand::load(const RunContext& run) const {
  try {
    return load_model(model_path, run);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::malformed_input || !is_model(input.path, run)) throw;
    throw Error(ErrorCode::invalid_option,
                fmt::format("the model comes first and then the data: sfg apply {} {}", input.path,
                            model_path));
  }
}

/// Fills missing values in where that is asked for, or was done to the data of the model; else they
/// stay: keeping columns needs no numbers.
void ApplyCommand::treat_missing(const Model& model, Dataset& reduced, Console& console) const {
  const bool was_filled = model.missing == Missing::mean || model.missing == Missing::median;
  const bool is_asked = input.reading.has("missing");
  if (!is_asked && !was_filled) {
    const Survey found = survey(reduced.matrix);
    const Offset n_missing = found.missing + found.infinite;
    if (n_missing == 0) return;
    console.note(
        fmt::format("{} missing values stay as they are; --missing mean fills in the means "
                    "of the data that the model was made from",
                    n_missing));
    return;
  }
  const Missing policy = is_asked ? input.reading.read<MissingOptions>().missing : model.missing;
  note_missing(resolve_missing(model, reduced, policy),
               fmt::format("the {} of the data that the model was made from", choice_name(policy)),
               console);
}

void ApplyCommand::run(Console& console) const {
  CommandRun frame(*command, common, output, console);
  frame.check_stdout();
  const Model model = load(frame.reading());
  ReadOptions reading = input.read_options();
  if (model.name_source == NameSource::file) reading.known_names = kept_names(model);
  const Dataset dataset = input.read_as_it_is(reading, frame.reading(), console);
  frame.reading_is_done();
  const TablePlace place = table_place(output.path, dataset);
  const std::filesystem::path temporary = frame.to_stdout() ? "-" : frame.files().stage(place.path);
  Dataset reduced = apply_model(model, dataset);
  treat_missing(model, reduced, console);
  write_dataset(reduced, temporary, place.format, place.compression);
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
  output.add_to(command, "File to write, or prefix of it; - is standard output");
  command.get_option("--output")->required();
}

}  // namespace

void add_apply(Program& program) {
  add_command<ApplyCommand>(program, "apply", kApplyDescription);
}

}  // namespace sfg::cli
