#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>

#include "command_run.hpp"
#include "commands.hpp"
#include "reduce_output.hpp"
#include "sfg/json.hpp"

namespace sfg::cli {

namespace {

constexpr const char* kReportDescription =
    "The interactive page: one HTML file that opens in any browser, without network.\n\n"
    "Examples:\n"
    "  sfg report genes.csv -o genes.html\n"
    "  sfg report faces.mat --image 32x32 -o faces.html     features drawn as pixels\n"
    "  sfg report genes.csv --labels tissue -o genes.html   with NMI and ACC at every theta\n"
    "  sfg report X.npy --theta 0.5 -o page.html            opens with the paper's groups\n\n"
    "It says what can go and what that loses: the verdict of 'sfg reduce' with the same options,\n"
    "a map of the features, plots of each group's members against what stands for them, and\n"
    "every other level at a slider. The paper's groups are always there beside them. Values of\n"
    "some samples are in the page; --no-values leaves them out.";

struct ReportCommand : TableArguments {
  ListedOptions page;

  void add_arguments(CLI::App& command);
  void run(Console& console) const;
  [[nodiscard]] ReportOptions report_options() const;
};

/// The moment that a reproducible build asks for: pages that are made twice must be equal.
std::optional<std::time_t> fixed_moment() {
  /// The end of the year 9999.
  constexpr double kLatest = 253402300799;
  const char* text = std::getenv("SOURCE_DATE_EPOCH");
  const auto seconds = text == nullptr ? std::nullopt : parse_number(text);
  if (!seconds || !(*seconds >= 0 && *seconds <= kLatest)) return std::nullopt;
  return static_cast<std::time_t>(*seconds);
}

ReportOptions ReportCommand::report_options() const {
  ReportOptions options = page.read<ReportOptions>();
  options.method = method.options();
  options.other = method.shared_with(other_grouping(options.method.grouping));
  // Scores take time: classes that happen to be in the file are no wish for them.
  if (!options.scores && input.read_options().labels.empty()) options.scores = false;
  const auto fixed = fixed_moment();
  options.created =
      fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(fixed.value_or(std::time(nullptr))));
  options.shows_seconds = !fixed;
  check(options);
  return options;
}

/// A word as a shell reads it back.
std::string shell_word(const std::string& word) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_./-+=:,").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// Files by their name alone: who reads the page has other folders than who made it.
std::string without_folder(const std::string& word) {
  std::error_code ignored;
  const bool is_file = std::filesystem::is_regular_file(word, ignored);
  return is_file ? std::filesystem::path(word).filename().string() : word;
}

/// The options of these groups that were given, as words.
std::string given_words(const CLI::App& command, std::initializer_list<std::string_view> groups) {
  std::string text;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || std::ranges::count(groups, option->get_group()) == 0) continue;
    if (!option->get_positional()) text += " --" + option->get_lnames().front();
    if (option->get_expected_max() == 0) continue;
    for (const std::string& word : option->results())
      text += " " + shell_word(without_folder(word));
  }
  return text.empty() ? text : text.substr(1);
}

void ReportCommand::run(Console& console) const {
  CommandRun frame(*command, common, output, console);
  method.note_old_spellings(console);
  page.note_old_spellings(console);
  ReportOptions options = report_options();
  if (output.path.empty()) {
    throw Error(ErrorCode::invalid_option, "say where the page goes: -o page.html");
  }
  frame.stage_output({".html", ".htm"});
  const Dataset dataset = frame.read(input);
  method.read_lists(options.method, dataset.feature_names, frame.reading());
  if (options.title.empty() && input.path == "-") options.title = shown_name(input.path);
  options.input_words = given_words(*command, {"Options", "Reading", "Graph"});
  options.group_words = given_words(*command, {"Groups", "Certificate"});
  const Report report = make_report(dataset, options, frame.context(), frame.journal(resume));
  const auto note = too_few_note(dataset, options.method, report.method);
  if (!note.empty()) console.note(note);
  frame.tell_about_journal();
  frame.add_seconds(report.method.seconds);
  frame.write_output(report.html);
  frame.commit();

  nlohmann::ordered_json fields = reduction_json(dataset, options.method, report.method);
  fields["output"] = output.path;
  fields["output_bytes"] = report.html.size();
  frame.print(fmt::format("{}\nWrote {} ({}): open it in a browser.\n",
                          reduce_summary(dataset, options.method, report.method), output.path,
                          format_bytes(static_cast<double>(report.html.size()))),
              frame.document(dataset.source, fields));
}

void ReportCommand::add_arguments(CLI::App& command) {
  input.add_to(command, "CSV, TSV, NPY, MAT, MTX, svmlight or h5ad, also packed; - is stdin");
  method.add_to(command, MethodPart::whole);
  page.add_all<ReportOptions>(command, "Page");
  output.add_to(command, "HTML file to write");
  resume.add_to(command);
}

}  // namespace

void add_report(Program& program) {
  add_command<ReportCommand>(program, "report", kReportDescription);
}

}  // namespace sfg::cli
