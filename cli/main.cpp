#include <fmt/format.h>

#include <cstdio>

#include "blas_kernels.hpp"
#include "commands.hpp"
#include "explain_exception.hpp"
#include "option_docs.hpp"
#include "png.hpp"

/// OpenBLAS asks itself this while it is loaded, before main() begins: what OPENBLAS_NUM_THREADS
/// says. Left to itself it starts a thread per core, and these wait in circles for work that never
/// comes, since sfg calls it from threads of its own. The program's answer comes before the
/// library's. `sfg bench`, which needs its threads, asks for them.
extern "C" int openblas_num_threads_env();
extern "C" int openblas_num_threads_env() {
  return 1;
}

namespace {

using namespace sfg;
using namespace sfg::cli;

constexpr const char* kDescription =
    "sfg finds and removes redundant features in wide data without labels.\n\n"
    "Examples:\n"
    "  sfg check data.csv                    what is in the table, and what to run\n"
    "  sfg reduce data.csv -o out            remove redundant features, write out.*\n"
    "  sfg explain out.model.json GENE7      why was this feature removed or kept\n"
    "  sfg sweep data.csv                    kept features for every theta\n"
    "  sfg apply out.model.json new.csv -o new_reduced.csv\n\n"
    "'sfg COMMAND --help' tells all about a command.";

constexpr const char* kFooter =
    "Exit codes: 0 done, 2 wrong usage, 3 cannot open or read, 4 malformed input,\n"
    "5 inputs do not fit each other, 6 degenerate data, 7 cannot write, 8 over the\n"
    "memory limit, 9 relations of a model hold no longer (apply --strict), 70 defect\n"
    "of sfg, 130 interrupted.";

constexpr const char* kShortUsage =
    "sfg: which command? Try 'sfg reduce data.csv -o out', or 'sfg --help' for all of them.\n";

/// Lists commands with the first line of what they do, not with their examples.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_subcommand(const CLI::App* command) const override {
    const std::string text = command->get_description();
    return fmt::format("  {:<11}{}\n", command->get_name(), text.substr(0, text.find('\n')));
  }

  /// "--center,--no-center" without the value that the second one stands for.
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    constexpr std::string_view kValue = "{false}";
    std::string name = CLI::Formatter::make_option_name(option, is_positional);
    const auto at = name.find(kValue);
    return at == std::string::npos ? name : name.erase(at, kValue.size());
  }
};

void print_version(bool json) {
  if (!json) {
    fmt::print("sfg {}\n", version());
    return;
  }
  std::vector<std::string> parts = built_with();
  if (can_make_png()) parts.emplace_back("png");
  const nlohmann::ordered_json document{{"name", "sfg"},
                                        {"version", version()},
                                        {"model_schema_version", kModelSchemaVersion},
                                        {"built_with", parts},
                                        {"blas_kernels", blas_kernels()}};
  fmt::print("{}\n", document.dump());
}

/// Words after "help": the help text of that command.
int print_help(const CLI::App& app, const std::string& command) {
  const auto print = [&](const CLI::App& one, const std::string& name) {
    fmt::print("{}", app.get_formatter()->make_help(&one, name, CLI::AppFormatMode::Normal));
    return 0;
  };
  if (command.empty()) return print(app, "sfg");
  for (const CLI::App* sub : app.get_subcommands({})) {
    if (sub->get_name() == command) return print(*sub, "sfg " + command);
  }
  fmt::print(stderr, "sfg: there is no command '{}'; 'sfg --help' lists them\n", command);
  return exit_status(ErrorCode::invalid_option);
}

/// "did you mean --theta?", nothing where no option or command is near.
std::string suggestion(const CLI::App& app, const CLI::App* chosen) {
  const std::vector<std::string> words = app.remaining(true);
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (chosen == nullptr) known.push_back(command->get_name());
  }
  if (chosen != nullptr) {
    for (const CLI::Option* option : chosen->get_options()) {
      if (option->get_group().empty()) continue;  // an old spelling
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
  }
  for (const std::string& word : words) {
    const bool is_option = word.starts_with('-');
    if (is_option != (chosen != nullptr)) continue;
    const auto near = nearest_names(word.substr(0, word.find('=')), known);
    if (!near.empty()) return fmt::format("did you mean {}? ", fmt::join(near, " or "));
  }
  return {};
}

int explain_usage(const CLI::App& app, const CLI::ParseError& fault) {
  const auto commands = app.get_subcommands();
  const CLI::App* chosen = commands.empty() ? nullptr : commands.front();
  const std::string name = chosen == nullptr ? "" : chosen->get_name() + " ";
  const std::vector<std::string> words = app.remaining(true);
  const bool is_unknown = chosen == nullptr && !words.empty() && !words.front().starts_with('-');
  const std::string what =
      is_unknown ? fmt::format("there is no command '{}'", words.front()) : fault.what();
  fmt::print(stderr, "sfg: {}\n{}'sfg {}--help' tells how to use it\n", what,
             suggestion(app, chosen), name);
  return exit_status(ErrorCode::invalid_option);
}

/// In the order in which the help lists them.
void add_commands(Program& program) {
  add_check(program);
  add_reduce(program);
  add_explain(program);
  add_predict(program);
  add_sweep(program);
  add_graph(program);
  add_select(program);
  add_compare(program);
  add_stability(program);
  add_report(program);
  add_experiment(program);
  add_apply(program);
  add_cluster(program);
  add_score(program);
  add_convert(program);
  add_info(program);
  add_synth(program);
  add_bench(program);
}

int run(int argc, char** argv, Console& console) {
  CLI::App app{kDescription, "sfg"};
  app.footer(kFooter);
  const auto formatter = std::make_shared<HelpFormatter>();
  formatter->column_width(28);
  app.formatter(formatter);
  bool wants_version = false;
  bool wants_json = false;
  app.add_flag("--version", wants_version, "The version, with --json also what is built in");
  app.add_flag("--json", wants_json)->group("");
  Action action;
  Program program{app, console, action, {argv + 1, argv + argc}};
  add_commands(program);
  std::string help_topic;
  auto* help = app.add_subcommand("help", "Help on a command");
  help->add_option("command", help_topic, "Its name");
  bool wants_options = false;
  help->add_flag("--options", wants_options, "All options of the library, as Markdown");
  app.require_subcommand(0, 1);

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& call) {
    return app.exit(call);
  } catch (const CLI::ParseError& fault) {
    return explain_usage(app, fault);
  }
  if (wants_version) {
    print_version(wants_json);
    return 0;
  }
  if (wants_options) {
    fmt::print("{}", options_document());
    return 0;
  }
  if (help->parsed()) return print_help(app, help_topic);
  if (!action) {
    fmt::print(stderr, kShortUsage);
    return exit_status(ErrorCode::invalid_option);
  }
  action();
  console.finish();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  use_kernels_of_this_processor(argv);
  install_interrupt_handler();
  guard_mapped_files();
  Console console;
  try {
    return run(argc, argv, console);
  } catch (...) {
    console.clear_progress();
    return explain_exception("sfg");
  }
}
