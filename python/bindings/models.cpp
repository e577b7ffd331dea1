#include "models.hpp"

#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "background.hpp"
#include "convert.hpp"
#include "results.hpp"
#include "sfg/json.hpp"
#include "sfg/sfg.hpp"

namespace sfg::python {

namespace {

using Names = std::optional<std::vector<std::string>>;

/// New data; without names features are known by their places.
Dataset new_data(const py::object& data, const Names& names) {
  const Matrix borrowed = borrow_matrix(data);
  Dataset dataset = borrow_dataset(data, names ? *names : generated_names(n_features(borrowed)));
  dataset.name_source = names ? NameSource::file : NameSource::generated;
  return dataset;
}

/// As `sfg apply` does: gaps are filled in if some were where the model was made, or if `missing`
/// says so; else they stay.
py::object apply(const Model& model, const py::object& data, const Names& names,
                 const std::optional<std::string>& missing, const py::dict& run) {
  const Dataset dataset = new_data(data, names);
  Dataset kept = compute(run, py::none(), [&](const RunContext&) {
    Dataset applied = apply_model(model, dataset);
    const bool was_filled = model.missing == Missing::mean || model.missing == Missing::median;
    if (missing || was_filled) {
      const Missing policy =
          missing ? choice_from_name<Missing>(*missing, "missing") : model.missing;
      static_cast<void>(resolve_missing(model, applied, policy));
    }
    return applied;
  });
  if (auto* dense = std::get_if<DenseMatrix>(&kept.matrix)) {
    dense->own();
    return array_of(std::move(*dense));
  }
  return csc_of(std::move(std::get<SparseMatrix>(kept.matrix)));
}

/// The JSON document, and the texts that `sfg apply` prints.
std::pair<std::string, std::vector<std::string>> drift(const Model& model, const py::object& data,
                                                       const Names& names,
                                                       std::vector<std::string> row_names,
                                                       const py::dict& run) {
  Dataset dataset = new_data(data, names);
  dataset.sample_names = std::move(row_names);
  return compute(run, py::none(), [&](const RunContext& how) {
    const DriftReport report = check_drift(model, dataset, how);
    std::vector<std::string> lines{drift_summary(report)};
    for (const auto& one : report.broken) lines.push_back(describe(model, report, one));
    for (const auto& one : report.suspects) lines.push_back(describe(model, report, one));
    for (const auto& one : report.shifted) lines.push_back(describe(model, one));
    return std::pair{drift_json(model, report).dump(), lines};
  });
}

void save(const Model& model, const std::string& path) {
  OutputFiles files(Existing::replace);
  files.add_text(path, model_to_json(model));
  files.commit();
}

Model load(const std::string& path, const py::dict& run) {
  return compute(run, py::none(), [&](const RunContext& how) { return load_model(path, how); });
}

}  // namespace

void add_model_class(py::module_& module) {
  using py::arg;
  py::class_<Model>(module, "Model", "A model file; use sfg.load() instead.")
      .def_static("load", &load, arg("path"), arg("run"))
      .def("save", &save, arg("path"))
      .def("apply", &apply, arg("data"), arg("names"), arg("missing"), arg("run"))
      .def("drift", &drift, arg("data"), arg("names"), arg("row_names"), arg("run"))
      .def("reduction", &model_dict)
      .def(py::pickle([](const Model& model) { return py::bytes(model_to_json(model)); },
                      [](const py::bytes& text) {
                        return model_from_text(static_cast<std::string>(text), "pickled model");
                      }));
}

}  // namespace sfg::python
