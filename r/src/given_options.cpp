#include "given_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "sfg/positions.hpp"
#include "sfg/text.hpp"

namespace sfg::r {

namespace {

/// "0.5" and "1,2" of numbers, "true" of TRUE, texts as they are.
std::string as_text(SEXP value) {
  std::string text;
  const auto add = [&](const std::string& item) { text += (text.empty() ? "" : ",") + item; };
  if (TYPEOF(value) == LGLSXP) {
    for (const int flag : Rcpp::LogicalVector(value)) add(flag != 0 ? "true" : "false");
  } else if (TYPEOF(value) == STRSXP) {
    for (const std::string& item : texts_from(value)) add(item);
  } else {
    for (const double number : Rcpp::NumericVector(value)) add(format_number(number));
  }
  return text;
}

class FeaturesByName {
 public:
  explicit FeaturesByName(const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      numbers_.emplace(names[i], static_cast<Index>(i));
    }
  }

  [[nodiscard]] Index find(const std::string& name, std::string_view field) const {
    const auto found = numbers_.find(name);
    if (found != numbers_.end()) return found->second;
    throw Error(ErrorCode::invalid_option,
                fmt::format("there is no feature '{}' in the data", name), std::string(field));
  }

 private:
  std::unordered_map<std::string, Index> numbers_;
};

FeatureList list_from(SEXP given, std::string_view field, const FeaturesByName& features) {
  FeatureList list;
  for (const std::string& name : texts_from(given)) list.push_back(features.find(name, field));
  return list;
}

/// `given` has names and values.
FeatureNumbers numbers_from(const Rcpp::List& given, std::string_view field,
                            const FeaturesByName& features, std::size_t n_features) {
  FeatureNumbers numbers(n_features, std::numeric_limits<double>::quiet_NaN());
  const auto names = texts_from(given["names"]);
  const Rcpp::NumericVector values(static_cast<SEXP>(given["values"]));
  for (std::size_t i = 0; i < names.size(); ++i) {
    numbers[features.find(names[i], field)] = values[static_cast<R_xlen_t>(i)];
  }
  return numbers;
}

/// `given` has names, chromosomes and positions, or is the path of a file.
FeaturePositions positions_from(SEXP given, std::string_view field,
                                const std::vector<std::string>& feature_names) {
  if (TYPEOF(given) == STRSXP) return read_positions(text_from(given), feature_names);
  const Rcpp::List list(given);
  const auto names = texts_from(list["names"]);
  const Rcpp::IntegerVector chromosomes(static_cast<SEXP>(list["chromosomes"]));
  const Rcpp::NumericVector places(static_cast<SEXP>(list["positions"]));
  const FeaturesByName given_features(names);
  FeaturePositions positions;
  for (const std::string& name : feature_names) {
    const auto place = static_cast<R_xlen_t>(given_features.find(name, field));
    positions.chromosome.push_back(chromosomes[place]);
    positions.position.push_back(places[place]);
  }
  return positions;
}

bool is_of_features(FieldKind kind) {
  return kind == FieldKind::features || kind == FieldKind::feature_numbers ||
         kind == FieldKind::feature_positions;
}

}  // namespace

GivenOptions::GivenOptions(SEXP list) : given_(list) {
  if (given_.size() == 0) return;
  const auto names = texts_from(given_.names());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const SEXP value = given_[static_cast<R_xlen_t>(i)];
    // Lists are about features, which have no text.
    texts_[names[i]] = TYPEOF(value) == VECSXP ? std::string() : as_text(value);
  }
}

void GivenOptions::require_known(const std::vector<FieldDescription>& fields) const {
  std::vector<std::string> known;
  for (const FieldDescription& field : fields) known.push_back(field.name);
  for (const auto& [name, text] : texts_) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const auto nearest = nearest_names(name, known);
    throw Error(ErrorCode::invalid_option,
                fmt::format("there is no option {}{}", name,
                            nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest[0])));
  }
}

MethodOptions GivenOptions::method() const {
  const auto fields = describe_method();
  require_known(fields);
  GivenTexts texts = texts_;
  for (const FieldDescription& field : fields) {
    const auto found = texts.find(field.name);
    if (found != texts.end() && is_of_features(field.kind)) found->second.clear();
  }
  return method_from_texts(texts);
}

void GivenOptions::read_features(MethodOptions& method,
                                 const std::vector<std::string>& feature_names) const {
  const FeaturesByName features(feature_names);
  visit_fields(method, [&](const FieldText& field, auto& value) {
    using Value = std::remove_reference_t<decltype(value)>;
    const std::string name(field.name);
    if (!given_.containsElementNamed(name.c_str())) return;
    if constexpr (std::same_as<Value, FeatureList>) {
      value = list_from(given_[name], name, features);
    } else if constexpr (std::same_as<Value, FeatureNumbers>) {
      value = numbers_from(given_[name], name, features, feature_names.size());
    } else if constexpr (std::same_as<Value, FeaturePositions>) {
      value = positions_from(given_[name], name, feature_names);
    }
  });
}

}  // namespace sfg::r
