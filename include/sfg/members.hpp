#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sfg/groups.hpp"
#include "sfg/target.hpp"

// Which member of a group is kept where something beside the features says so: a target, a price, a
// list of features that nobody wants to measure. Groups are found without any of it. Once they are
// settled, the kept member of each is exchanged for the one that is wanted.
namespace sfg {

/// Scores of a target (r^2, eta^2) and logarithms of variances this close are a tie: copies differ
/// by rounding.
inline constexpr double kMemberTie = 1e-9;

struct MemberChoice {
  std::vector<double> scores = {};  ///< by feature: the highest is kept; empty: none is asked for
  double tie = 0;                   ///< scores this close to the highest are a tie
  std::vector<Index> keep = {};     ///< protected: one of them is kept
  std::vector<Index> avoid = {};    ///< kept only where the group has no other member

  [[nodiscard]] bool is_asked_for() const noexcept { return !scores.empty() || !avoid.empty(); }
};

/// The member to keep of each group whose member is kept now (`representatives`, with the flags
/// `kept` by feature); that of the other groups stays. Among those that tie the one that is kept
/// now goes first, then the medoid, then the lowest index.
[[nodiscard]] std::vector<Index> choose_members(
    const Groups& groups, std::span<const Index> representatives, std::span<const char> kept,
    const UnitFeatures& centred, const MemberChoice& choice, const RunContext& run = {});

}  // namespace sfg
