#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "console.hpp"
#include "options.hpp"
#include "resume.hpp"
#include "run_log.hpp"

namespace sfg::cli {

/// The frame of a command that computes. It holds what all of them need (run, log, outputs,
/// journal, times) and does what all of them do:
///
///     CommandRun frame(*command, common, output, console);
///     ...                                    // options, checked before any file is touched
///     frame.stage_output({".tsv"});          // a file in the way comes to light now
///     const Dataset dataset = frame.read(input);
///     const auto result = reduce(dataset, options, frame.context(), frame.journal(resume));
///     frame.tell_about_journal();
///     frame.write_output(text);
///     frame.commit();                        // all outputs or none; the journal has served
///     frame.print(summary, frame.document(input, fields));
class CommandRun {
 public:
  /// Starts the clock. The arguments have to outlive the frame.
  CommandRun(const CLI::App& command, const CommonOptions& common, const OutputOptions& output,
             Console& console, const UsualResources& usual = {});

  [[nodiscard]] const RunContext& context() const noexcept { return context_; }
  /// The run for reading files (CommonOptions::reading).
  [[nodiscard]] RunContext reading() const { return common_.reading(context_); }
  [[nodiscard]] Console& console() noexcept { return console_; }
  [[nodiscard]] RunLog& log() noexcept { return log_; }
  [[nodiscard]] OutputFiles& files() noexcept { return files_; }
  /// Whether there is an -o.
  [[nodiscard]] bool has_output() const noexcept { return !output_.path.empty(); }
  /// Whether it is standard output, where then nothing else goes.
  [[nodiscard]] bool to_stdout() const noexcept { return output_.path == "-"; }
  /// Throws invalid_option where the output and --json both want standard output.
  void check_stdout() const;

  /// Announces the file that -o names, if there is one. Throws invalid_option for an ending that is
  /// none of these (none given: any will do).
  void stage_output(std::initializer_list<std::string_view> endings);
  /// Writes that file, if there is one, or prints the text.
  void write_output(const std::string& text);
  /// Puts all outputs in their places and removes the journal.
  void commit();

  /// Reads the input; the time until then is that of the stage "read".
  [[nodiscard]] Dataset read(const InputOptions& input) { return read(input, reading()); }
  [[nodiscard]] Dataset read(const InputOptions& input, const RunContext& run);
  /// The same with options that the command adds to.
  [[nodiscard]] Dataset read(const InputOptions& input, const ReadOptions& options);
  /// What was done about missing values of the input.
  [[nodiscard]] const MissingReport& missing() const noexcept { return missing_; }
  /// The end of the stage "read" for commands that read something else than a table.
  void reading_is_done();

  /// The journal beside the output.
  [[nodiscard]] PursuitCheckpoint journal(const ResumeArguments& resume);
  /// What the graph owes to the journal; call it when the graph is there.
  void tell_about_journal();

  /// Stages that the library has timed.
  void add_seconds(const StageSeconds& stages);
  /// Does a stage and notes how long it took.
  template <typename Work>
  auto timed(const std::string& stage, Work&& work) {
    const double before = log_.seconds();
    auto result = work();
    seconds_.emplace_back(stage, log_.seconds() - before);
    return result;
  }

  /// The command's JSON document: who speaks, the input, the fields, the time of every stage and
  /// the memory.
  [[nodiscard]] nlohmann::ordered_json document(const std::string& input,
                                                const nlohmann::ordered_json& fields) const;
  /// The same for commands with several inputs.
  [[nodiscard]] nlohmann::ordered_json document(const nlohmann::ordered_json& fields) const;
  /// For people and for programs, whichever is wanted.
  void print(const std::string& summary, const nlohmann::ordered_json& document);

 private:
  [[nodiscard]] nlohmann::ordered_json finished(nlohmann::ordered_json head,
                                                const nlohmann::ordered_json& fields) const;

  const CLI::App& command_;
  const CommonOptions& common_;
  const OutputOptions& output_;
  Console& console_;
  RunContext context_;
  RunLog log_;
  OutputFiles files_;
  MissingReport missing_;
  StageSeconds seconds_;
  std::optional<GraphJournal> journal_;
};

/// The first fields of every JSON document.
[[nodiscard]] nlohmann::ordered_json document_head(const std::string& command);

}  // namespace sfg::cli
