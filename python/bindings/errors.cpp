#include "errors.hpp"

#include <fmt/format.h>
#include <pybind11/pybind11.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "sfg/error.hpp"

namespace sfg::python {

namespace {

namespace py = pybind11;

/// Classes of python/sfg/errors.py.
const char* class_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_option:
      return "InvalidOptionError";
    case ErrorCode::malformed_input:
      return "MalformedInputError";
    case ErrorCode::inconsistent_input:
    case ErrorCode::broken_relations:
      return "InconsistentInputError";
    case ErrorCode::degenerate_data:
      return "DegenerateDataError";
    case ErrorCode::cannot_read:
    case ErrorCode::cannot_write:
      return "FileError";
    case ErrorCode::over_memory:
      return "MemoryLimitError";
    case ErrorCode::interrupted:
    case ErrorCode::internal:
      break;
  }
  return "InternalError";
}

/// Options of the library that have another name in Python.
constexpr std::array<std::pair<std::string_view, std::string_view>, 1> kOtherNames{{
    {"threads", "n_jobs"},
}};

}  // namespace

std::string spell_parameter(std::string_view field, std::string_view value) {
  std::string text(field);
  for (const auto& [name, parameter] : kOtherNames) {
    if (field == name) text = parameter;
  }
  if (value == "true") return text + "=True";
  if (value == "false") return text + "=False";
  const bool is_number = value.find_first_not_of("0123456789.") == std::string_view::npos;
  if (value.empty()) return text;
  return text + (is_number ? fmt::format("={}", value) : fmt::format("='{}'", value));
}

void translate_errors() {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::interrupted) {
        PyErr_SetNone(PyExc_KeyboardInterrupt);
        return;
      }
      const py::object type = py::module_::import("sfg.errors").attr(class_name(error.code()));
      PyErr_SetString(type.ptr(), message(error, spell_parameter).c_str());
    }
  });
}

}  // namespace sfg::python
