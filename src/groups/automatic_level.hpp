#pragma once

#include <optional>
#include <vector>

#include "sfg/level.hpp"

namespace sfg::detail {

/// LevelRule::automatic for compact groups; see choose_level().
[[nodiscard]] ChosenLevel automatic_level(const CompactHierarchy& hierarchy,
                                          const LevelInput& input);

/// What the kept features leave unexplained of the removed ones, beside what the whole table does.
class LossJudge {
 public:
  explicit LossJudge(const LevelInput& input);

  struct Loss {
    double ratio = 1;
    double r2loo_mean = 1;
    bool is_small = true;
  };
  /// Over the features in groups that are not kept, a random choice where they are many.
  [[nodiscard]] Loss of(const std::vector<Index>& kept) const;

 private:
  const LevelInput& input_;
  std::vector<Index> in_groups_;
  std::vector<double> known_;  ///< h by feature
};

/// The same rule for cover, which goes from coarse to fine: asked after every pick, it looks at the
/// picks of the grid, and ends at the first good level, unless every level is to be judged.
class AutomaticCover {
 public:
  explicit AutomaticCover(const LevelInput& input);

  /// With such a substitute for every other feature nothing more is to be picked.
  [[nodiscard]] double enough_r2() const noexcept { return enough_r2_; }
  [[nodiscard]] bool is_enough(Index pick);
  /// When all picks are there: the first good level with all of these features that take part; if
  /// there is none, the last.
  [[nodiscard]] Index chosen(const std::vector<Index>& keep);
  [[nodiscard]] std::vector<TriedLevel> take_tried();

 private:
  void look();

  const LevelInput& input_;
  double enough_r2_;
  std::vector<Index> picks_;
  std::size_t next_look_ = 1;
  std::optional<LossJudge> losses_;
  std::optional<SampleNeighbours> neighbours_;
  std::optional<SampleNeighbours::Changing> kept_;
  std::vector<TriedLevel> tried_;
};

}  // namespace sfg::detail
