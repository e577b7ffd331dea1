#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <nlohmann/json.hpp>

#include "dry_run.hpp"
#include "options.hpp"
#include "sfg/sfg.hpp"

namespace sfg::cli {

/// Who makes the graph of `graph`: this process alone, or several together.
class GraphMaker {
 public:
  virtual ~GraphMaker() = default;
  /// Options of its own.
  virtual void add_to(CLI::App& /*command*/) {}
  /// What holds without --threads and --memory.
  [[nodiscard]] virtual UsualResources usual() const { return {}; }
  /// The run for reading the data.
  [[nodiscard]] virtual RunContext reading(RunContext run) const { return run; }
  /// As sfg::make_graph.
  [[nodiscard]] virtual MethodResult make(Dataset&& dataset, const MethodOptions& options,
                                          const RunContext& run,
                                          const PursuitCheckpoint& checkpoint) {
    return make_graph(std::move(dataset), options, run, checkpoint);
  }
  /// What make() would do, for people and programs.
  virtual void print_plan(Dataset&& dataset, const MethodOptions& options, const RunContext& run,
                          Console& console) {
    constexpr int kNoOtherCopy = 0;
    DryRun().print(std::move(dataset), options, run, kNoOtherCopy, console);
  }
  /// Adds what is to be told about the last make().
  virtual void add_figures(nlohmann::ordered_json& /*document*/) const {}
};

/// `graph` with another maker than this process alone; it must live as long as the program runs.
void add_graph(CLI::App& app, Console& console, Action& action, GraphMaker& maker);

}  // namespace sfg::cli
