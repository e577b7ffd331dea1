#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "sfg/compact.hpp"
#include "sfg/components.hpp"
#include "sfg/cover.hpp"
#include "sfg/equations.hpp"
#include "sfg/level.hpp"
#include "sfg/members.hpp"
#include "sfg/options.hpp"
#include "sfg/pairwise.hpp"
#include "sfg/pursuit.hpp"
#include "sfg/window.hpp"

// The four ways to divide features into groups. Each is a type with options of its own, so that an
// option that a grouping does not have cannot be set; and each has a hierarchy, which holds the
// groups of all levels. What follows (reduce, compare, experiment, report, Python) asks a hierarchy
// for its levels and what they keep, and knows no more about it.
namespace sfg {

/// Ward's agglomeration along the edges of the sparse feature graph, of centred features.
struct CompactOptions {
  bool center = true;
  EdgeSource edges = EdgeSource::pursuit;
  PursuitOptions pursuit = {};
  NearestOptions nearest = {};
  LevelOptions level = {};
  RepresentativeRule representative = RepresentativeRule::medoid;
  FeatureList priority = {};  ///< features in order of preference, for the rule `priority`
  FeatureNumbers cost = {};   ///< of measuring each feature, for the rule `cost`
  FeatureList avoid = {};     ///< features that others are to stand in for, where they can
  bool keep_empty = false;
  EquationOptions equations = {};  ///< with the automatic level and without a window
  WindowOptions along = {};
};

/// Around the features from which the others can be recovered. Always centred, needs no graph, and
/// chooses the representatives itself.
struct CoverOptions {
  LevelOptions level = {};
  bool keep_empty = false;
  EquationOptions equations = {};
};

/// The paper's: connected components of the graph at a threshold.
struct ComponentOptions {
  bool center = false;
  PursuitOptions pursuit = {};
  /// The filter of failed representations: the other groupings use every edge.
  GraphOptions graph = {};
  Index n_permutations = 100;
  std::optional<double> theta = {};             ///< not given: kUsualTheta
  std::optional<double> weight_threshold = {};  ///< instead of theta
  RepresentativeRule representative = RepresentativeRule::in_degree;
  FeatureList priority = {};
  FeatureNumbers cost = {};
  FeatureList avoid = {};
  bool keep_empty = true;
};

inline constexpr double kUsualTheta = 0.5;

/// Around features of which no two correlate more than is allowed: pruning by correlation. Always
/// centred, needs no graph, has one level, and chooses the representatives itself.
struct PairwiseOptions {
  std::optional<double> max_r2 = {};  ///< not given: kUsualMaxR2
  FeatureList priority = {};          ///< features to keep first unless an earlier one is close
  bool keep_empty = false;
  WindowOptions along = {};
};

inline constexpr double kUsualMaxR2 = 0.9;

using GroupingOptions =
    std::variant<CompactOptions, CoverOptions, ComponentOptions, PairwiseOptions>;

/// The same four by name, in the order of the variant.
enum class GroupingKind { compact, cover, components, pairwise };
template <>
inline constexpr auto kChoices<GroupingKind> = std::array{
    Choice{GroupingKind::compact, "compact", "tight groups around one feature each"},
    Choice{GroupingKind::cover, "cover", "around features from which the others can be recovered"},
    Choice{GroupingKind::components, "components", "the paper's: connected at a threshold theta"},
    Choice{GroupingKind::pairwise, "pairwise", "around features that do not correlate too much"}};

[[nodiscard]] GroupingKind kind_of(const GroupingOptions& options) noexcept;
/// A grouping with its defaults.
[[nodiscard]] GroupingOptions usual_grouping(GroupingKind kind);

inline constexpr FieldText kCenterText{
    "center", "Subtract the mean of each feature first: cosine becomes correlation"};
inline constexpr FieldText kRepresentativeText{"representative", "Who stands for a group"};
inline constexpr FieldText kPriorityText{"priority", "Features to prefer in a group, best first"};
inline constexpr FieldText kCostText{"cost",
                                     "What each feature costs: of a group the cheapest is kept"};
inline constexpr FieldText kAvoidText{
    "avoid", "Features that are not kept where another member of their group can be"};
inline constexpr FieldText kKeepEmptyText{
    "keep_empty", "Keep features that are all zero (or constant, if centred)"};

template <OptionsOf<CompactOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit_fields(options.level, visit);
  visit(kRepresentativeText, options.representative);
  visit(kPriorityText, options.priority);
  visit(kCostText, options.cost);
  visit(kAvoidText, options.avoid);
  visit(kKeepEmptyText, options.keep_empty);
  visit_fields(options.equations, visit);
  visit_fields(options.along, visit);
  visit({"edges", "What the graph connects a feature with"}, options.edges);
  visit_fields(options.nearest, visit);
  visit(kCenterText, options.center);
  visit_fields(options.pursuit, visit);
}

