#include "resume.hpp"

#include <fmt/format.h>

#include "explain_exception.hpp"

namespace sfg::cli {

namespace {

OldJournal treatment(const ResumeArguments& arguments, const OutputOptions& output) {
  if (arguments.resume) return output.force ? OldJournal::go_on_any : OldJournal::go_on;
  return output.force ? OldJournal::replace : OldJournal::leave;
}

/// Why a delay is no delay, or nothing. The journal itself would tell after the input is read.
std::string refusal_of_delay(const std::string& text) {
  JournalOptions options;
  const GivenTexts given{{"journal_after", text}};
  TextSetter setter(given);
  try {
    visit_fields(options, setter);
    check_fields(options);
  } catch (const Error& error) {
    return message(error, spell_option);
  }
  return {};
}

std::string features(std::size_t n) {
  return counted(static_cast<std::int64_t>(n), "feature");
}

}  // namespace

void ResumeArguments::add_to(CLI::App& command) {
  command
      .add_flag("--resume", resume,
                "Go on with the graph of the same command that was cut off, from OUTPUT.journal")
      ->group("Output");
  journal.add_all<JournalOptions>(command, "Output");
  command.get_option("--journal-after")->check(refusal_of_delay);
}

void ResumeArguments::check_fit(const MethodOptions& options) const {
  if (!resume || pursuit_of(options.grouping) != nullptr) return;
  throw Error(
      ErrorCode::invalid_option,
      "--resume goes on with a pursuit, and there is none with cover, pairwise or --edges knn");
}

GraphJournal::GraphJournal(const ResumeArguments& arguments, const OutputOptions& output,
                           Console& console)
    : console_(console) {
  if (output.path.empty() || output.path == "-") {
    if (!arguments.resume) return;
    throw Error(ErrorCode::invalid_option,
                "--resume goes on from the journal beside an output: give the -o of the run that "
                "was cut off");
  }
  path_ = output.path + ".journal";
  const OldJournal old = treatment(arguments, output);
  auto options = arguments.journal.read<JournalOptions>();
  options.old = old;
  journal_.emplace(path_, options);
  if (arguments.resume && !journal_->was_there()) {
    console_.note(fmt::format("there is no {}: this run begins anew", path_));
  }
  if (journal_->was_there() && old == OldJournal::leave) {
    console_.note(fmt::format(
        "{} of a run that was cut off is there: --resume goes on from it, --force replaces it; "
        "this run begins anew, leaves it alone and keeps no journal",
        path_));
  }
}

GraphJournal::~GraphJournal() {
  if (!journal_ || journal_->n_written() == 0) return;
  try {
    console_.note(fmt::format("{} has {}: the same command with --resume goes on from there", path_,
                              features(journal_->n_written())));
  } catch (...) {
    // Out of memory, most likely: the run ends with its own message.
  }
}

PursuitCheckpoint GraphJournal::checkpoint() {
  return journal_ ? journal_->checkpoint() : PursuitCheckpoint{};
}

void GraphJournal::tell() {
  if (!journal_) return;
  if (journal_->n_dropped() > 0) {
    console_.note(
        fmt::format("{}: its damaged end was dropped ({} bytes)", path_, journal_->n_dropped()));
  }
  if (journal_->n_recalled() > 0) {
    console_.note(fmt::format("{}: {} of an earlier run were not computed again", path_,
                              features(journal_->n_recalled())));
  }
  if (!journal_->failure().empty()) {
    console_.note(
        fmt::format("the journal was given up, this run went on: {}", journal_->failure()));
  }
}

void GraphJournal::finish() {
  if (!journal_) return;
  journal_->finish();
  journal_.reset();
}

}  // namespace sfg::cli
