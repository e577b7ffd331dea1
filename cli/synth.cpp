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
    "  sfg synth --samples 20000 --features 100000 --density 0.001 -o big.mtx\n"
    "  sfg synth --genotypes --features 20000 --plink -o g.npy\n\n"
    "Beside the table it writes NAME.truth.tsv: what each feature is and what it was made from.\n"
    "Shares are of all features; what they leave are independent features, the sources.\n"
    "With --genotypes the features are markers on chromosomes instead, with 0, 1 or 2 copies of "
    "an\n"
    "allele; beside the table it writes NAME.positions.tsv, for --positions of 'sfg reduce'.";

struct SynthCommand {
  CommonOptions common;
  OutputOptions output;
  ListedOptions planted;
  bool genotypes = false;
  bool plink = false;

  void add_arguments(CLI::App& command);
  void run(Console& console) const;
  void make_planted(Console& console) const;
  void make_genotypes(Console& console) const;

  [[nodiscard]] Format format() const;
  /// The path of what is written beside the table.
  [[nodiscard]] std::string beside(const std::string& ending) const;
  void require_room(Index n_samples, Index n_features, double density, Console& console) const;
};

Format SynthCommand::format() const {
  const Format format = format_from_path(output.path);
  if (format == Format::automatic || format == Format::h5ad) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("'{}' does not tell the format: end it in .csv, .tsv, .npy, .mat, .mtx "
                            "or .svm",
                            output.path));
  }
  return format;
}

std::string SynthCommand::beside(const std::string& ending) const {
  std::filesystem::path path = output.path;
  if (compression_from_path(output.path) != Compression::none) path.replace_extension();
  return path.replace_extension(ending).string();
}

void SynthCommand::require_room(Index n_samples, Index n_features, double density,
                                Console& console) const {
  const double bytes = 3 * sizeof(double) * static_cast<double>(n_samples) * n_features * density;
  if (bytes <= static_cast<double>(common.run(console).memory_limit)) return;
  throw Error(ErrorCode::over_memory,
              fmt::format("planted data of this size need about {:.1f} GB, more than the limit: "
                          "raise --memory or make them smaller",
                          bytes / 1e9));
}

void SynthCommand::run(Console& console) const {
  if (genotypes) return make_genotypes(console);
  if (plink || planted.has("chromosomes")) {
    throw Error(ErrorCode::invalid_option,
                "--plink and --chromosomes are about genotypes: add --genotypes");
  }
  make_planted(console);
}

void SynthCommand::make_genotypes(Console& console) const {
  GenotypeOptions options;
  const GivenTexts given = planted.given();
  TextSetter setter(given);
  visit_fields(options, setter);
  if (const auto unused = setter.unused(); !unused.empty()) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("--{} is about planted features, not about genotypes: leave it out",
                            unused.front()));
  }
  check_fields(options);
  require_room(options.n_samples, options.n_features, 1, console);
  const std::string positions_path = beside(".positions.tsv");
  const std::vector<std::string> plink_endings{".bed", ".bim", ".fam"};
  OutputFiles files(output.existing());
  const Format table_format = format();
  files.stage("table", output.path);
  files.stage("positions", positions_path);
  for (const std::string& ending : plink_endings) {
    if (plink) files.stage(ending, beside(ending));
  }
  const GenotypeResult result = synthesise_genotypes(options, common.seed);
  write_dataset(result.dataset, files.place("table"), table_format,
                compression_from_path(output.path));
  files.write_text("positions", positions_to_tsv(result));
  if (plink) {
    files.write_text(".bed", genotypes_to_bed(result));
    files.write_text(".bim", genotypes_to_bim(result));
    files.write_text(".fam", genotypes_to_fam(result));
  }
  files.commit();
  console.print(fmt::format("Wrote {}: {} x {} on {}\nWrote {}: where they lie\n{}", output.path,
                            counted(options.n_samples, "sample"),
                            counted(options.n_features, "feature"),
                            counted(options.n_chromosomes, "chromosome"), positions_path,
                            plink ? fmt::format("Wrote {}, .bim, .fam\n", beside(".bed")) : ""));
  nlohmann::ordered_json document = document_head("synth");
  document.update({{"n_samples", options.n_samples},
                   {"n_features", options.n_features},
                   {"n_chromosomes", options.n_chromosomes},
                   {"seed", common.seed},
                   {"output", output.path},
                   {"positions", positions_path}});
  console.print_json(document);
}

void SynthCommand::make_planted(Console& console) const {
  const auto options = planted.read<SynthOptions>();
  check_fields(options);
  const Format table_format = format();
  require_room(options.n_samples, options.n_features, options.density, console);
  const std::string truth_path = beside(".truth.tsv");
  OutputFiles files(output.existing());
  files.stage("table", output.path);
  files.stage("truth", truth_path);
  const SynthResult result = synthesise(options, common.seed);
  write_dataset(result.dataset, files.place("table"), table_format,
                compression_from_path(output.path));
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
  command.add_flag("--genotypes", genotypes, "Make genotypes on chromosomes instead")
      ->group("Genotypes");
  for (const FieldDescription& field : describe_fields<GenotypeOptions>()) {
    if (field.name == "chromosomes") planted.add(command, field, "Genotypes");
  }
  command.add_flag("--plink", plink, "Write them as NAME.bed, .bim and .fam too, for plink")
      ->group("Genotypes");
  output.add_to(command, "Table to write; its ending tells the format");
  command.get_option("--output")->required();
}

}  // namespace

void add_synth(Program& program) {
  add_command<SynthCommand>(program, "synth", kSynthDescription);
}

}  // namespace sfg::cli
