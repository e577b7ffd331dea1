#include "sfg/members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/threads.hpp"
#include "groups/medoid_scores.hpp"
#include "sfg/error.hpp"
#include "sfg/grouping.hpp"
#include "sfg/text.hpp"

namespace sfg {

namespace {

/// Below every score.
constexpr double worst_score() {
  return -std::numeric_limits<double>::infinity();
}

/// Those that a demand leaves, or all where it would leave none.
template <typename Demand>
void narrow(std::vector<Index>& members, const Demand& demand) {
  if (std::ranges::any_of(members, demand)) {
    std::erase_if(members, [&](Index member) { return !demand(member); });
  }
}

class Chooser {
 public:
  Chooser(const UnitFeatures& centred, const MemberChoice& choice, const RunContext& run)
      : centred_(centred),
        choice_(choice),
        run_(run),
        medoids_(centred),
        medoid_scores_(centred.kind.size(), 0.0),
        is_protected_(centred.kind.size(), 0),
        is_avoided_(centred.kind.size(), 0) {
    for (const Index feature : choice.keep) is_protected_[feature] = 1;
    for (const Index feature : choice.avoid) is_avoided_[feature] = 1;
  }

  [[nodiscard]] Index best(std::span<const Index> members, Index now) {
    std::vector<Index> left(members.begin(), members.end());
    narrow(left, [&](Index member) { return is_protected_[member] != 0; });
    narrow(left, [&](Index member) { return is_avoided_[member] == 0; });
    if (!choice_.scores.empty()) {
      double highest = worst_score();
      for (const Index member : left) highest = std::max(highest, choice_.scores[member]);
      narrow(left, [&](Index member) { return choice_.scores[member] >= highest - choice_.tie; });
    }
    if (left.size() == 1) return left.front();
    return std::ranges::find(left, now) != left.end() ? now : medoid(members, left);
  }

 private:
  /// Of those that are left the one that correlates most with the whole group.
  [[nodiscard]] Index medoid(std::span<const Index> members, std::span<const Index> left) {
    if (medoids_.is_large(members.size() / 2, members.size() / 2)) {
      detail::medoid_scores_of_large(centred_, members, run_, medoid_scores_);
    } else {
      const detail::SingleThreadedBlas single_threaded;
      medoids_.whole(members, medoid_scores_);
    }
    double highest = worst_score();
    for (const Index member : left) highest = std::max(highest, medoid_scores_[member]);
    return *std::ranges::find_if(
        left, [&](Index member) { return medoid_scores_[member] >= highest - kMemberTie; });
  }

  const UnitFeatures& centred_;
  const MemberChoice& choice_;
  const RunContext& run_;
  detail::MedoidScores medoids_;
  std::vector<double> medoid_scores_;
  std::vector<char> is_protected_;
  std::vector<char> is_avoided_;
};

const FeatureNumbers& costs_of(const GroupingOptions& options) {
  static const FeatureNumbers none;
  if (const auto* compact = std::get_if<CompactOptions>(&options)) return compact->cost;
  const auto* components = std::get_if<ComponentOptions>(&options);
  return components != nullptr ? components->cost : none;
}

std::vector<double> scores_by_cost(const FeatureNumbers& cost, Index n_features) {
  if (cost.empty()) {
    throw Error(ErrorCode::invalid_option, "", "",
                {"cost", "{representative=cost} needs what each feature costs: give {cost}"});
  }
  if (static_cast<Index>(cost.size()) != n_features) {
    throw Error(ErrorCode::inconsistent_input,
                fmt::format("there are {} costs for {} features", cost.size(), n_features), "",
                {"cost", "give {cost} one number per feature"});
  }
  std::vector<double> scores;
  for (const double one : cost) scores.push_back(std::isnan(one) ? worst_score() : -one);
  return scores;
}

std::vector<double> scores_by_gaps(const std::vector<Offset>& n_missing, Index n_features) {
  std::vector<double> scores(static_cast<std::size_t>(n_features), 0.0);
  for (std::size_t i = 0; i < n_missing.size(); ++i) {
    scores[i] = -static_cast<double>(n_missing[i]);
  }
  return scores;
}

/// Logarithms, so that a tie is a matter of ratios.
std::vector<double> scores_by_variance(const UnitFeatures& centred) {
  std::vector<double> scores;
  for (Index i = 0; i < centred.n_features(); ++i) {
    scores.push_back(centred.norm[i] > 0 ? log_norm(centred, i) : worst_score());
  }
  return scores;
}

Target target_of(const Dataset& dataset) {
  if (!dataset.labels) {
    throw Error(ErrorCode::invalid_option, "", "",
                {"target", "{representative=target} needs one value per sample: give {target}"});
  }
  return read_target(*dataset.labels, n_samples(dataset.matrix));
}

void require_disjoint(const FeatureList& keep, const FeatureList& avoid,
                      const std::vector<std::string>& names) {
  for (const Index feature : avoid) {
    if (std::ranges::find(keep, feature) == keep.end()) continue;
    throw Error(ErrorCode::invalid_option,
                fmt::format("'{}' is both to be kept and to be avoided", escaped(names[feature])),
                "", {"avoid", "take it out of {keep} or out of {avoid}"});
  }
}

}  // namespace

bool is_scored(RepresentativeRule rule) noexcept {
  switch (rule) {
    case RepresentativeRule::target:
    case RepresentativeRule::missing:
    case RepresentativeRule::variance:
    case RepresentativeRule::cost:
      return true;
    default:
      return false;
  }
}

std::vector<Index> choose_members(const Groups& groups, std::span<const Index> representatives,
                                  std::span<const char> kept, const UnitFeatures& centred,
                                  const MemberChoice& choice, const RunContext& run) {
  std::vector<Index> chosen(representatives.begin(), representatives.end());
  Chooser chooser(centred, choice, run);
  for (Index g = 0; g < groups.n_groups(); ++g) {
    const auto members = groups.members_of(g);
    if (members.size() > 1 && kept[chosen[g]] != 0) chosen[g] = chooser.best(members, chosen[g]);
  }
  return chosen;
}

MemberChoice member_choice(const Dataset& dataset, const UnitFeatures& centred,
                           const GroupingOptions& options, const FeatureList& keep,
                           const RunContext& run, std::optional<Target>& target) {
  MemberChoice choice;
  choice.keep = keep;
  choice.avoid = avoided(options);
  require_disjoint(keep, avoided(options), dataset.feature_names);
  switch (representative_rule(options)) {
    case RepresentativeRule::target:
      target = target_of(dataset);
      choice.scores = target_scores(centred, *target, run);
      choice.tie = kMemberTie;
      break;
    case RepresentativeRule::missing:
      choice.scores = scores_by_gaps(dataset.n_missing, centred.n_features());
      break;
    case RepresentativeRule::variance:
      choice.scores = scores_by_variance(centred);
      choice.tie = kMemberTie;
      break;
    case RepresentativeRule::cost:
      choice.scores = scores_by_cost(costs_of(options), centred.n_features());
      break;
    default:
      break;
  }
  return choice;
}

}  // namespace sfg
