#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "core/text.hpp"
#include "io/text_source.hpp"
#include "read/cell_values.hpp"
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

/// The texts of the column of this name: beside the features, or the names of the samples.
const std::vector<std::string>* texts_called(const Dataset& dataset, const std::string& name) {
  const auto found = std::ranges::find(dataset.texts, name, &TextColumn::name);
  if (found != dataset.texts.end()) return &found->values;
  const bool names_samples = !name.empty() && name == dataset.sample_column;
  return names_samples ? &dataset.sample_names : nullptr;
}

/// The first cell that is a number in no way of writing; else the first one that is not missing.
std::size_t first_odd(const std::vector<std::string>& cells) {
  const auto is_odd = [](const std::string& cell, char decimal) {
    return detail::read_cell(cell, {decimal, {}, {}}).kind == detail::CellKind::text;
  };
  const auto odd = std::ranges::find_if(
      cells, [&](const std::string& cell) { return is_odd(cell, '.') && is_odd(cell, ','); });
  if (odd != cells.end()) return static_cast<std::size_t>(odd - cells.begin());
  const auto text = std::ranges::find_if(
      cells, [&](const std::string& cell) { return is_odd(cell, '.') || is_odd(cell, ','); });
  return text == cells.end() ? 0 : static_cast<std::size_t>(text - cells.begin());
}

/// Columns that are there under the names of kept features, and are not numbers.
void refuse_texts(const Model& model, const Dataset& dataset,
                  const std::vector<std::string>& missing) {
  std::string first;
  std::size_t n_texts = 0;
  for (const std::string& name : missing) {
    const auto* cells = texts_called(dataset, name);
    if (cells == nullptr || cells->empty()) continue;
    if (n_texts++ > 0) continue;
    const std::size_t sample = first_odd(*cells);
    first = fmt::format("'{}' has {} in sample {}", escaped(name),
                        detail::in_quotes((*cells)[sample]), sample + 1);
  }
  if (n_texts == 0) return;
  throw Error(ErrorCode::inconsistent_input,
              fmt::format("{} of the model's {} kept features {} there but {} not numbers: {}",
                          n_texts, model.reduction.kept.size(), n_texts == 1 ? "is" : "are",
                          n_texts == 1 ? "is" : "are", first),
              dataset.source,
              {"na_values",
               "correct the cells, or name what means that a value is missing by "
               "{na_values}"});
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
    refuse_texts(model, dataset, missing);
    throw Error(
        ErrorCode::inconsistent_input,
        fmt::format("{}: {} of the model's {} kept features {} not there: {}; give data with "
                    "these features",
                    dataset.source, missing.size(), model.reduction.kept.size(),
                    missing.size() == 1 ? "is" : "are", list_names(missing)));
  }
  return columns;
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
  const auto similar = nearest_names(name, model.feature_names);
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

MissingReport resolve_missing(const Model& model, Dataset& applied, Missing policy) {
  if (policy == Missing::drop_feature) {
    throw Error(ErrorCode::invalid_option,
                "a model keeps its features, so that none of them can be left out", applied.source,
                {"missing", "use {missing=mean}, {missing=median} or {missing=drop-sample}"});
  }
  if (policy == Missing::pairwise) return {};  // gaps stay
  if (policy != Missing::mean && policy != Missing::median) return resolve_missing(applied, policy);
  const auto& values = policy == Missing::mean ? model.fill.mean : model.fill.median;
  if (values.empty()) {
    throw Error(ErrorCode::inconsistent_input,
                "the model was made by an earlier version and has no values to fill in; make it "
                "again",
                applied.source, {"missing", "or leave out {missing}"});
  }
  return fill_missing(applied, values);
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
    result.transform = model.transform;
    result.reason = removed->reason;
    result.certificate = removed->certificate;
    result.best_kept = removed->best_kept;
    result.best_kept_r2 = removed->best_kept_r2;
  } else if (result.representative == result.feature && members.size() > 1) {
    result.role = Explanation::Role::representative;
    const auto found =
        std::ranges::lower_bound(reduction.stand_ins, result.feature, {}, &StandIn::kept);
    if (found != reduction.stand_ins.end() && found->kept == result.feature) {
      result.stand_in = *found;
    }
  } else {
    result.representative = result.feature;
  }
  return result;
}

}  // namespace sfg
