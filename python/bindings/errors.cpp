#include "errors.hpp"

#include <pybind11/pybind11.h>

#include <algorithm>
#include <array>
#include <regex>
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

/// Parameters that are not called like their options.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOtherNames{{
    {"memory", "memory_limit"},
    {"threads", "n_jobs"},
    {"responses", "n_responses"},
    {"neighbours", "n_neighbors"},
    {"input-format", "format"},
    {"var", "variable"},
}};

std::string parameter_for(std::string option) {
  for (const auto& [name, parameter] : kOtherNames) {
    if (option == name) return std::string(parameter);
  }
  std::ranges::replace(option, '-', '_');
  return option;
}

/// The library's messages name options of the command line: "raise --memory".
std::string with_parameters(const std::string& message) {
  static const std::regex kOption("--([a-z][a-z-]*)");
  std::string text;
  auto rest = message.begin();
  for (std::sregex_iterator found(message.begin(), message.end(), kOption), end; found != end;
       ++found) {
    text.append(rest, (*found)[0].first);
    text += parameter_for((*found)[1].str());
    rest = (*found)[0].second;
  }
  return text.append(rest, message.end());
}

}  // namespace

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
      PyErr_SetString(type.ptr(), with_parameters(error.what()).c_str());
    }
  });
}

}  // namespace sfg::python
