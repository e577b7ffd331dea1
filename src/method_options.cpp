// Options of the whole method: one list for all groupings, and what is said about them.
#include <fmt/format.h>

#include <algorithm>

#include "sfg/error.hpp"
#include "sfg/pipeline.hpp"

namespace sfg {

namespace {

/// The groupings, each with its defaults.
std::vector<GroupingOptions> all_groupings() {
  std::vector<GroupingOptions> all;
  for (const auto& choice : kChoices<GroupingKind>) all.push_back(usual_grouping(choice.value));
  return all;
}

std::vector<FieldDescription> fields_of(const GroupingOptions& grouping) {
  return std::visit([](const auto& options) { return describe_fields(options); }, grouping);
}

FieldDescription grouping_field() {
  FieldDescription field;
  field.name = "grouping";
  field.help = "How features are divided into groups";
  field.kind = FieldKind::choice;
  for (const auto& choice : kChoices<GroupingKind>) {
    field.choices.emplace_back(choice.name, choice.help);
  }
  field.usual = choice_name(kind_of(MethodOptions{}.grouping));
  return field;
}

/// "compact and cover"
std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k) {
    text += k == 0 ? "" : k + 1 == names.size() ? " and " : ", ";
    text += names[k];
  }
  return text;
}

}  // namespace

std::vector<FieldDescription> describe_method() {
  std::vector<FieldDescription> all{grouping_field()};
  for (const GroupingOptions& grouping : all_groupings()) {
    const std::string owner = choice_name(kind_of(grouping));
    for (FieldDescription& field : fields_of(grouping)) {
      auto known = std::ranges::find(all, field.name, &FieldDescription::name);
      if (known == all.end()) {
        all.push_back(std::move(field));
        known = all.end() - 1;
        known->usual_of.emplace_back(owner, known->usual);
      } else {
        known->usual_of.emplace_back(owner, field.usual);
      }
    }
  }
  DescribingVisitor others;
  MethodOptions usual;
  visit_common_fields(usual, others);
  for (FieldDescription& field : others.take()) all.push_back(std::move(field));
  return all;
}

void refuse_foreign_option(const std::string& name, GroupingKind grouping) {
  std::vector<std::string> owners;
  for (const FieldDescription& field : describe_method()) {
    if (field.name != name) continue;
    for (const auto& [owner, usual] : field.usual_of) owners.push_back(owner);
  }
  if (owners.empty()) {
    throw Error(ErrorCode::internal, fmt::format("there is no option {}", name));
  }
  Hint hint{name, fmt::format("{{{}}} is for {} groups, not for {} ones: leave it out, or choose "
                              "another {{grouping}}",
                              name, joined(owners), choice_name(grouping))};
  throw Error(ErrorCode::invalid_option, "", "", std::move(hint));
}

MethodOptions method_from_texts(const GivenTexts& given) {
  MethodOptions options;
  GivenTexts rest = given;
  if (const auto found = rest.find("grouping"); found != rest.end()) {
    options.grouping = usual_grouping(choice_from_name<GroupingKind>(found->second, "grouping"));
    rest.erase(found);
  }
  TextSetter setter(rest);
  visit_fields(options, setter);
  const auto foreign = setter.unused();
  if (!foreign.empty()) refuse_foreign_option(foreign.front(), kind_of(options.grouping));
  check(options);
  return options;
}

MethodOptions paper_method() {
  MethodOptions options;
  ComponentOptions components;
  components.representative = RepresentativeRule::out_degree;
  options.grouping = components;
  return options;
}

void check(const MethodOptions& options) {
  check(options.grouping);
  check(options.reduce);
  if (has_window(options.grouping) && options.reduce.certify) {
    throw Error(ErrorCode::invalid_option, "", "",
                {"certify",
                 "{certify} gives features up that only far ones predict, and {window} "
                 "does not let these stand for them: give one of them"});
  }
  if (std::holds_alternative<PairwiseOptions>(options.grouping) && options.reduce.certify) {
    throw Error(
        ErrorCode::invalid_option, "", "",
        {"certify", "{certify} brings features back that {max_r2} leaves out: give one of them"});
  }
}

namespace {

std::string describe_grouping(const MethodOptions& options) {
  const char* centring = is_centred(options.grouping) ? "centred" : "not centred";
  const LevelOptions* level_options = level_of(options.grouping);
  const std::string level =
      level_options == nullptr ? "" : fmt::format(", level: {}", describe(*level_options));
  if (std::holds_alternative<CoverOptions>(options.grouping)) return "cover, centred" + level;
  if (const auto* pairwise = std::get_if<PairwiseOptions>(&options.grouping)) {
    return fmt::format("pairwise, centred, level: {}", describe(*pairwise));
  }
  const PursuitOptions* pursuit = pursuit_of(options.grouping);
  if (pursuit == nullptr) {
    return fmt::format("{} nearest by |r|, {}{}",
                       std::get<CompactOptions>(options.grouping).nearest.edge_neighbors, centring,
                       level);
  }
  const std::string described =
      fmt::format("pursuit {}, epsilon {}, max-atoms {}, {}", choice_name(pursuit->method),
                  pursuit->epsilon, pursuit->max_atoms, centring);
  const auto* components = std::get_if<ComponentOptions>(&options.grouping);
  return components == nullptr
             ? described + level + describe(*along_of(options.grouping))
             : fmt::format("{}, max-angle {}", described, components->graph.max_angle);
}

}  // namespace

std::string describe(const MethodOptions& options) {
  const std::string text = describe_grouping(options);
  return options.transform == Transform::none
             ? text
             : fmt::format("{}, transformation {}", text, choice_name(options.transform));
}

}  // namespace sfg
