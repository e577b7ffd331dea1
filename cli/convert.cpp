#include <fmt/format.h>

#include <memory>

#include "command_run.hpp"
#include "commands.hpp"

namespace sfg::cli {

namespace {

constexpr const char* kConvertDescription =
    "Turn a table from one format into another.\n\n"
    "Examples:\n"
    "  sfg convert X.mat X.csv                   names and labels come along\n"
    "  sfg convert counts.mtx counts.svm --labels labels.txt\n"
    "  sfg convert big.csv small.csv.gz          .gz packs\n"
    "  sfg convert cells.h5ad - --to tsv         text formats can go to standard output\n\n"
    "NPY and Matrix Market hold the matrix alone: names and labels are lost there.";

struct ConvertCommand {
  CommonOptions common;
  InputOptions input;
  std::string target;
  std::string to;
  bool force = false;

  void add_arguments(CLI::App& command);
  void run(Console& console) const;
};

void ConvertCommand::run(Console& console) const {
  const RunContext run = common.run(console);
  const bool to_stdout = target == "-";
  const Format format =
      to.empty() ? format_from_path(target) : choice_from_name<Format>(to, "format");
  if (format == Format::automatic) {
    throw Error(
        ErrorCode::invalid_option,
        fmt::format("the name '{}' does not tell the format to write: add --to csv (or tsv, "
                    "npy, mat, mtx, svmlight)",
                    target));
  }
  if (to_stdout && common.json) {
    throw Error(ErrorCode::invalid_option, "the table and --json cannot share standard output");
  }
  OutputFiles files(force ? Existing::replace : Existing::refuse);
  const Compression compression = compression_from_path(target);
  const std::filesystem::path place = to_stdout ? "-" : files.stage(target);
  // Converting keeps missing cells as they are, unless something else is asked for.
  const bool keep_missing = !input.reading.has("missing");
  const Dataset dataset =
      keep_missing ? input.read_as_it_is(input.read_options(), common.reading(run), console)
                   : input.read(common.reading(run), console);
  write_dataset(dataset, place, format, compression);
  if (to_stdout) return;
  files.commit();
  console.print(fmt::format("Wrote {}: {} x {}\n", target,
                            counted(n_samples(dataset.matrix), "sample"),
                            counted(n_features(dataset.matrix), "feature")));
  nlohmann::ordered_json document = document_head("convert");
  document.update({{"input", dataset.source},
                   {"output", target},
                   {"format", choice_name(format)},
                   {"n_samples", n_samples(dataset.matrix)},
                   {"n_features", n_features(dataset.matrix)}});
  console.print_json(document);
}

void ConvertCommand::add_arguments(CLI::App& command) {
  input.add_to(command, "File to read; - is stdin");
  command.add_option("output,-o,--output", target, "File to write; - is standard output")
      ->required()
      ->option_text("OUTPUT");
  command.add_option("--to", to, "Format to write, if the name does not tell")
      ->check(CLI::IsMember({"csv", "tsv", "npy", "mat", "mtx", "svmlight"}))
      ->group("Output");
  command.add_flag("--force", force, "Replace a file that is already there")->group("Output");
}

}  // namespace

void add_convert(Program& program) {
  add_command<ConvertCommand>(program, "convert", kConvertDescription);
}

}  // namespace sfg::cli
