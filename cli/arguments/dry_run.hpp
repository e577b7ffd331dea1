#pragma once

#include <CLI/CLI.hpp>

#include "console.hpp"
#include "sfg/sfg.hpp"

namespace sfg::cli {

/// --dry-run: what making the graph would take, instead of making it.
struct DryRun {
  bool asked = false;

  void add_to(CLI::App& command);
  /// Prints the plan. The matrix is used up. `n_copies_held`: other copies of the data that the
  /// command would hold meanwhile.
  void print(Dataset&& dataset, const MethodOptions& options, RunContext run, int n_copies_held,
             Console& console) const;
};

}  // namespace sfg::cli
