#include <fmt/format.h>

#include <array>
#include <memory>

#include "command_run.hpp"
#include "commands.hpp"
#include "dry_run.hpp"
#include "figure_output.hpp"
#include "output_path.hpp"
#include "reduce_output.hpp"
#include "sfg/json.hpp"

namespace sfg::cli {

namespace {

constexpr const char* kReduceDescription =
    "Remove redundant features: the main job. Copies, exact sums and features that others stand\n"
    "for go; each has its reason and its proof on held-out samples.\n\n"
    "Examples:\n"
    "  sfg reduce genes.csv -o out               compact groups, automatic level, write out.*\n"
    "  sfg reduce genes.tsv.gz --features-in-rows --n-features 300 -o out\n"
    "  sfg reduce X.npy --grouping cover --certify 0.8 -o out\n"
    "  sfg reduce X.mat --theta 0.5              the paper's groups\n"
    "  sfg reduce X.npy --max-r2 0.8             no two kept features with r2 above 0.8\n"
    "  sfg reduce counts.mtx --keep markers.txt -o out\n"
    "  sfg reduce genes.csv -o out --plot out.svg   the answer as a picture too, also .png\n"
    "  sfg reduce genes.csv --target tissue      of each group the member that tells most of it\n\n"
    "With -o PREFIX it writes PREFIX.kept.txt (names of kept features), PREFIX.removed.tsv (each\n"
    "removed feature with its substitute, r2, held-out R2 and combination), PREFIX.groups.tsv,\n"
    "PREFIX.equations.tsv (exact sums that were removed),\n"
    "PREFIX.weights.tsv (how many features each kept one stands for), PREFIX.model.json (for\n"
    "'sfg apply' and 'sfg explain'), PREFIX.reduced.* (the kept columns in the input's format) "
    "and\n"
    "PREFIX.log: all of them or none. A run whose graph takes more than a minute and that is cut\n"
    "off leaves PREFIX.journal: --resume goes on from there. -o - prints the kept columns alone.";

struct ReduceCommand : TableArguments {
  DryRun dry_run;
  std::string output_format;
  std::string truth_file;
  FigureOutput plot;