template <OptionsOf<CoverOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit_fields(options.level, visit);
  visit(kKeepEmptyText, options.keep_empty);
  visit_fields(options.equations, visit);
}

template <OptionsOf<ComponentOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({"theta", "Cut the graph at this place between its smallest and its largest weight (0.5)",
         between(0, 1)},
        options.theta);
  visit({"weight_threshold", "Cut the graph at this weight itself", at_least(0)},
        options.weight_threshold);
  visit(kRepresentativeText, options.representative);
  visit(kPriorityText, options.priority);
  visit(kCostText, options.cost);
  visit(kAvoidText, options.avoid);
  visit(kKeepEmptyText, options.keep_empty);
  visit(kCenterText, options.center);
  visit_fields(options.pursuit, visit);
  visit_fields(options.graph, visit);
  visit({"n_permutations", "Permuted features to try that filter on, 0 for none", at_least(0)},
        options.n_permutations);
}

template <OptionsOf<PairwiseOptions> Options, typename Visitor>
void visit_fields(Options& options, Visitor&& visit) {
  visit({"max_r2",
         "No two kept features have an r2 above this, and every removed one has an r2 of at least "
         "this with a kept one (0.9)",
         share()},
        options.max_r2);
  visit(kPriorityText, options.priority);
  visit(kKeepEmptyText, options.keep_empty);
  visit_fields(options.along, visit);
}

/// Throws invalid_option for a value out of its range and for two that exclude each other.
void check(const GroupingOptions& options);

/// "r2 of kept features <= 0.8"
[[nodiscard]] std::string describe(const PairwiseOptions& options);

/// What several groupings have; null or nothing where one does not.
[[nodiscard]] const PursuitOptions* pursuit_of(const GroupingOptions& options) noexcept;
[[nodiscard]] const LevelOptions* level_of(const GroupingOptions& options) noexcept;
[[nodiscard]] bool is_centred(const GroupingOptions& options) noexcept;
[[nodiscard]] bool keeps_empty(const GroupingOptions& options) noexcept;
/// Cover and pairwise pick features: no graph, no merges, no rule for representatives.
[[nodiscard]] bool picks_features(const GroupingOptions& options) noexcept;
/// The rule that decides who is kept; the medoid for groupings without one.
[[nodiscard]] RepresentativeRule representative_rule(const GroupingOptions& options) noexcept;
/// The rule by which groups and levels are found: the usual one in place of one that goes by
/// scores.
[[nodiscard]] RepresentativeOptions representative_of(const GroupingOptions& options,
                                                      const FeatureList& keep);
/// Features to avoid; none for groupings that know no such thing.
[[nodiscard]] const FeatureList& avoided(const GroupingOptions& options) noexcept;
/// Null for groupings that know no neighbours.
[[nodiscard]] const WindowOptions* along_of(const GroupingOptions& options) noexcept;
/// Which features may stand for each other; null: all, as in groupings that know no neighbours.
[[nodiscard]] std::shared_ptr<const Window> window_of(const GroupingOptions& options,
                                                      Index n_features);
[[nodiscard]] bool has_window(const GroupingOptions& options) noexcept;

// --- hierarchies --------------------------------------------------------------------------------

/// The groups of all levels, in the order of GroupingOptions; pairwise has picks as cover has.
using Hierarchy = std::variant<CompactHierarchy, CoverSequence, ComponentHierarchy>;

/// What groups are made from, and looked at with.
struct GroupingInput {
  const FeatureGraph& graph;     ///< without any edge for cover and pairwise
  const UnitFeatures& features;  ///< as the graph was made from
  const UnitFeatures& centred;   ///< may be the same object
  const GroupingOptions& options;
  const FeatureList& keep;  ///< features that must be kept
  const RunContext& run;
  /// How much of each feature the table knows, for the automatic level; null: found if needed.
  const Predictability* predictability = nullptr;
  /// Features that are removed whatever their group says, though they vary.
  std::vector<Index> drop = {};
  Judged judged = Judged::until_good;  ///< levels that the automatic rule judges
};

