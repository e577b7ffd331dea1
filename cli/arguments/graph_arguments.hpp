#pragma once

#include <string>

#include "command_run.hpp"
#include "dry_run.hpp"
#include "method_arguments.hpp"
#include "options.hpp"
#include "resume.hpp"

namespace sfg::cli {

extern const char* const kGraphDescription;

/// All that `graph` is told and tells, whoever makes the graph: this process or several together.
struct GraphArguments {
  CommonOptions common;
  OutputOptions output;
  InputOptions input;
  MethodArguments method;
  DryRun dry_run;
  ResumeArguments resume;
  std::string form;
  std::string group_of;
  ListedOptions exporting;

  void add_to(CLI::App& command);

  /// How to make the graph. Throws invalid_option.
  [[nodiscard]] MethodOptions options(Console& console) const;
  /// Announces the output. Throws invalid_option where it cannot take the graph.
  void stage(CommandRun& frame) const;
  /// Writes the graph and prints what it is like. `figures` of the maker's own come last in the
  /// document.
  void finish(CommandRun& frame, const std::string& source, Index n_samples,
              const MethodResult& result, const nlohmann::ordered_json& figures) const;

 private:
  [[nodiscard]] bool to_stdout() const { return output.path == "-"; }
  [[nodiscard]] std::string chosen_form() const;
  [[nodiscard]] std::vector<Index> chosen_group(const FeatureGraph& graph) const;
  [[nodiscard]] std::string exported(const FeatureGraph& graph) const;
  [[nodiscard]] std::string summary(const std::string& source, const FeatureGraph& graph) const;
};

}  // namespace sfg::cli