  void add_arguments(CLI::App& command);
  void run(Console& console) const;
  void stage_tables(CommandRun& frame) const;
  void plan(Dataset&& dataset, const MethodOptions& options, CommandRun& frame) const;
  void write_all(const Dataset& dataset, const MethodOptions& options, const MethodResult& result,
                 Format format, const std::string& summary, CommandRun& frame) const;
};

/// Outputs are known by the ends of their names; the matrix by a name of its own, since its end
/// depends on the format.
constexpr std::array kTables{".kept.txt",   ".removed.tsv", ".groups.tsv", ".equations.tsv",
                             ".model.json", ".log",         ".weights.tsv"};
constexpr const char* kMatrix = "matrix";

void ReduceCommand::stage_tables(CommandRun& frame) const {
  if (!frame.has_output()) return;
  if (frame.to_stdout()) return frame.check_stdout();
  check_prefix(output.path);
  for (const char* ending : kTables) frame.files().stage(ending, output.path + ending);
}

void ReduceCommand::plan(Dataset&& dataset, const MethodOptions& options, CommandRun& frame) const {
  if (pursuit_of(options.grouping) == nullptr) {
    throw Error(
        ErrorCode::invalid_option,
        "--dry-run plans the pursuit, and there is none with cover, pairwise or --edges knn");
  }
  // The data as they were read stay: the kept features are written from them.
  constexpr int kAsRead = 1;
  dry_run.print(std::move(dataset), options, frame.context(), kAsRead, frame.console());
}

/// The matrix goes first: it is the one that may not fit.
void ReduceCommand::write_all(const Dataset& dataset, const MethodOptions& options,
                              const MethodResult& result, Format format, const std::string& summary,
                              CommandRun& frame) const {
  // Where nothing was filled in, and nobody asked for it, a model only selects.
  const bool fills = !frame.missing().filled_features.empty() || input.reading.has("missing");
  const Missing policy = input.reading.read<MissingOptions>().missing;
  const Model model = frame.timed("model", [&] {
    return make_model(dataset, options, result, fills ? policy : Missing::refuse, frame.context());
  });
  OutputFiles& files = frame.files();
  write_dataset(select_features(dataset, result.reduction.kept), files.place(kMatrix), format);
  files.write_text(".kept.txt", kept_to_text(model));
  files.write_text(".removed.tsv", removed_to_tsv(model));
  files.write_text(".groups.tsv", groups_to_tsv(model));
  files.write_text(".equations.tsv", equations_to_tsv(result.reduction.equations,
                                                      dataset.feature_names, options.transform));
  files.write_text(".model.json", model_to_json(model));
  files.write_text(".weights.tsv", weights_to_tsv(model));
  frame.log().add_notes(frame.console());
  frame.log().add(summary);
  files.write_text(".log", frame.log().text());
}

void ReduceCommand::run(Console& console) const {
  CommandRun frame(*command, common, output, console);
  method.note_old_spellings(console);
  MethodOptions options = method.options();
  resume.check_fit(options);
  stage_tables(frame);
  plot.stage(frame);
  // The picture shows the levels that were not needed for the answer too.
  if (plot.is_asked()) options.judged = Judged::every_one;
  Dataset dataset = frame.read(input, method.reading(input.read_options()));
  if (dry_run.asked) return plan(std::move(dataset), options, frame);
  frame.log().add_input(dataset);
  const Format format = output_format.empty() ? writable_format(dataset)
                                              : choice_from_name<Format>(output_format, "format");
  std::string matrix_path;
  if (frame.has_output() && !frame.to_stdout()) {
    matrix_path = output.path + ".reduced" + format_extension(format);
    frame.files().stage(kMatrix, matrix_path);
  }
  method.read_lists(options, dataset.feature_names, frame.reading());
  const MethodResult result = reduce(dataset, options, frame.context(), frame.journal(resume));
  frame.tell_about_journal();
  frame.add_seconds(result.seconds);

  if (const auto note = too_few_note(dataset, options, result); !note.empty()) console.note(note);
  std::string text = reduce_summary(dataset, options, result);
  nlohmann::ordered_json fields = reduction_json(dataset, options, result);
  if (!truth_file.empty()) {
    const TruthReport report =
        compare_with_truth(load_truth(truth_file, dataset), result.reduction);
    text += truth_summary(report);
    fields["truth"] = truth_json(report);
  }
  if (plot.is_asked()) {
    const std::string name = figure_name(dataset.source);
    plot.write(reduction_figure(name, dataset.feature_names, options, result), frame);
  }
  if (frame.to_stdout()) {
    const Format printed = output_format.empty() ? table_place("-", dataset).format : format;
    write_dataset(select_features(dataset, result.reduction.kept), "-", printed);
  } else if (frame.has_output()) {
    write_all(dataset, options, result, format, text, frame);
    text += fmt::format(
        "Wrote {0}.kept.txt, .removed.tsv, .groups.tsv, .equations.tsv, .weights.tsv,\n"
        ".model.json, .log and {1}\n",
        output.path, matrix_path);
  } else {
    text += plot.is_asked() ? fmt::format("Wrote {}\n", plot.path)
                            : "Nothing was written: add -o PREFIX to keep the result.\n";
  }
  frame.commit();
  fields["output"] = matrix_path;
  frame.print(text, frame.document(dataset.source, fields));
}

void ReduceCommand::add_arguments(CLI::App& command) {
  input.add_to(command, "CSV, TSV, NPY, MAT, MTX, svmlight or h5ad, also packed; - is stdin");
  input.add_method_input_to(command);
  method.add_to(command, MethodPart::whole);
  method.add_batches_to(command);
  method.add_target_to(command);
  output.add_to(command, "Prefix of the files to write");
  command
      .add_option("--output-format", output_format,
                  "Format of the reduced matrix (default: the input's)")
      ->check(CLI::IsMember({"csv", "tsv", "npy", "mat", "mtx", "svmlight"}))
      ->group("Output");
  plot.add_to(command, "levels, largest groups, and what is known of the removed features");
  command.add_option("--truth", truth_file, "Truth file of 'sfg synth': compare with it")
      ->option_text("FILE")
      ->group("Output");
  resume.add_to(command);
  dry_run.add_to(command);
}

}  // namespace

void add_reduce(Program& program) {
  add_command<ReduceCommand>(program, "reduce", kReduceDescription);
}

}  // namespace sfg::cli
