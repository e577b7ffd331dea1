#pragma once

#include <fmt/format.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <set>
#include <string>
#include <utility>

#include "sfg/pipeline.hpp"

// Options by name, as the Python side hands them over: one dictionary per stage, with the names of
// the library's own lists. What is not in it keeps its default.
namespace sfg::python {

namespace py = pybind11;

class OptionDict {
 public:
  explicit OptionDict(py::dict options) : options_(std::move(options)) {}

  /// Whether there is such an option and it is not None.
  [[nodiscard]] bool has(const char* name) const {
    return options_.contains(name) && !options_[name].is_none();
  }

  /// The value of an option that must be there. Throws TypeError with its name.
  template <typename Value>
  [[nodiscard]] Value get(const char* name) const {
    const py::object value = options_[name];
    try {
      return value.cast<Value>();
    } catch (const py::cast_error&) {
      throw py::type_error(fmt::format("{}={} is of the wrong type or out of range", name,
                                       py::repr(value).cast<std::string>()));
    }
  }

  /// Sets a field that is given. For visit_fields().
  template <typename Value>
  void operator()(const FieldText& field, Value& value) {
    const std::string name(field.name);
    if (!has(name.c_str())) return;
    used_.insert(name);
    set(field, name, value);
  }

  /// The options with what is given.
  template <typename Options>
  [[nodiscard]] Options read(Options options = {}) {
    visit_fields(options, *this);
    return options;
  }

  /// Names that no field has asked for.
  [[nodiscard]] std::vector<std::string> unused() const;

 private:
  template <typename Value>
  void set(const FieldText& field, const std::string& name, Value& value) const {
    if constexpr (detail::is_optional<Value>) {
      set(field, name, value.emplace());
    } else if constexpr (Chosen<Value>) {
      value = choice_from_name<Value>(get<std::string>(name.c_str()), field.name, field.without);
    } else if constexpr (detail::is_vector<Value> && Chosen<detail::ItemOf<Value>>) {
      value.clear();
      for (const auto& item : get<std::vector<std::string>>(name.c_str())) {
        value.push_back(choice_from_name<detail::ItemOf<Value>>(item, field.name, field.without));
      }
    } else if constexpr (std::same_as<Value, FeatureList>) {
      const auto features = get<std::vector<Index>>(name.c_str());
      value.assign(features.begin(), features.end());
    } else if constexpr (std::same_as<Value, FeatureNumbers>) {
      const auto numbers = get<std::vector<double>>(name.c_str());
      value.assign(numbers.begin(), numbers.end());
    } else if constexpr (std::same_as<Value, FeaturePositions>) {
      const auto places = get<std::pair<std::vector<Index>, std::vector<double>>>(name.c_str());
      value = {places.first, places.second};
    } else {
      if constexpr (std::same_as<Value, double>) {
        if (field.takes_suffix && py::isinstance<py::str>(options_[name.c_str()])) {
          value = detail::number_from_text(field, get<std::string>(name.c_str()));
          return;
        }
      }
      if constexpr (std::is_arithmetic_v<Value> && !std::same_as<Value, bool>) {
        if (!field.zero.empty() && py::isinstance<py::str>(options_[name.c_str()])) {
          require_zero(field, get<std::string>(name.c_str()));
          value = 0;
          return;
        }
      }
      value = get<Value>(name.c_str());
    }
  }

  /// Throws invalid_option unless the text is the word for 0.
  static void require_zero(const FieldText& field, const std::string& text);

  py::dict options_;
  std::set<std::string> used_;
};

/// The whole method. An option that the chosen grouping does not have is refused.
[[nodiscard]] MethodOptions method_options(const py::dict& options);

/// The fields of "method", "sweep", "select", "cluster", "compare", "stability", "report" or
/// "read": dictionaries with name, help, type, default, choices, and the default of each grouping.
[[nodiscard]] py::list fields_of(const std::string& stage);

}  // namespace sfg::python
