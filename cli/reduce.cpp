#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "dry_run.hpp"
#include "output_path.hpp"
#include "reduce_output.hpp"
#include "resume.hpp"
#include "run_log.hpp"

namespace sfg::cli {

namespace {

constexpr const char* kReduceDescription =
    "Remove redundant features: the main job.\n\n"
    "Examples:\n"
    "  sfg reduce genes.csv -o out               compact groups, automatic level, write out.*\n"
    "  sfg reduce genes.tsv.gz --features-in-rows --n-features 300 -o out\n"
    "  sfg reduce X.npy --grouping cover --certify 0.8 -o out\n"
    "  sfg reduce X.mat --theta 0.5              the paper's groups\n"
    "  sfg reduce counts.mtx --keep markers.txt -o out\n\n"
    "With -o PREFIX it writes PREFIX.kept.txt (names of kept features), PREFIX.removed.tsv (each\n"
    "removed feature with its substitute, r2, held-out R2 and combination), PREFIX.groups.tsv,\n"
    "PREFIX.weights.tsv (how many features each kept one stands for), PREFIX.model.json (for\n"
    "'sfg apply' and 'sfg explain'), PREFIX.reduced.* (the kept columns in the input's format) "
    "and\n"
    "PREFIX.log: all of them or none. A run whose graph takes more than a minute and that is cut\n"
    "off leaves PREFIX.journal: --resume goes on from there.";

struct ReduceCommand {
  CLI::App* command = nullptr;
  CommonOptions common;
  OutputOptions output;
  InputOptions input;
  MethodArguments method;
  DryRun dry_run;
  ResumeArguments resume;
  std::string output_format;
  std::string truth_file;

  void run(Console& console) const;
};

/// Places of all outputs, asked for before the work starts.
struct StagedOutputs {
  explicit StagedOutputs(const OutputOptions& options) : files(options.existing()) {
    if (options.path.empty()) return;
    check_prefix(options.path);
    for (const char* ending :
         {".kept.txt", ".removed.tsv", ".groups.tsv", ".model.json", ".log", ".weights.tsv"}) {
      places.push_back(files.stage(options.path + ending));
    }
  }
  OutputFiles files;
  std::vector<std::filesystem::path> places;
};

void ReduceCommand::run(Console& console) const {
  const RunContext run = common.run(console);
  method.note_old_spellings(console);
  MethodOptions options = method.options();
  resume.check_fit(options);
  RunLog log(*command, run);
  StagedOutputs outputs(output);
  Dataset dataset = input.read(common.reading(run), console);
  if (dry_run.asked) {
    if (pursuit_of(options.grouping) == nullptr) {
      throw Error(ErrorCode::invalid_option,
                  "--dry-run plans the pursuit, and there is none with cover or --edges knn");
    }
    // The data as they were read stay: the kept features are written from them.
    constexpr int kAsRead = 1;
    dry_run.print(std::move(dataset), options, run, kAsRead, console);
    return;
  }
  const double seconds_to_read = log.seconds();
  log.add_input(dataset);
  std::string matrix_path;
  std::filesystem::path matrix_place;
  const Format format = output_format.empty() ? writable_format(dataset)
                                              : choice_from_name<Format>(output_format, "format");
  if (!output.path.empty()) {
    matrix_path = output.path + ".reduced" + format_extension(format);
    matrix_place = outputs.files.stage(matrix_path);
  }

  method.read_lists(options, dataset.feature_names);
  GraphJournal journal(resume, output, console);
  MethodResult result = reduce(dataset, options, run, journal.checkpoint());
  journal.tell();
  result.seconds.insert(result.seconds.begin(), {"read", seconds_to_read});
  const Model model{dataset.feature_names, dataset.name_source, result.reduction,
                    result.graph.description};
  std::string text = reduce_summary(dataset, options, result);
  nlohmann::ordered_json document = reduce_json(dataset, options, result);
  if (!truth_file.empty()) {
    const TruthReport report =
        compare_with_truth(load_truth(truth_file, dataset), result.reduction);
    text += truth_summary(report);
    document["truth"] = truth_json(report);
  }

  if (!output.path.empty()) {
    write_dataset(select_features(dataset, result.reduction.kept), matrix_place, format);
    write_text(outputs.places[0], kept_text(model));
    write_text(outputs.places[1], removed_tsv(model));
    write_text(outputs.places[2], groups_tsv(model));
    write_text(outputs.places[3], model_to_json(model));
    write_text(outputs.places[5], weights_tsv(model));
    log.add_notes(console);
    log.add(text);
    write_text(outputs.places[4], log.text());
    outputs.files.commit();
    journal.finish();
    text += fmt::format(
        "Wrote {0}.kept.txt, .removed.tsv, .groups.tsv, .weights.tsv, .model.json, "
        ".log\nand {1}\n",
        output.path, matrix_path);
  } else {
    text += "Nothing was written: add -o PREFIX to keep the result.\n";
  }
  console.print(text);
  document["output"] = matrix_path;
  document["seconds"] = RunLog::seconds_json(result.seconds, log.seconds());
  document["peak_rss_bytes"] = peak_resident_bytes();
  console.print_json(document);
}

}  // namespace

void add_reduce(CLI::App& app, Console& console, Action& action) {
  auto state = std::make_shared<ReduceCommand>();
  auto* command = app.add_subcommand("reduce", kReduceDescription);
  state->command = command;
  state->input.add_to(*command, "CSV, TSV (also .gz), NPY, MAT, MTX, svmlight or h5ad; - is stdin");
  state->method.add_to(*command, MethodPart::whole);
  state->output.add_to(*command, "Prefix of the files to write");
  command
      ->add_option("--output-format", state->output_format,
                   "Format of the reduced matrix (default: the input's)")
      ->check(CLI::IsMember({"csv", "tsv", "npy", "mat", "mtx", "svmlight"}))
      ->group("Output");
  command->add_option("--truth", state->truth_file, "Truth file of 'sfg synth': compare with it")
      ->option_text("FILE")
      ->group("Output");
  state->resume.add_to(*command);
  state->dry_run.add_to(*command);
  state->common.add_to(*command);
  run_when_called(*command, state, console, action);
}

}  // namespace sfg::cli
