#include "reduce/stand_ins.hpp"

#include "core/threads.hpp"

namespace sfg::detail {

namespace {

/// Mean r2 of the other members with this one.
double mean_r2_with(const UnitFeatures& centred, std::span<const Index> members, Index one) {
  double sum = 0;
  for (const Index member : members) {
    if (member != one) sum += squared_correlation(centred, member, one);
  }
  return sum / static_cast<double>(members.size() - 1);
}

StandIn stand_in_for(const UnitFeatures& centred, std::span<const Index> members, Index kept) {
  StandIn best{.kept = kept, .r2 = -1};
  for (const Index member : members) {
    if (member == kept) continue;
    const double r2 = squared_correlation(centred, member, kept);
    if (r2 > best.r2) {
      best.feature = member;
      best.r2 = r2;
    }
  }
  best.mean_r2 = mean_r2_with(centred, members, kept);
  best.mean_r2_instead = mean_r2_with(centred, members, best.feature);
  return best;
}

}  // namespace

void find_stand_ins(const UnitFeatures& centred, const RunContext& run, Reduction& reduction) {
  reduction.stand_ins.clear();
  const Groups& groups = reduction.groups;
  for (const Index feature : reduction.kept) {
    const Index group = groups.group_of[feature];
    if (reduction.representatives[group] == feature && groups.members_of(group).size() > 1) {
      reduction.stand_ins.push_back({.kept = feature});
    }
  }
  parallel_for(run, {}, static_cast<std::int64_t>(reduction.stand_ins.size()),
               [&](std::int64_t item) {
                 StandIn& one = reduction.stand_ins[item];
                 const auto members = groups.members_of(groups.group_of[one.kept]);
                 one = stand_in_for(centred, members, one.kept);
               });
}

}  // namespace sfg::detail
