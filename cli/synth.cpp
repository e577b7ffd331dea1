#include <fmt/format.h>

#include <map>
#include <memory>

#include "command_run.hpp"
#include "commands.hpp"

namespace sfg::cli {

namespace {

constexpr const char* kSynthDescription =
    "Make test data whose redundancy is known.\n\n"
    "Examples:\n"
    "  sfg synth --samples 300 --features 2000 --seed 1 -o planted.csv\n"
    "  sfg reduce planted.csv --truth planted.truth.tsv\n"
    "  sfg synth --samples 20000 --features 100000 --density 0.001 -o big.mtx\n\n"
    "Beside the table it writes NAME.truth.tsv: what each feature is and what it was made from.\n"
    "Shares are of all features; what they leave are independent features, the sources.";

struct SynthCommand {
  CommonOptions common;
  OutputOptions output;
  ListedOptions planted;

  void add_arguments(CLI::App& command);
  void run(Console& console) const;
};

void SynthCommand::run(Console& console) const {
  const RunContext run = common.run(console);
  const auto options = planted.read<SynthOptions>();
  check_fields(options);
  const Format format = format_from_path(output.path);
  if (format == Format::automatic || format == Format::h5ad) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("'{}' does not tell the format: end it in .csv, .tsv, .npy, .mat, .mtx "
                            "or .svm",
                            output.path));
  }
  const double bytes = 3 * sizeof(double) * static_cast<double>(options.n_samples) *
                       options.n_features * options.density;
  if (bytes > static_cast<double>(run.memory_limit)) {
    throw Error(ErrorCode::over_memory,
                fmt::format("planted data of this size need about {:.1f} GB, more than the limit: "
                            "raise --memory or make them smaller",
                            bytes / 1e9));
  }
  const Compression compression = compression_from_path(output.path);
  std::filesystem::path truth = output.path;
  if (compression != Compression::none) truth.replace_extension();
  const std::string truth_path = truth.replace_extension(".truth.tsv").string();
  OutputFiles files(output.existing());
  files.stage("table", output.path);
  files.stage("truth", truth_path);
  const SynthResult result = synthesise(options, common.seed);
  write_dataset(result.dataset, files.place("table"), format, compression);
  files.write_text("truth", truth_to_tsv(result));
  files.commit();

  std::map<PlantedKind, Index> counts;
  for (const Planted& planted : result.truth) ++counts[planted.kind];
  nlohmann::ordered_json kinds;
  std::string text;
  for (const auto& [kind, count] : counts) {
    kinds[choice_name(kind)] = count;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", with_commas(count), choice_name(kind));
  }
  console.print(fmt::format("Wrote {}: {} x {} ({})\nWrote {}: how each was made\n", output.path,
                            counted(options.n_samples, "sample"),
                            counted(options.n_features, "feature"), text, truth_path));
  nlohmann::ordered_json document = document_head("synth");
  document.update({{"n_samples", options.n_samples},
                   {"n_features", options.n_features},
                   {"seed", common.seed},
                   {"kinds", std::move(kinds)},
                   {"output", output.path},
                   {"truth", truth_path}});
  console.print_json(document);
}

void SynthCommand::add_arguments(CLI::App& command) {
  planted.add_all<SynthOptions>(command, "Planted data");
  output.add_to(command, "Table to write; its ending tells the format");
  command.get_option("--output")->required();
}

}  // namespace

void add_synth(Program& program) {
  add_command<SynthCommand>(program, "synth", kSynthDescription);
}

}  // namespace sfg::cli
