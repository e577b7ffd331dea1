#include "command_run.hpp"

#include "output_path.hpp"

namespace sfg::cli {

namespace {

/// What the file that -o names is called among the outputs.
constexpr const char* kOutput = "output";

}  // namespace

CommandRun::CommandRun(const CLI::App& command, const CommonOptions& common,
                       const OutputOptions& output, Console& console, const UsualResources& usual)
    : command_(command),
      common_(common),
      output_(output),
      console_(console),
      context_(common.run(console, usual)),
      log_(command, context_),
      files_(output.existing()) {
  if (to_stdout()) console_.reserve_stdout();
}

void CommandRun::check_stdout() const {
  if (!to_stdout() || !common_.json) return;
  throw Error(ErrorCode::invalid_option,
              "-o - prints the result itself, so that --json has no place there: leave one out");
}

void CommandRun::stage_output(std::initializer_list<std::string_view> endings) {
  check_stdout();
  check_ending(output_.path, endings);
  if (has_output() && !to_stdout()) files_.stage(kOutput, output_.path);
}

void CommandRun::write_output(const std::string& text) {
  if (to_stdout()) return console_.print_result(text);
  if (has_output()) files_.write_text(kOutput, text);
}

void CommandRun::commit() {
  files_.commit();
  if (journal_) journal_->finish();
}

Dataset CommandRun::read(const InputOptions& input, const RunContext& run) {
  Dataset dataset = input.read(input.read_options(), run, console_, &missing_);
  reading_is_done();
  return dataset;
}

Dataset CommandRun::read(const InputOptions& input, const ReadOptions& options) {
  Dataset dataset = input.read(options, reading(), console_, &missing_);
  reading_is_done();
  return dataset;
}

void CommandRun::reading_is_done() {
  seconds_.emplace_back("read", log_.seconds());
}

PursuitCheckpoint CommandRun::journal(const ResumeArguments& resume) {
  journal_.emplace(resume, output_, console_);
  return journal_->checkpoint();
}

void CommandRun::tell_about_journal() {
  if (journal_) journal_->tell();
}

void CommandRun::add_seconds(const StageSeconds& stages) {
  seconds_.insert(seconds_.end(), stages.begin(), stages.end());
}

nlohmann::ordered_json CommandRun::finished(nlohmann::ordered_json head,
                                            const nlohmann::ordered_json& fields) const {
  head.update(fields);
  head["seconds"] = RunLog::seconds_json(seconds_, log_.seconds());
  head["peak_rss_bytes"] = peak_resident_bytes();
  return head;
}

nlohmann::ordered_json CommandRun::document(const std::string& input,
                                            const nlohmann::ordered_json& fields) const {
  nlohmann::ordered_json head = document_head(command_.get_name());
  head["input"] = input;
  return finished(std::move(head), fields);
}

nlohmann::ordered_json CommandRun::document(const nlohmann::ordered_json& fields) const {
  return finished(document_head(command_.get_name()), fields);
}

void CommandRun::print(const std::string& summary, const nlohmann::ordered_json& document) {
  console_.print(summary);
  console_.print_json(document);
}

nlohmann::ordered_json document_head(const std::string& command) {
  return {{"schema_version", 1}, {"sfg_version", version()}, {"command", command}};
}

}  // namespace sfg::cli
