#pragma once

#include <string>
#include <vector>

#include "graph_maker.hpp"
#include "job.hpp"
#include "team.hpp"

namespace sfg::mpi {

/// The graph made by all ranks of a team; lives at the first one, which reads and writes.
class TeamMaker final : public cli::GraphMaker {
 public:
  explicit TeamMaker(Team& team) : team_(team) {}

  void add_to(CLI::App& command) override;
  [[nodiscard]] cli::UsualResources usual() const override;
  [[nodiscard]] RunContext reading(RunContext run) const override;
  [[nodiscard]] MethodResult make(Dataset&& dataset, const MethodOptions& options,
                                  const RunContext& run,
                                  const PursuitCheckpoint& checkpoint) override;
  void print_plan(Dataset&& dataset, const MethodOptions& options, const RunContext& run,
                  cli::Console& console) override;
  void add_figures(nlohmann::ordered_json& document) const override;

  /// The other ranks are in the middle of a job: an error must end them too.
  [[nodiscard]] bool is_at_work() const noexcept { return at_work_; }

 private:
  [[nodiscard]] Representations pursue(UnitFeatures features, const PursuitOptions& options,
                                       const RunContext& run, const PursuitCheckpoint& checkpoint);

  Team& team_;
  std::string distribution_ = "auto";
  int ranks_per_copy_ = 0;
  bool at_work_ = false;
  Job job_;
  double planned_bytes_ = 0;
  std::vector<Traffic> traffic_;
};

}  // namespace sfg::mpi
