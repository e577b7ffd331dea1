#pragma once

#include <nlohmann/json.hpp>

#include "sfg/options.hpp"

namespace sfg::detail {

/// Options as a JSON object, field by field; null where nothing is given.
class JsonVisitor {
 public:
  template <typename Value>
  void operator()(const FieldText& text, const Value& value) {
    object_[std::string(text.name)] = json_of(value);
  }

  [[nodiscard]] nlohmann::ordered_json take() { return std::move(object_); }

 private:
  template <typename Value>
  static nlohmann::ordered_json json_of(const Value& value) {
    if constexpr (is_optional<Value>) {
      return value ? json_of(*value) : nlohmann::ordered_json();
    } else if constexpr (Chosen<Value>) {
      return choice_name(value);
    } else if constexpr (std::same_as<Value, FeatureList>) {
      return static_cast<const std::vector<Index>&>(value);
    } else {
      return value;
    }
  }

  nlohmann::ordered_json object_ = nlohmann::ordered_json::object();
};

template <typename Options>
[[nodiscard]] nlohmann::ordered_json options_to_json(const Options& options) {
  JsonVisitor visitor;
  visit_fields(options, visitor);
  return visitor.take();
}

}  // namespace sfg::detail
