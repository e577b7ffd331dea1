#include "errors.hpp"

#include <pybind11/pybind11.h>

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
      PyErr_SetString(type.ptr(), error.what());
    }
  });
}

}  // namespace sfg::python
