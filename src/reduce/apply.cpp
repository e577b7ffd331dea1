#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "core/text.hpp"
#include "sfg/error.hpp"
#include "sfg/model.hpp"

namespace sfg {

namespace {

using NameTable = std::unordered_map<std::string_view, Index>;

NameTable number_names(const std::vector<std::string>& names) {
  NameTable table;
  for (std::size_t i = 0; i < names.size(); ++i) table.emplace(names[i], static_cast<Index>(i));
  return table;
}

/// Most names that one message lists.
constexpr std::size_t kNamesShown = 5;

std::string list_names(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamesShown); ++i) {
    text += fmt::format("{}'{}'", i == 0 ? "" : ", ", escaped(names[i]));
  }
  if (names.size() > kNamesShown) text += fmt::format(" and {} more", names.size() - kNamesShown);
  return text;
}

std::vector<Index> match_by_name(const Model& model, const Dataset& dataset) {
  const NameTable table = number_names(dataset.feature_names);
  std::vector<Index> columns;
  std::vector<std::string> missing;
  for (const Index feature : model.reduction.kept) {
    const auto& name = model.feature_names[feature];
    const auto found = table.find(name);
    if (found == table.end()) {
      missing.push_back(name);
    } else {
      columns.push_back(found->second);
    }
  }
  if (!missing.empty()) {
    throw Error(
        ErrorCode::inconsistent_input,
        fmt::format("{}: {} of the model's {} kept features {} not there: {}; give data with "
                    "these features",
                    dataset.source, missing.size(), model.reduction.kept.size(),
                    missing.size() == 1 ? "is" : "are", list_names(missing)));
  }
  return columns;
}

/// Number of single-character changes between two names, given up above `limit`.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > limit) return limit + 1;
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::vector<std::string> similar_names(const Model& model, const std::string& name) {
  constexpr std::size_t kLargestDistance = 2;
  std::vector<std::string> similar;
  for (const std::string& other : model.feature_names) {
    if (edit_distance(name, other, kLargestDistance) <= kLargestDistance) similar.push_back(other);
    if (similar.size() == kNamesShown) break;
  }
  return similar;
}

Index find_feature(const Model& model, const std::string& name) {
  const auto named = std::ranges::find(model.feature_names, name);
  if (named != model.feature_names.end()) {
    return static_cast<Index>(named - model.feature_names.begin());
  }
  if (name.starts_with('#')) {
    const auto number = parse_number(std::string_view(name).substr(1));
    if (number && *number >= 0 && *number < static_cast<double>(model.feature_names.size()) &&
        *number == static_cast<double>(static_cast<Index>(*number))) {
      return static_cast<Index>(*number);
    }
  }
  const auto similar = similar_names(model, name);
  throw Error(ErrorCode::inconsistent_input,
              fmt::format("there is no feature '{}' among the {}{}; give a name, or its number as "
                          "#0 ... #{}",
                          escaped(name), model.feature_names.size(),
                          similar.empty() ? "" : " (similar: " + list_names(similar) + ")",
                          model.feature_names.size() - 1));
}

}  // namespace

Dataset apply_model(const Model& model, const Dataset& dataset) {
  if (model.name_source == NameSource::file && dataset.name_source == NameSource::file) {
    return select_features(dataset, match_by_name(model, dataset));
  }
  // Without names only the position says which feature is which.
  const auto expected = static_cast<Index>(model.feature_names.size());
  if (n_features(dataset.matrix) != expected) {
    throw Error(ErrorCode::inconsistent_input,
                fmt::format("{}: {} features, but the model was made from {}, and without names on "
                            "both sides they can only be matched by position",
                            dataset.source, n_features(dataset.matrix), expected));
  }
  return select_features(dataset, model.reduction.kept);
}

Explanation explain(const Model& model, const std::string& feature) {
  const Reduction& reduction = model.reduction;
  Explanation result;
  result.feature = find_feature(model, feature);
  const Index group = reduction.groups.group_of[result.feature];
  const auto members = reduction.groups.members_of(group);
  result.group.assign(members.begin(), members.end());
  result.representative = reduction.representatives[group];
  const auto removed =
      std::ranges::lower_bound(reduction.removed, result.feature, {}, &RemovedFeature::feature);
  if (removed != reduction.removed.end() && removed->feature == result.feature) {
    result.representative = removed->representative;
    result.role = removed->reason == RemovalReason::no_variation ? Explanation::Role::empty
                                                                 : Explanation::Role::removed;
    result.r2 = removed->r2;
    result.held_out_r2 = removed->held_out_r2;
    result.combination = removed->combination;
    result.reason = removed->reason;
    result.certificate = removed->certificate;
    result.best_kept = removed->best_kept;
    result.best_kept_r2 = removed->best_kept_r2;
  } else if (result.representative == result.feature && members.size() > 1) {
    result.role = Explanation::Role::representative;
  } else {
    result.representative = result.feature;
  }
  return result;
}

}  // namespace sfg
