#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "console.hpp"
#include "sfg/options.hpp"

namespace sfg::cli {

/// The library's options on a command line: one argument for every field of a list, with its help,
/// choices and default. Values stay texts until the library reads them.
class ListedOptions {
 public:
  /// Adds `--field VALUE`; `--field` and `--no-field` where a field is a switch. Spellings of
  /// earlier versions are accepted too, and noted. `short_name` as in "-m".
  void add(CLI::App& command, const FieldDescription& field, const std::string& group,
           const std::string& short_name = {});

  template <typename Options>
  void add_all(CLI::App& command, const std::string& group, const Options& usual = {}) {
    for (const FieldDescription& field : describe_fields(usual)) add(command, field, group);
  }

  /// What was given, by field.
  [[nodiscard]] GivenTexts given() const;
  [[nodiscard]] bool has(std::string_view field) const;

  /// The options with what was given.
  template <typename Options>
  [[nodiscard]] Options read(Options options = {}) const {
    const GivenTexts texts = given();
    TextSetter setter(texts);
    visit_fields(options, setter);
    return options;
  }

  /// Tells the user about old spellings.
  void note_old_spellings(Console& console) const;

 private:
  struct Argument {
    std::string field;
    CLI::Option* option;
    /// What an old spelling stands for: field and value from its own value. Empty: as it is.
    std::function<std::pair<std::string, std::string>(const std::string&)> meaning = {};
  };
  /// Old spellings are no part of the help.
  [[nodiscard]] static bool is_old(const Argument& argument) {
    return argument.option->get_group().empty();
  }
  /// What was given: the field, the value as it was written and as it is spelt now.
  struct Given {
    std::string field, value, now;
  };
  [[nodiscard]] static Given given_by(const Argument& argument);
  void add_old_spellings(CLI::App& command, const std::string& field);

  std::vector<Argument> arguments_;
};

}  // namespace sfg::cli
