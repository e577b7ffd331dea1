#include "sfg/dataset.hpp"

#include <fmt/format.h>

#include <numeric>
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
  result.batch = dataset.batch;
  result.texts = dataset.texts;
  result.notes = dataset.notes;
  if (!dataset.n_missing.empty()) {
    for (const Index feature : features) result.n_missing.push_back(dataset.n_missing[feature]);
  }
  result.format = dataset.format;
  result.source = dataset.source;
  return result;
}

namespace {

DenseMatrix select_rows(const DenseMatrix& matrix, std::span<const Index> samples) {
  DenseMatrix result(static_cast<Index>(samples.size()), matrix.n_features());
  for (Index feature = 0; feature < matrix.n_features(); ++feature) {
    const auto from = matrix.column(feature);
    const auto to = result.column(feature);
    for (std::size_t i = 0; i < samples.size(); ++i) to[i] = from[samples[i]];
  }
  return result;
}

SparseMatrix select_rows(const SparseMatrix& matrix, std::span<const Index> samples) {
  // The places of a sample are [first[sample], first[sample + 1]).
  std::vector<Index> first(static_cast<std::size_t>(matrix.n_samples) + 1, 0);
  for (const Index sample : samples) ++first[sample + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  SparseMatrix result;
  result.n_samples = static_cast<Index>(samples.size());
  result.n_features = matrix.n_features;
  result.starts.assign(1, 0);
  std::vector<Index> rows;
  std::vector<double> values;
  for (Index feature = 0; feature < matrix.n_features; ++feature) {
    const auto old_rows = matrix.column_rows(feature);
    const auto old_values = matrix.column_values(feature);
    for (std::size_t k = 0; k < old_rows.size(); ++k) {
      for (Index place = first[old_rows[k]]; place < first[old_rows[k] + 1]; ++place) {
        rows.push_back(place);
        values.push_back(old_values[k]);
      }
    }
    result.starts.push_back(static_cast<Offset>(rows.size()));
  }
  result.rows = std::move(rows);
  result.values = std::move(values);
  return result;
}

std::vector<std::string> select_texts(const std::vector<std::string>& texts,
                                      std::span<const Index> samples) {
  std::vector<std::string> result;
  if (texts.empty()) return result;
  for (const Index sample : samples) result.push_back(texts[sample]);
  return result;
}

}  // namespace

Matrix select_samples(const Matrix& matrix, std::span<const Index> samples) {
  return std::visit([&](const auto& kind) { return Matrix(select_rows(kind, samples)); }, matrix);
}

Dataset select_samples(const Dataset& dataset, std::span<const Index> samples) {
  Dataset result;
  result.matrix = select_samples(dataset.matrix, samples);
  result.feature_names = dataset.feature_names;
  result.name_source = dataset.name_source;
  result.sample_names = select_texts(dataset.sample_names, samples);
  result.sample_column = dataset.sample_column;
  if (dataset.batch) {
    result.batch = Labels{dataset.batch->name, select_texts(dataset.batch->values, samples)};
  }
  if (dataset.labels) {
    result.labels = Labels{dataset.labels->name, select_texts(dataset.labels->values, samples)};
  }
  result.texts = dataset.texts;
  for (TextColumn& column : result.texts) column.values = select_texts(column.values, samples);
  result.n_missing = dataset.n_missing;
  result.notes = dataset.notes;
  result.format = dataset.format;
  result.source = dataset.source;
  return result;
}

}  // namespace sfg
