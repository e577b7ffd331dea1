#pragma once

#include <span>
#include <string>
#include <vector>

#include "sfg/graph.hpp"
#include "sfg/matrix.hpp"
#include "sfg/normalise.hpp"
#include "sfg/options.hpp"

namespace sfg {

/// Squared correlation of a copy: 1 but for rounding.
inline constexpr double kCopyR2 = 1 - 1e-9;

/// Features divided into groups, numbered by their lowest member.
struct Groups {
  std::vector<Index> group_of;    ///< by feature
  std::vector<Offset> starts{0};  ///< members of group g are [starts[g], starts[g+1])
  std::vector<Index> members;     ///< ascending within a group

  [[nodiscard]] Index n_groups() const noexcept { return static_cast<Index>(starts.size()) - 1; }
  [[nodiscard]] std::span<const Index> members_of(Index group) const noexcept;
  [[nodiscard]] Index largest() const noexcept;  ///< size of the largest group
};

/// The largest groups, largest first, at most so many of them; ties: the one with the lowest
/// number.
[[nodiscard]] std::vector<Index> largest_groups(const Groups& groups, std::size_t most);

/// Groups that are more than a feature alone.
[[nodiscard]] Index groups_of_two_or_more(const Groups& groups);

/// Which member stands for its group; ties: lowest index.
enum class RepresentativeRule {
  in_degree,           ///< used by most features (the paper's text)
  out_degree,          ///< has the longest representation itself (the paper's published tables)
  weighted_in_degree,  ///< largest sum of |w| over the features that use it
  /// Largest sum of squared inner products with its group; in compact groups the in-degree, then
  /// the lower peak (largest |f_i| of a sample), decide between equals.
  medoid,
  priority,  ///< first in a list of the user's; groups without a listed one: in_degree
  // By a score that every feature has of its own. Groups and their level are found by the usual
  // rule of the grouping, and then the member with the best score is kept: see members.hpp.
  target,    ///< goes best with the target
  missing,   ///< has the fewest missing values
  variance,  ///< has the largest variance
  cost,      ///< costs least
};

template <>
inline constexpr auto kChoices<RepresentativeRule> = std::array{
    Choice{RepresentativeRule::in_degree, "in-degree", "describes most features"},
    Choice{RepresentativeRule::out_degree, "out-degree", "is described by most features"},
    Choice{RepresentativeRule::weighted_in_degree, "weighted-in-degree",
           "describes most features, by weight"},
    Choice{RepresentativeRule::medoid, "medoid", "correlates most with its group"},
    Choice{RepresentativeRule::priority, "priority", "comes first in a list"},
    Choice{RepresentativeRule::target, "target",
           "goes best with the target; the groups do not look at it"},
    Choice{RepresentativeRule::missing, "missing", "has the fewest missing values"},
    Choice{RepresentativeRule::variance, "variance", "has the largest variance"},
    Choice{RepresentativeRule::cost, "cost", "costs least"}};

/// Whether a rule goes by a score of its own, after the groups are found.
[[nodiscard]] bool is_scored(RepresentativeRule rule) noexcept;

struct RepresentativeOptions {
  RepresentativeRule rule = RepresentativeRule::in_degree;
  /// Features in order of preference, for RepresentativeRule::priority.
  std::vector<Index> priority;
  /// Features that must be kept: one of them represents its group, by the same rule.
  std::vector<Index> keep;
};

/// One member per group. Failed representations count for nothing. The medoid needs the features;
/// the other rules look at the graph only.
[[nodiscard]] std::vector<Index> choose_representatives(const Groups& groups,
                                                        const FeatureGraph& graph,
                                                        const UnitFeatures* features,
                                                        const RepresentativeOptions& options,
                                                        const RunContext& run = {});

}  // namespace sfg
