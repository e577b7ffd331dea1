#include "method_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
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
  const bool is_graph =
      is_one_of(describe_fields<PursuitOptions>()) || is_one_of(describe_fields<GraphOptions>()) ||
      is_one_of(describe_fields<NearestOptions>()) || field.name == "edges" ||
      field.name == kCenterText.name || field.name == "n_permutations" ||
      field.name == kTransformText.name || field.name == kBatchAdjustmentText.name;
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
  // Only for commands that know batches: add_batches_to().
  if (field.name == kBatchAdjustmentText.name) return false;
  const std::string group = help_group(field);
  switch (part) {
    case MethodPart::graph:
      return group == "Graph" && (is_of_components(field) || field.name == kTransformText.name);
    case MethodPart::scale:
      return field.name == kTransformText.name;
    case MethodPart::components:
      if (field.name == "avoid" || field.name == "cost") return false;
      return field.name == "keep" || (is_of_components(field) && !chooses_level(field));
    case MethodPart::levels:
      if (field.name == "avoid" || field.name == "cost") return false;
      return group != "Certificate" && !chooses_level(field);
    case MethodPart::groups:
      return group != "Certificate";
    case MethodPart::whole:
      break;
  }
  return true;
}

using NumbersByName = std::unordered_map<std::string, Index>;

/// Names, and the same as our own lists write them (PREFIX.kept.txt), where a tab is \t; names
/// themselves go first.
NumbersByName numbers_by_name(const std::vector<std::string>& feature_names) {
  NumbersByName numbers;
  for (std::size_t i = 0; i < feature_names.size(); ++i) {
    numbers.emplace(feature_names[i], static_cast<Index>(i));
  }
  for (std::size_t i = 0; i < feature_names.size(); ++i) {
    numbers.emplace(escaped(feature_names[i]), static_cast<Index>(i));
  }
  return numbers;
}

Index numbered(const NumbersByName& numbers, const std::string& name, const std::string& path) {
  const auto found = numbers.find(name);
  if (found != numbers.end()) return found->second;
  throw Error(
      ErrorCode::inconsistent_input,
      fmt::format("there is no feature '{}' in the data; write one feature name per line", name),
      path);
}

}  // namespace

FeatureList read_feature_list(const std::string& path,
                              const std::vector<std::string>& feature_names,
                              const RunContext& run) {
  const NumbersByName numbers = numbers_by_name(feature_names);
  FeatureList features;
  for (const std::string& line : read_lines(path, run)) {
    features.push_back(numbered(numbers, line, path));
  }
  return features;
}

FeatureNumbers read_feature_numbers(const std::string& path,
                                    const std::vector<std::string>& feature_names,
                                    const RunContext& run) {
  const auto numbers = numbers_by_name(feature_names);
  FeatureNumbers values(feature_names.size(), std::numeric_limits<double>::quiet_NaN());
  for (const std::string& line : read_lines(path, run)) {
    const std::size_t tab = line.rfind('\t');
    const auto value = tab == std::string::npos ? std::nullopt : parse_number(line.substr(tab + 1));
    if (!value || !std::isfinite(*value)) {
      throw Error(ErrorCode::malformed_input,
                  fmt::format("'{}' is not a feature name, a tab and a number", escaped(line)),
                  path);
    }
    values[numbered(numbers, line.substr(0, tab), path)] = *value;
  }
  return values;
}

void MethodArguments::add_to(CLI::App& command, MethodPart part) {
  part_ = part;
  for (const FieldDescription& field : describe_method()) {
    const bool has_groupings =
        part == MethodPart::whole || part == MethodPart::groups || part == MethodPart::levels;
    if (field.name == "grouping" && !has_groupings) continue;
    if (belongs_to(field, part)) listed_.add(command, field, help_group(field));
  }
  if (part == MethodPart::graph || part == MethodPart::scale) return;
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
  choose_rule(texts);
  return texts;
}

/// Options that a rule goes by say that it is meant.
void MethodArguments::choose_rule(GivenTexts& texts) const {
  struct Source {
    RepresentativeRule rule;
    bool is_given;
    const char* form;
  };
  const std::vector<Source> sources{
      {RepresentativeRule::priority, texts.contains("priority"), "FILE"},
      {RepresentativeRule::target, !target_.empty(), "COLUMN|FILE"},
      {RepresentativeRule::cost, texts.contains("cost"), "FILE"}};
  const std::string chosen = listed_.has("representative") ? texts["representative"] : "";
  const bool keeps_members = part_ == MethodPart::whole || part_ == MethodPart::groups;
  if (!keeps_members && !chosen.empty() &&
      is_scored(choice_from_name<RepresentativeRule>(chosen, "representative"))) {
    refuse(
        fmt::format("--representative {} changes no group and no level: it is for 'sfg reduce', "
                    "'sfg explain' and 'sfg select'",
                    chosen));
  }
  std::string meant = chosen;
  for (const Source& source : sources) {
    const std::string rule = choice_name(source.rule);
    if (source.is_given && !meant.empty() && meant != rule) {
      refuse(chosen.empty() ? fmt::format("--{} and --{} both choose the representatives: give one "
                                          "of them",
                                          meant, rule)
                            : fmt::format("--{} chooses the representatives itself: leave out "
                                          "--representative",
                                          rule));
    }
    if (!source.is_given && chosen == rule) {
      refuse(fmt::format("--representative {0} needs --{0} {1}", rule, source.form));
    }
    if (source.is_given) meant = rule;
  }
  // Pairwise picks by the list itself.
  const bool is_pairwise = texts["grouping"] == choice_name(GroupingKind::pairwise);
  const bool is_list = meant == choice_name(RepresentativeRule::priority);
  if (!meant.empty() && !(is_pairwise && is_list && chosen.empty())) {
    texts["representative"] = meant;
  }
}

ReadOptions MethodArguments::reading(ReadOptions options) const {
  if (target_.empty()) return options;
  if (!options.labels.empty() && options.labels != target_) {
    refuse(
        "--target and --labels are both read as one value per sample: leave the other column out "
        "by --drop");
  }
  options.labels = target_;
  return options;
}

void MethodArguments::add_target_to(CLI::App& command) {
  command
      .add_option(
          "--target", target_,
          "Keep the member of each group that goes best with this column, or with a file of "
          "one value per sample; groups do not look at it")
      ->option_text("COLUMN|FILE")
      ->group("Groups");
}

void MethodArguments::add_batches_to(CLI::App& command) {
  for (const FieldDescription& field : describe_method()) {
    if (field.name == kBatchAdjustmentText.name) listed_.add(command, field, "Graph");
  }
  CLI::Option* batch = command.get_option_no_throw("--batch");
  if (batch != nullptr) command.get_option("--batch-adjustment")->needs(batch);
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
    using Value = std::remove_reference_t<decltype(value)>;
    const auto file = given.find(field.name);
    if (file == given.end()) return;
    if constexpr (std::same_as<Value, FeatureList>) {
      value = read_feature_list(file->second, feature_names, run);
    } else if constexpr (std::same_as<Value, FeatureNumbers>) {
      value = read_feature_numbers(file->second, feature_names, run);
    } else if constexpr (std::same_as<Value, FeaturePositions>) {
      value = read_positions(file->second, feature_names, run);
    }
  };
  visit_fields(options, fill);
}

}  // namespace sfg::cli
