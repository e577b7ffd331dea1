#include "sfg/dataset.hpp"

#include <fmt/format.h>

#include <set>
#include <string_view>

#include "core/missing_words.hpp"
#include "core/text.hpp"

namespace sfg {

bool is_missing_label(std::string_view label) noexcept {
  return detail::is_missing_class(detail::trimmed(label));
}

Index n_classes(const Labels& labels) {
  std::set<std::string_view> classes;
  for (const std::string& label : labels.values) {
    if (!is_missing_label(label)) classes.insert(label);
  }
  return static_cast<Index>(classes.size());
}

std::vector<std::string> generated_names(Index n_features) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(n_features));
  for (Index feature = 0; feature < n_features; ++feature)
    names.push_back(fmt::format("f{}", feature));
  return names;
}

Dataset select_features(const Dataset& dataset, std::span<const Index> features) {
  Dataset result;
  result.matrix = select_features(dataset.matrix, features);
  result.feature_names.reserve(features.size());
  for (const Index feature : features) {
    result.feature_names.push_back(dataset.feature_names[feature]);
  }
  result.name_source = dataset.name_source;
  result.sample_names = dataset.sample_names;
  result.sample_column = dataset.sample_column;
  result.labels = dataset.labels;
  result.texts = dataset.texts;
  result.notes = dataset.notes;
  result.format = dataset.format;
  result.source = dataset.source;
  return result;
}

}  // namespace sfg
