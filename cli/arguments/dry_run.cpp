#include "dry_run.hpp"

#include <fmt/format.h>

#include "command_run.hpp"
#include "sfg/json.hpp"

namespace sfg::cli {

namespace {

std::string megabytes(double bytes) {
  return fmt::format("{:.{}f} MB", bytes / 1e6, bytes < 1e7 ? 1 : 0);
}

}  // namespace

void DryRun::add_to(CLI::App& command) {
  command
      .add_flag("--dry-run", asked,
                "Print the plan with its memory, work and time, from a few sampled features")
      ->group("How to run");
}

void DryRun::print(Dataset&& dataset, const MethodOptions& options, RunContext run,
                   int n_copies_held, Console& console) const {
  const Index n = n_samples(dataset.matrix);
  const Index d = n_features(dataset.matrix);
  const std::string source = dataset.source;
  run.memory_held += static_cast<std::size_t>(n_copies_held) * memory_of(dataset.matrix);
  const PursuitEstimate estimate = estimate_graph(std::move(dataset), options, run);
  const PursuitPlan& plan = estimate.plan;
  const std::string engine = plan.engine == Engine::stream ? fmt::format("stream, {}", plan.kernel)
                                                           : choice_name(plan.engine);
  console.print(fmt::format(
      "Plan for {}: {} x {}\n\n"
      "  engine   {}, {} at a time in each of {}\n"
      "  memory   {}: data {}, engine {}, targets under way {}, result {}\n"
      "  work     {:.3g} multiply-adds ({:.2f} atoms per feature, {:.1f} candidates per step, "
      "sampled)\n"
      "  time     about {} for the graph, on this machine as it is now; what a command does "
      "before\n"
      "           and after it comes on top\n\n"
      "Nothing was made: leave out --dry-run to do it.\n",
      shown_name(source), counted(n, "sample"), counted(d, "feature"), engine,
      counted(plan.block, "target"), counted(run.threads, "thread"), megabytes(plan.bytes()),
      megabytes(plan.held_bytes), megabytes(plan.engine_bytes), megabytes(plan.block_bytes),
      megabytes(plan.result_bytes), estimate.multiply_adds, estimate.mean_atoms,
      estimate.candidates_per_step, duration(estimate.seconds)));
  nlohmann::ordered_json document = document_head("dry-run");
  document["input"] = source;
  document["n_samples"] = n;
  document["n_features"] = d;
  document.update(estimate_json(estimate, run.threads));
  console.print_json(document);
}

}  // namespace sfg::cli
