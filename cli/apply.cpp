#include <fmt/format.h>

#include <memory>

#include "command_run.hpp"
#include "commands.hpp"
#include "output_path.hpp"
#include "sfg/json.hpp"

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
    "too or if --missing mean or median asks for it; else they stay.\n\n"
    "The model knows equations and predictions between features. Where removed features are in "
    "the\n"
    "new data too, those that hold no longer are told, with rows and the column that would "
    "explain\n"
    "it; --strict makes of them exit code 9.";

struct ApplyCommand {
  CLI::App* command = nullptr;
  CommonOptions common;
  OutputOptions output;
  InputOptions input;
  std::string model_path;
  std::string drift = "report";
  bool strict = false;

  void add_arguments(CLI::App& command);
  void run(Console& console) const;
  [[nodiscard]] Model load(const RunContext& run) const;
  void treat_missing(const Model& model, Dataset& reduced, Console& console) const;
  [[nodiscard]] std::optional<DriftReport> look_for_drift(const Model& model,
                                                          const Dataset& dataset,
                                                          const CommandRun& frame,
                                                          Console& console) const;
};

/// Most broken relations, and features elsewhere, that are told one by one.
constexpr std::size_t kMostTold = 10;

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

/// Notes about what holds no longer; nothing with --drift ignore.
std::optional<DriftReport> ApplyCommand::look_for_drift(const Model& model, const Dataset& dataset,
                                                        const CommandRun& frame,
                                                        Console& console) const {
  if (drift == "ignore") return {};
  const DriftReport report = check_drift(model, dataset, frame.context());
  const auto tell = [&](const auto& found, const char* what, const auto& text) {
    for (std::size_t k = 0; k < std::min(found.size(), kMostTold); ++k)
      console.note(text(found[k]));
    if (found.size() > kMostTold) {
      console.note(
          fmt::format("... and {} more {}; --json has all", found.size() - kMostTold, what));
    }
  };
  tell(report.broken, "relations",
       [&](const BrokenRelation& one) { return describe(model, report, one); });
  tell(report.suspects, "suspects",
       [&](const Suspect& one) { return describe(model, report, one); });
  tell(report.shifted, "features", [&](const ShiftedFeature& one) { return describe(model, one); });
  return report;
}

void ApplyCommand::run(Console& console) const {
  CommandRun frame(*command, common, output, console);
  if (strict && drift == "ignore") {
    throw Error(ErrorCode::invalid_option,
                "--strict is about what --drift ignore does not look at");
  }
  frame.check_stdout();
  const Model model = load(frame.reading());
  ReadOptions reading = input.read_options();
  if (model.name_source == NameSource::file) reading.known_names = kept_names(model);
  const Dataset dataset = input.read_as_it_is(reading, frame.reading(), console);
  frame.reading_is_done();
  const TablePlace place = table_place(output.path, dataset);
  const std::filesystem::path temporary = frame.to_stdout() ? "-" : frame.files().stage(place.path);
  Dataset reduced = apply_model(model, dataset);
  const auto report = look_for_drift(model, dataset, frame, console);
  treat_missing(model, reduced, console);
  write_dataset(reduced, temporary, place.format, place.compression);
  frame.commit();
  frame.print(
      fmt::format("{}: kept {} of {}\n{}Wrote {}\n", shown_name(dataset.source),
                  with_commas(n_features(reduced.matrix)),
                  counted(n_features(dataset.matrix), "feature"),
                  report ? drift_summary(*report) + "\n" : "", place.path),
      frame.document(dataset.source, {{"n_samples", n_samples(reduced.matrix)},
                                      {"n_features", n_features(dataset.matrix)},
                                      {"n_kept", n_features(reduced.matrix)},
                                      {"drift", report ? drift_json(model, *report) : nullptr},
                                      {"output", place.path}}));
  if (strict && !report->broken.empty()) {
    throw Error(ErrorCode::broken_relations,
                fmt::format("{} of {} relations that were checked hold no longer; {} was written",
                            report->broken.size(), report->n_checked, place.path),
                shown_name(dataset.source));
  }
}

void ApplyCommand::add_arguments(CLI::App& command) {
  command.add_option("model", model_path, "Model file that 'sfg reduce -o' wrote")
      ->required()
      ->option_text("MODEL");
  input.add_to(command, "New data");
  output.add_to(command, "File to write, or prefix of it; - is standard output");
  command.get_option("--output")->required();
  command
      .add_option("--drift", drift,
                  "Relations that hold no longer: report, or ignore (do not look)")
      ->check(CLI::IsMember({"report", "ignore"}))
      ->capture_default_str()
      ->group("Drift");
  command.add_flag("--strict", strict, "Exit with code 9 if a relation holds no longer")
      ->group("Drift");
}

}  // namespace

void add_apply(Program& program) {
  add_command<ApplyCommand>(program, "apply", kApplyDescription);
}

}  // namespace sfg::cli
