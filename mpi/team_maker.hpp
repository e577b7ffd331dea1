#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "command_run.hpp"
#include "console.hpp"
#include "job.hpp"
#include "options.hpp"
#include "plan.hpp"
#include "sfg/checkpoint.hpp"
#include "sfg/pipeline.hpp"
#include "team.hpp"

namespace sfg::mpi {

/// The graph made by all ranks of a team; lives at the first one, which reads and writes.
class TeamMaker {
 public:
  explicit TeamMaker(Team& team) : team_(team) {}

  /// --distribute, --ranks-per-copy and --lost-after.
  void add_to(CLI::App& command);
  /// What holds without --threads and --memory.
  [[nodiscard]] cli::UsualResources usual() const;
  /// Reads the input of a command: every rank a part of it where that can be; the data set then has
  /// the sizes of the table and no values. Else the first rank reads it.
  [[nodiscard]] Dataset read(const cli::InputOptions& input, const MethodOptions& options,
                             cli::CommandRun& frame);
  /// As sfg::make_graph, of what was read.
  [[nodiscard]] MethodResult make(Dataset&& dataset, const MethodOptions& options,
                                  const RunContext& run, const PursuitCheckpoint& checkpoint);
  /// What make() would do, for people and programs.
  void print_plan(Dataset&& dataset, const MethodOptions& options, const RunContext& run,
                  cli::Console& console);
  /// What is to be told about the last make().
  [[nodiscard]] nlohmann::ordered_json figures() const;

  /// The other ranks are in the middle of a job: an error must end them too.
  [[nodiscard]] bool is_at_work() const noexcept { return at_work_; }

 private:
  [[nodiscard]] bool read_parts_of(const cli::InputOptions& input, const MethodOptions& options,
                                   const cli::CommandRun& frame);
  [[nodiscard]] UnitFeatures features_of(Dataset& dataset, const MethodOptions& options,
                                         const RunContext& run) const;
  [[nodiscard]] RankPlan plan(const UnitFeatures& features, PursuitOptions options,
                              const RunContext& run, Reading reading) const;
  [[nodiscard]] Representations pursue(UnitFeatures features, const PursuitOptions& options,
                                       const RunContext& run, const PursuitCheckpoint& checkpoint);

  Team& team_;
  std::string distribution_ = "auto";
  int ranks_per_copy_ = 0;
  std::int64_t patience_ = kUsualPatience;
  bool at_work_ = false;
  std::optional<FeatureParts> parts_;  ///< of the first rank, if all of them have read theirs
  std::string why_not_in_parts_;
  Job job_;
  double planned_bytes_ = 0;
  std::vector<Traffic> traffic_;
};

}  // namespace sfg::mpi
