#include "sfg/json.hpp"

namespace sfg {

using nlohmann::ordered_json;

ordered_json survey_json(const Dataset& dataset, const Survey& survey) {
  ordered_json document{
      {"format", choice_name(dataset.format)},
      {"sparse", std::holds_alternative<SparseMatrix>(dataset.matrix)},
      {"n_samples", n_samples(dataset.matrix)},
      {"n_features", n_features(dataset.matrix)},
      {"density", density(dataset.matrix)},
      {"minimum", survey.any_value() ? ordered_json(survey.lowest) : ordered_json()},
      {"maximum", survey.any_value() ? ordered_json(survey.highest) : ordered_json()},
      {"missing", survey.missing},
      {"infinite", survey.infinite},
      {"constant", survey.constant},
      {"empty", survey.empty},
      {"named", dataset.name_source == NameSource::file},
      {"sample_names", !dataset.sample_names.empty()},
      {"labels", nullptr},
      {"n_classes", nullptr}};
  document["text_columns"] = ordered_json::array();
  for (const TextColumn& column : dataset.texts) document["text_columns"].push_back(column.name);
  if (dataset.labels) {
    document["labels"] = dataset.labels->name;
    document["n_classes"] = n_classes(*dataset.labels);
  }
  return document;
}

}  // namespace sfg
