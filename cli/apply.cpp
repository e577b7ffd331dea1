#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "output_path.hpp"
#include "run_log.hpp"

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

  void run(Console& console) const;
};

void ApplyCommand::run(Console& console) const {
  const RunContext run = common.run(console);
  const RunLog log(*command, run);
  const Model model = load_model(model_path);
  const Dataset dataset = input.read(common.reading(run), console);
  const double seconds_to_read = log.seconds();
  const TablePlace place = table_place(output.path, dataset);
  OutputFiles files(output.existing());
  const auto temporary = files.stage(place.path);
  const Dataset reduced = apply_model(model, dataset);
  write_dataset(reduced, temporary, place.format);
  files.commit();
  console.print(fmt::format("{}: kept {} of {}\nWrote {}\n", shown_name(dataset.source),
                            with_commas(n_features(reduced.matrix)),
                            counted(n_features(dataset.matrix), "feature"), place.path));
  console.print_json({{"schema_version", 1},
                      {"sfg_version", version()},
                      {"command", "apply"},
                      {"input", dataset.source},
                      {"n_samples", n_samples(reduced.matrix)},
                      {"n_features", n_features(dataset.matrix)},
                      {"n_kept", n_features(reduced.matrix)},
                      {"output", place.path},
                      {"seconds", RunLog::seconds_json({{"read", seconds_to_read}}, log.seconds())},
                      {"peak_rss_bytes", peak_resident_bytes()}});
}

}  // namespace

void add_apply(CLI::App& app, Console& console, Action& action) {
  auto state = std::make_shared<ApplyCommand>();
  auto* command = app.add_subcommand("apply", kApplyDescription);
  state->command = command;
  command->add_option("model", state->model_path, "Model file that 'sfg reduce -o' wrote")
      ->required()
      ->option_text("MODEL");
  state->input.add_to(*command, "New data");
  state->output.add_to(*command, "File to write, or prefix of it");
  command->get_option("--output")->required();
  state->common.add_to(*command);
  run_when_called(*command, state, console, action);
}

}  // namespace sfg::cli
