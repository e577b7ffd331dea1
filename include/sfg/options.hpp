#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sfg/feature_values.hpp"
#include "sfg/matrix.hpp"

// One source for every option. A struct of options lists its fields once, beside its definition:
//
//   template <OptionsOf<PursuitOptions> Options, typename Visitor>
//   void visit_fields(Options& options, Visitor&& visit) {
//     visit({"epsilon", "Stop when an atom gains less than this", between(0, 1)}, options.epsilon);
//     visit({"engine", "Same answer, other speed"}, options.engine);
//   }
//
// and everything else comes from that list: the check of ranges, the command line with its help,
// the parameters of Python with their documentation, the options in JSON, docs/OPTIONS.md. A new
// option is one line in the list, its use, and its test.
namespace sfg {

/// What a number may be.
struct Limits {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_excluded = false;
  bool high_excluded = false;

  [[nodiscard]] constexpr bool allow(double value) const noexcept {
    return (low_excluded ? value > low : value >= low) &&
           (high_excluded ? value < high : value <= high);
  }
};

[[nodiscard]] constexpr Limits at_least(double low) {
  return {.low = low};
}
[[nodiscard]] constexpr Limits above(double low) {
  return {.low = low, .low_excluded = true};
}
/// Both ends excluded.
[[nodiscard]] constexpr Limits between(double low, double high) {
  return {low, high, true, true};
}
/// Both ends included.
[[nodiscard]] constexpr Limits within(double low, double high) {
  return {low, high, false, false};
}
/// In (0, 1].
[[nodiscard]] constexpr Limits share() {
  return {0, 1, true, false};
}

/// One value of an enum: its name in files, on the command line and in Python, and what it means.
template <typename Enum>
struct Choice {
  Enum value;
  std::string_view name;
  std::string_view help = {};
};
// Written out for compilers that do not deduce it from the members (Clang before 17).
template <typename Enum>
Choice(Enum, std::string_view) -> Choice<Enum>;
template <typename Enum>
Choice(Enum, std::string_view, std::string_view) -> Choice<Enum>;

/// The values of an enum that can be chosen. Specialise it beside the enum:
///   template <> inline constexpr auto kChoices<Engine> = std::array{Choice{Engine::gram, "gram"}};
template <typename Enum>
inline constexpr std::nullptr_t kChoices = nullptr;

template <typename Value>
concept Chosen = std::is_enum_v<Value> &&
    !std::same_as<std::remove_cv_t<decltype(kChoices<Value>)>, std::nullptr_t>;

/// What is said about a field. Help that speaks of another option has a place for its name, as
/// hints of errors do: "With {min_mean_r2}: ...".
struct FieldText {
  std::string_view name;  ///< snake_case, as in Python; the command line spells it --snake-case
  std::string_view help;  ///< one sentence
  Limits limits = {};
  std::string_view zero = {};     ///< the word for 0, where 0 stands for something: "all"
  std::string_view form = {};     ///< how a text looks: "HEIGHTxWIDTH"
  std::string_view without = {};  ///< choices that this field does not have: "cover pairwise"
  /// A number may end in k (thousands) or M (millions).
  bool takes_suffix = false;
};

template <typename Options, typename Struct>
concept OptionsOf = std::same_as<std::remove_const_t<Options>, Struct>;

/// What kind of value a field takes, for those who do not know its type.
enum class FieldKind {
  flag,
  integer,
  number,
  choice,
  text,
  integers,
  numbers,
  choices,
  texts,
  features,
  feature_numbers,
  feature_positions
};

/// A field as help texts, documents and other languages need it.
struct FieldDescription {
  std::string name;
  std::string help;
  FieldKind kind = FieldKind::text;
  bool is_optional = false;  ///< has a state "not given", in which something else decides
  Limits limits;
  std::string zero;
  std::string form;
  std::vector<std::pair<std::string, std::string>> choices;  ///< names with their meaning
  /// The default as text; "" where nothing is given.
  std::string usual;
  /// Where defaults differ: "compact", "true"; empty if there is only one.
  std::vector<std::pair<std::string, std::string>> usual_of;
};

/// Words by name, as a command line gives them.
using GivenTexts = std::map<std::string, std::string, std::less<>>;

namespace detail {

[[noreturn]] void refuse_choice(std::string_view field, std::string_view given,
                                const std::vector<std::string_view>& names);
[[noreturn]] void refuse_nameless();
void check_number(const FieldText& text, double value);
[[nodiscard]] std::int64_t integer_from_text(const FieldText& field, const std::string& text,
                                             std::int64_t low, std::int64_t high);
[[nodiscard]] double number_from_text(const FieldText& field, const std::string& text);
[[nodiscard]] bool flag_from_text(const FieldText& field, const std::string& text);
[[nodiscard]] std::vector<std::string> items_of(const std::string& text);
[[nodiscard]] std::string text_of(double value);

template <typename Value>
inline constexpr bool is_optional = false;
template <typename Value>
inline constexpr bool is_optional<std::optional<Value>> = true;
template <typename Value>
inline constexpr bool is_vector = false;
template <typename Value>
inline constexpr bool is_vector<std::vector<Value>> = true;
/// What a list is made of; the value itself where it is no list.
template <typename Value>
struct ItemOfList {
  using type = Value;
};
template <typename Value>
struct ItemOfList<std::vector<Value>> {
  using type = Value;
};
template <typename Value>
using ItemOf = typename ItemOfList<Value>::type;

}  // namespace detail

/// The name of a value. O(values).
template <Chosen Enum>
[[nodiscard]] std::string choice_name(Enum value) {
  for (const auto& choice : kChoices<Enum>) {
    if (choice.value == value) return std::string(choice.name);
  }
  detail::refuse_nameless();
}

/// Whether a choice is one of the words.
[[nodiscard]] constexpr bool is_word_of(std::string_view words, std::string_view choice) {
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    if (words.substr(at, end - at) == choice) return true;
    at = end + 1;
  }
  return false;
}

