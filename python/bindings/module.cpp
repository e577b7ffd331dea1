// The module sfg._core: the library's stages, for the classes and functions of the package sfg.
// Everything here is private to that package.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "arrow.hpp"
#include "background.hpp"
#include "convert.hpp"
#include "errors.hpp"
#include "models.hpp"
#include "option_dict.hpp"
#include "results.hpp"
#include "sfg/sfg.hpp"
#include "stages.hpp"

namespace sfg::python {

namespace {

py::dict reduce_data(const py::object& data, std::vector<std::string> names, bool has_names,
                     const py::object& target, const py::object& batch, const py::dict& given,
                     const py::dict& run, const py::object& progress) {
  const MethodOptions options = method_options(given);
  Dataset dataset = borrow_dataset(data, std::move(names), batch);
  if (!target.is_none()) {
    dataset.labels = Labels{"y", target.cast<std::vector<std::string>>()};
  }
  if (!has_names) dataset.name_source = NameSource::generated;
  auto [found, model] = compute(run, progress, [&](const RunContext& how) {
    MethodResult reduced = reduce(dataset, options, how);
    Model made = make_model(dataset, options, reduced, Missing::refuse, how);
    return std::pair{std::move(reduced), std::move(made)};
  });
  py::dict result = result_of(std::move(found), options);
  result["model"] = py::cast(std::move(model));
  return result;
}

/// Chromosome and position of each feature.
std::pair<std::vector<Index>, std::vector<double>> positions_in(
    const std::string& path, const std::vector<std::string>& names) {
  FeaturePositions positions = read_positions(path, names);
  return {std::move(positions.chromosome), std::move(positions.position)};
}

/// One name per coefficient.
std::string text_of_combination(const std::vector<double>& coefficients, double intercept,
                                const std::vector<std::string>& names) {
  Combination combination;
  combination.intercept = intercept;
  for (std::size_t k = 0; k < std::min(coefficients.size(), names.size()); ++k) {
    combination.terms.push_back({static_cast<Index>(k), coefficients[k]});
  }
  return combination_text(combination, names);
}

}  // namespace

}  // namespace sfg::python

PYBIND11_MODULE(_core, module) {
  using namespace sfg::python;
  using py::arg;
  module.doc() = "The sfg library; use the classes and functions of the package sfg instead.";
  translate_errors();
  module.attr("__version__") = sfg::version();
  module.attr("built_with") = py::cast(sfg::built_with());
  module.def("available_threads", &sfg::available_threads);

  module.def("fields", &fields_of, arg("stage"), "What the library lists of a stage's options.");
  module.def("reduce", &reduce_data, arg("data"), arg("names"), arg("has_names"), arg("target"),
             arg("batch"), arg("options"), arg("run"), arg("progress"));
  add_model_class(module);
  module.def("combination_text", &text_of_combination, arg("coefficients"), arg("intercept"),
             arg("names"));
  module.def("sweep", &sweep_data, arg("data"), arg("names"), arg("batch"), arg("thetas"),
             arg("options"), arg("run"), arg("progress"));
  module.def("sweep_levels", &sweep_levels_data, arg("data"), arg("names"), arg("batch"),
             arg("options"), arg("run"), arg("progress"));
  module.def("predict", &predict_data, arg("data"), arg("batch"), arg("run"), arg("progress"));
  module.def("select", &select_data, arg("data"), arg("labels"), arg("options"), arg("run"),
             arg("progress"));
  module.def("cluster", &cluster_data, arg("data"), arg("options"), arg("run"), arg("progress"));
  module.def("compare", &compare_data, arg("data"), arg("labels"), arg("options"), arg("run"),
             arg("progress"));
  module.def("stability", &stability_data, arg("data"), arg("names"), arg("target"), arg("method"),
             arg("options"), arg("run"), arg("progress"));
  module.def("classify", &classify_data, arg("data"), arg("labels"), arg("n_folds"), arg("run"),
             "Classes by 1-NN, 5-NN and a linear classifier, cross-validated, and the folds.");
  module.attr("has_report") = sfg::report_is_possible();
  module.def("write_report", &write_report, arg("data"), arg("names"), arg("labels"),
             arg("options"), arg("page"), arg("run"), arg("progress"), arg("path"));
  module.def("score", &score_data, arg("a"), arg("b"), "(NMI, ACC) of two labelings.");
  module.def("read_positions", &positions_in, arg("path"), arg("names"));
  module.def("read", &read_data, arg("path"), arg("options"), arg("run"));
  module.def("arrow_table", &arrow_table, arg("stream"),
             "(values in Fortran order, names) of an Arrow C stream.");
}
