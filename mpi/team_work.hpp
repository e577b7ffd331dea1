#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "background_receiver.hpp"
#include "counter.hpp"
#include "pursuit/checkpoint/shared_work.hpp"
#include "result_queue.hpp"
#include "team.hpp"

namespace sfg::mpi {

/// Targets that a rank claims at once: few enough that all end together, enough that claiming costs
/// nothing.
inline constexpr std::int64_t kTargetsPerClaim = 32;

/// The work of a pursuit, shared by all ranks of a team.
class TeamWork final : public detail::SharedWork {
 public:
  TeamWork(Team& team, ResultQueue& results);

  /// Collective: until all results are at the first rank.
  void finish(std::int64_t n_targets);

  [[nodiscard]] int n_processes() const override { return team_.size(); }
  [[nodiscard]] detail::ItemRange claim(Stage stage, std::int64_t n_items) override;
  void keep(const TargetBlock& block) override;
  void item_done() override;
  [[nodiscard]] bool agree_on(const std::string& text) override;
  void raise_to_largest(std::span<float> thresholds) override;
  [[nodiscard]] std::vector<char> gather(std::span<const char> bytes) override;

 private:
  Team& team_;
  ResultQueue& results_;
  Counters counters_;
  std::optional<BackgroundReceiver> receiver_;  ///< of the first rank
};

}  // namespace sfg::mpi