/// The names of an enum's values, but for those that a field does not have.
template <Chosen Enum>
[[nodiscard]] std::vector<std::string_view> choice_names(std::string_view without = {}) {
  std::vector<std::string_view> names;
  for (const auto& choice : kChoices<Enum>) {
    if (!is_word_of(without, choice.name)) names.push_back(choice.name);
  }
  return names;
}

/// The value of a name. Throws invalid_option with the names there are.
template <Chosen Enum>
[[nodiscard]] Enum choice_from_name(std::string_view name, std::string_view field,
                                    std::string_view without = {}) {
  for (const auto& choice : kChoices<Enum>) {
    if (choice.name == name && !is_word_of(without, name)) return choice.value;
  }
  detail::refuse_choice(field, name, choice_names<Enum>(without));
}

// --- visitors -----------------------------------------------------------------------------------

/// Throws invalid_option for the first number out of its limits, or choice that a field does not
/// have.
struct CheckingVisitor {
  template <typename Value>
  void operator()(const FieldText& text, const Value& value) const {
    if constexpr (detail::is_optional<Value>) {
      if (value) (*this)(text, *value);
    } else if constexpr (detail::is_vector<Value>) {
      for (const auto& one : value) (*this)(text, one);
    } else if constexpr (std::is_arithmetic_v<Value> && !std::same_as<Value, bool>) {
      detail::check_number(text, static_cast<double>(value));
    } else if constexpr (Chosen<Value>) {
      static_cast<void>(choice_from_name<Value>(choice_name(value), text.name, text.without));
    }
  }
};

/// Throws invalid_option for a value out of its limits.
template <typename Options>
void check_fields(const Options& options) {
  visit_fields(options, CheckingVisitor{});
}

/// A value as text: the inverse of TextSetter, and what help and documents show. Nothing given: "".
template <typename Value>
[[nodiscard]] std::string field_text(const Value& value) {
  if constexpr (detail::is_optional<Value>) {
    return value ? field_text(*value) : std::string();
  } else if constexpr (std::same_as<Value, bool>) {
    return value ? "true" : "false";
  } else if constexpr (Chosen<Value>) {
    return choice_name(value);
  } else if constexpr (detail::is_by_feature<Value>) {
    return {};
  } else if constexpr (detail::is_vector<Value>) {
    std::string text;
    for (const auto& one : value) {
      text += text.empty() ? "" : ",";
      text += field_text(one);
    }
    return text;
  } else if constexpr (std::is_floating_point_v<Value>) {
    return detail::text_of(value);
  } else if constexpr (std::is_integral_v<Value>) {
    return std::to_string(value);
  } else {
    return std::string(value);
  }
}

/// Sets fields from words; afterwards `unused()` are those that no field has asked for.
class TextSetter {
 public:
  explicit TextSetter(const GivenTexts& given) : given_(&given) {}