/// Groups, who stands for each, and what is decided already.
struct Grouping {
  Groups groups;
  std::vector<Index> representatives;  ///< one per group
  std::vector<Index> keep;             ///< features to keep whatever their group says
  std::vector<Index> drop;             ///< features without direction to leave out
  /// Removed features whose r2 with their representative and whose held-out R^2 are both lower than
  /// this are kept after all: nothing explains them. A mean over many good ones would hide them.
  std::optional<double> rescue_below = {};
  /// Removed features that are no copies and whose held-out R^2 is lower than this are kept after
  /// all, whatever their r2.
  std::optional<double> return_below = {};
  /// Features that are left out since they share nothing with the others; they are in `drop` too.
  std::vector<Index> unshared = {};
  /// Exact sums that are left out; their features are in `drop` too.
  std::vector<Equation> equations = {};
  /// How much of each feature the whole table knows; empty if nobody asked.
  std::vector<double> predictability = {};
  /// Who is kept of each group in the end.
  MemberChoice choice = {};
  /// Only near features stand for each other; null: all may.
  std::shared_ptr<const Window> window = {};
};

/// What the options say of members: scores of their rule, features to keep and to avoid. The target
/// is the data's labels; `target` is set to it if the rule asks for one. Throws invalid_option for
/// a rule without what it goes by and for a feature that is to be kept and to be avoided.
[[nodiscard]] MemberChoice member_choice(const Dataset& dataset, const UnitFeatures& centred,
                                         const GroupingOptions& options, const FeatureList& keep,
                                         const RunContext& run, std::optional<Target>& target);

/// The hierarchy of the options' grouping, down to `fewest` features that vary (0: as far as its
/// edges go; cover picks as many as its level asks for, pairwise as many as there must be).
[[nodiscard]] Hierarchy build_hierarchy(const GroupingInput& input, Index fewest = 0);

/// The weight that the options cut at: the one they give, or the one that theta stands for.
[[nodiscard]] double weight_threshold(const ComponentHierarchy& hierarchy,
                                      const ComponentOptions& options);

/// One level of a hierarchy: after so many merges (compact, components) or picks (cover, pairwise).
struct HierarchyLevel {
  Index n_steps = 0;
  Index n_kept = 0;  ///< features that vary; components: all groups
  /// Of the other features with the kept ones; components: needs the data, see sweep().
  std::optional<double> mean_r2;
  std::optional<double> threshold;  ///< components: the weight of the last merge
};

/// All levels in the order of the steps, the one before any step among them where it keeps all.
[[nodiscard]] std::vector<HierarchyLevel> levels(const Hierarchy& hierarchy);

/// The number of steps at which the options' level is reached.
[[nodiscard]] ChosenLevel chosen_level(const Hierarchy& hierarchy, const GroupingInput& input);

/// Groups and representatives after so many steps.
[[nodiscard]] Grouping grouping_at(const Hierarchy& hierarchy, Index n_steps,
                                   const GroupingInput& input);

/// The features that vary and are kept when so many of them are, ascending; nothing if the
/// hierarchy has no such level.
[[nodiscard]] std::optional<std::vector<Index>> kept_at(const Hierarchy& hierarchy, Index n_kept,
                                                        const GroupingInput& input);

// --- what is nearest ----------------------------------------------------------------------------

/// The kept feature with the largest squared correlation, and that; ties: lowest index.
struct NearestKept {
  Index feature = -1;  ///< -1 for features that are not regular
  double r2 = 0;
};
[[nodiscard]] std::vector<NearestKept> nearest_kept(const UnitFeatures& centred,
                                                    std::span<const Index> kept,
                                                    const RunContext& run = {});
/// The same among the near ones, in O(n d w) for w features in a window: -1 where there is none.
/// Ties: the first along the line. Without a window (null) as above.
[[nodiscard]] std::vector<NearestKept> nearest_kept(const UnitFeatures& centred,
                                                    std::span<const Index> kept,
                                                    const Window* window, const RunContext& run);

}  // namespace sfg
