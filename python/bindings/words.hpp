#pragma once

#include <fmt/format.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <utility>

// Options by name, as the Python side hands them over: one dictionary per stage, with the names of
// the estimators' parameters.
namespace sfg::python {

namespace py = pybind11;

class Words {
 public:
  explicit Words(py::dict words) : words_(std::move(words)) {}

  /// Whether there is such a word and it is not None.
  [[nodiscard]] bool has(const char* name) const {
    return words_.contains(name) && !words_[name].is_none();
  }

  /// The value of a word that must be there. Throws TypeError with its name.
  template <typename Value>
  [[nodiscard]] Value get(const char* name) const {
    const py::object value = words_[name];
    try {
      return value.cast<Value>();
    } catch (const py::cast_error&) {
      throw py::type_error(fmt::format("{}={} is of the wrong type or out of range", name,
                                       py::repr(value).cast<std::string>()));
    }
  }

  /// Sets an option, if there is a word for it.
  template <typename Value>
  void set(const char* name, Value& option) const {
    if (has(name)) option = get<Value>(name);
  }

 private:
  py::dict words_;
};

}  // namespace sfg::python