  template <typename Value>
  void operator()(const FieldText& field, Value& value) {
    const auto found = given_->find(field.name);
    if (found == given_->end()) return;
    used_.insert(found->first);
    set(field, found->second, value);
  }

  [[nodiscard]] std::vector<std::string> unused() const {
    std::vector<std::string> names;
    for (const auto& [name, text] : *given_) {
      if (!used_.contains(name)) names.push_back(name);
    }
    return names;
  }

 private:
  template <typename Value>
  static void set(const FieldText& field, const std::string& text, Value& value) {
    if constexpr (detail::is_optional<Value>) {
      if (text == "auto" || text == "none") {
        value.reset();
      } else {
        set(field, text, value.emplace());
      }
    } else if constexpr (std::same_as<Value, bool>) {
      value = detail::flag_from_text(field, text);
    } else if constexpr (Chosen<Value>) {
      value = choice_from_name<Value>(text, field.name, field.without);
    } else if constexpr (detail::is_by_feature<Value>) {
      // Names have no meaning before the data are read: the caller fills these in.
    } else if constexpr (detail::is_vector<Value>) {
      value.clear();
      for (const std::string& item : detail::items_of(text)) set(field, item, value.emplace_back());
    } else if constexpr (std::is_floating_point_v<Value>) {
      value = detail::number_from_text(field, text);
    } else if constexpr (std::is_integral_v<Value>) {
      value = static_cast<Value>(detail::integer_from_text(
          field, text, static_cast<std::int64_t>(std::numeric_limits<Value>::min()),
          static_cast<std::int64_t>(std::numeric_limits<Value>::max())));
    } else {
      value = text;
    }
  }

  const GivenTexts* given_;
  std::set<std::string, std::less<>> used_;
};

/// Collects what a list says about its fields.
class DescribingVisitor {
 public:
  template <typename Value>
  void operator()(const FieldText& text, const Value& value) {
    FieldDescription field;
    field.name = text.name;
    field.help = text.help;
    field.limits = text.limits;
    field.zero = text.zero;
    field.form = text.form;
    field.usual = field_text(value);
    describe<Value>(text, field);
    fields_.push_back(std::move(field));
  }

  [[nodiscard]] std::vector<FieldDescription> take() { return std::move(fields_); }

 private:
  template <typename Value>
  static void describe(const FieldText& text, FieldDescription& field) {
    if constexpr (detail::is_optional<Value>) {
      field.is_optional = true;
      describe<typename Value::value_type>(text, field);
    } else if constexpr (std::same_as<Value, bool>) {
      field.kind = FieldKind::flag;
    } else if constexpr (Chosen<Value>) {
      field.kind = FieldKind::choice;
      for (const auto& choice : kChoices<Value>) {
        if (is_word_of(text.without, choice.name)) continue;
        field.choices.emplace_back(choice.name, choice.help);
      }
    } else if constexpr (std::same_as<Value, FeatureList>) {
      field.kind = FieldKind::features;
    } else if constexpr (std::same_as<Value, FeatureNumbers>) {
      field.kind = FieldKind::feature_numbers;
    } else if constexpr (std::same_as<Value, FeaturePositions>) {
      field.kind = FieldKind::feature_positions;
    } else if constexpr (detail::is_vector<Value>) {
      describe<typename Value::value_type>(text, field);
      field.kind = list_of(field.kind);
    } else if constexpr (std::is_floating_point_v<Value>) {
      field.kind = FieldKind::number;
    } else if constexpr (std::is_integral_v<Value>) {
      field.kind = FieldKind::integer;
    }
  }

  [[nodiscard]] static constexpr FieldKind list_of(FieldKind item) {
    if (item == FieldKind::choice) return FieldKind::choices;
    if (item == FieldKind::text) return FieldKind::texts;
    return item == FieldKind::number ? FieldKind::numbers : FieldKind::integers;
  }

  std::vector<FieldDescription> fields_;
};

/// The fields of a struct of options, in the order of its list, with these values as defaults.
template <typename Options>
[[nodiscard]] std::vector<FieldDescription> describe_fields(const Options& usual = {}) {
  DescribingVisitor visitor;
  visit_fields(usual, visitor);
  return visitor.take();
}

/// "above 0 and below 1", "at least 1", "" without limits.
[[nodiscard]] std::string limits_text(const Limits& limits);

}  // namespace sfg
