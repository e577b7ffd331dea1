#include "method_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace sfg::cli {

namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::invalid_option, message);
}

/// Heading of the help that an option stands below.
std::string help_group(const FieldDescription& field) {
  const auto is_one_of = [&](const std::vector<FieldDescription>& fields) {
    return std::ranges::count(fields, field.name, &FieldDescription::name) > 0;
  };
  if (is_one_of(describe_fields<ReduceOptions>())) return "Certificate";
  const bool is_graph = is_one_of(describe_fields<PursuitOptions>()) ||
                        is_one_of(describe_fields<GraphOptions>()) ||
                        is_one_of(describe_fields<NearestOptions>()) || field.name == "edges" ||
                        field.name == kCenterText.name || field.name == "n_permutations" ||
                        field.name == kTransformText.name;
  return is_graph ? "Graph" : "Groups";
}

/// Whether a field belongs to the paper's groups.
bool is_of_components(const FieldDescription& field) {
  const std::string components = choice_name(GroupingKind::components);
  return std::ranges::any_of(field.usual_of,
                             [&](const auto& owner) { return owner.first == components; });
}

/// Whether a field says how far to reduce.
bool chooses_level(const FieldDescription& field) {
  const auto levels = describe_fields<LevelOptions>();
  return field.name == "theta" || field.name == "weight_threshold" || field.name == "max_r2" ||
         (std::ranges::count(levels, field.name, &FieldDescription::name) > 0 &&
          field.name != "unshared");
}

bool belongs_to(const FieldDescription& field, MethodPart part) {
  const std::string group = help_group(field);
  switch (part) {
    case MethodPart::graph:
      return group == "Graph" && (is_of_components(field) || field.name == kTransformText.name);
    case MethodPart::components:
      return field.name == "keep" || (is_of_components(field) && !chooses_level(field));
    case MethodPart::levels:
      return group != "Certificate" && !chooses_level(field);
    case MethodPart::groups:
      return group != "Certificate";
    case MethodPart::whole:
      break;
  }
  return true;
}

}  // namespace

FeatureList read_feature_list(const std::string& path,
                              const std::vector<std::string>& feature_names,
                              const RunContext& run) {
  std::unordered_map<std::string, Index> numbers;
  for (std::size_t i = 0; i < feature_names.size(); ++i) {
    numbers.emplace(feature_names[i], static_cast<Index>(i));
  }
  // Also as our own lists write them (PREFIX.kept.txt), where a tab is \t; names themselves go
  // first.
  for (std::size_t i = 0; i < feature_names.size(); ++i) {
    numbers.emplace(escaped(feature_names[i]), static_cast<Index>(i));
  }
  FeatureList features;
  for (const std::string& line : read_lines(path, run)) {
    const auto found = numbers.find(line);
    if (found == numbers.end()) {
      throw Error(ErrorCode::inconsistent_input,
                  fmt::format("there is no feature '{}' in the data; write one feature name per "
                              "line",
                              line),
                  path);
    }
    features.push_back(found->second);
  }
  return features;
}

void MethodArguments::add_to(CLI::App& command, MethodPart part) {
  for (const FieldDescription& field : describe_method()) {
    const bool has_groupings = part != MethodPart::graph && part != MethodPart::components;
    if (field.name == "grouping" && !has_groupings) continue;
    if (belongs_to(field, part)) listed_.add(command, field, help_group(field));
  }
  if (part == MethodPart::graph) return;
  command
      .add_option("--preset", preset_, "paper: every convention of the paper's published tables")
      ->check(CLI::IsMember({"paper"}))
      ->group("Groups");
}

GivenTexts MethodArguments::texts(GroupingKind usual) const {
  GivenTexts texts = listed_.given();
  const bool cuts = texts.contains("theta") || texts.contains("weight_threshold");
  const std::string components = choice_name(GroupingKind::components);
  const std::string pairwise = choice_name(GroupingKind::pairwise);
  if (!texts.contains("grouping")) {
    const bool prunes = texts.contains("max_r2");
    if (cuts && prunes) {
      refuse("--max-r2 and --theta or --weight-threshold are of different groupings: give one");
    }
    texts["grouping"] = cuts || is_paper() ? components : prunes ? pairwise : choice_name(usual);
  }
  if (is_paper()) {
    if (texts["grouping"] != components) {
      refuse(
          fmt::format("--preset paper is about the paper's groups: leave it out with --grouping "
                      "{}",
                      texts["grouping"]));
    }
    const auto paper = std::get<ComponentOptions>(paper_method().grouping);
    texts.try_emplace("representative", choice_name(paper.representative));
  }
  const std::string listed = choice_name(RepresentativeRule::priority);
  const bool chosen = listed_.has("representative");
  if (texts.contains("priority")) {
    if (chosen && texts["representative"] != listed) {
      refuse("--priority chooses the representatives itself: leave out --representative");
    }
    // Pairwise picks by the list itself.
    if (texts["grouping"] != pairwise) texts["representative"] = listed;
  } else if (chosen && texts["representative"] == listed) {
    refuse("--representative priority needs --priority FILE");
  }
  return texts;
}

MethodOptions MethodArguments::options(GroupingKind usual) const {
  return method_from_texts(texts(usual));
}

GroupingOptions MethodArguments::shared_with(GroupingOptions other) const {
  const GivenTexts given = listed_.given();
  TextSetter setter(given);
  std::visit([&](auto& grouping) { visit_fields(grouping, setter); }, other);
  return other;
}

void MethodArguments::read_lists(MethodOptions& options,
                                 const std::vector<std::string>& feature_names,
                                 const RunContext& run) const {
  const GivenTexts given = listed_.given();
  const auto fill = [&](const FieldText& field, auto& value) {
    if constexpr (std::same_as<std::remove_reference_t<decltype(value)>, FeatureList>) {
      const auto file = given.find(field.name);
      if (file != given.end()) {
        value = read_feature_list(file->second, feature_names, run);
      }
    }
  };
  visit_fields(options, fill);
}

}  // namespace sfg::cli
