#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <string>
#include <utility>
#include <vector>

#include "sfg/matrix.hpp"

// One function per stage other than the reduction itself: data and options in, dictionary out.
namespace sfg::python {

namespace py = pybind11;

/// Columns of the table that sweep() returns.
[[nodiscard]] py::dict sweep_data(const py::object& data, std::vector<std::string> names,
                                  const py::object& batch, const std::vector<double>& thetas,
                                  const py::dict& given, const py::dict& run,
                                  const py::object& progress);

/// The same of sweep_levels(): every level of compact and cover as the automatic choice judges it.
[[nodiscard]] py::dict sweep_levels_data(const py::object& data, std::vector<std::string> names,
                                         const py::object& batch, const py::dict& given,
                                         const py::dict& run, const py::object& progress);

/// How much of each feature the others know.
[[nodiscard]] py::dict predict_data(const py::object& data, const py::object& batch,
                                    const py::dict& run, const py::object& progress);

/// Selection of one size by a method; `labels` may be None.
[[nodiscard]] py::dict select_data(const py::object& data, const py::object& labels,
                                   const py::dict& given, const py::dict& run,
                                   const py::object& progress);

/// Spectral clustering.
[[nodiscard]] py::dict cluster_data(const py::object& data, const py::dict& given,
                                    const py::dict& run, const py::object& progress);

/// Rows and paired differences; `labels` may be None.
[[nodiscard]] py::dict compare_data(const py::object& data, const py::object& labels,
                                    const py::dict& given, const py::dict& run,
                                    const py::object& progress);

/// How much the answer depends on the samples: shares by feature, agreement of the repeats.
[[nodiscard]] py::dict stability_data(const py::object& data, std::vector<std::string> names,
                                      const py::object& target, const py::dict& method,
                                      const py::dict& given, const py::dict& run,
                                      const py::object& progress);

/// What the three classifiers say of the z-scored samples, with the folds they were told by.
[[nodiscard]] py::dict classify_data(const py::object& data, const std::vector<std::string>& labels,
                                     int n_folds, const py::dict& run);

/// Writes the HTML page; `page` has title, created, image, text and n_seeds, `labels` may be None.
void write_report(const py::object& data, std::vector<std::string> names, const py::object& labels,
                  const py::dict& given, const py::dict& page, const py::dict& run,
                  const py::object& progress, const std::string& path);

[[nodiscard]] std::pair<double, double> score_data(const std::vector<Index>& a,
                                                   const std::vector<Index>& b);

/// A file: values (array or parts of a CSC matrix), names, labels.
[[nodiscard]] py::dict read_data(const std::string& path, const py::dict& given,
                                 const py::dict& run);

}  // namespace sfg::python
