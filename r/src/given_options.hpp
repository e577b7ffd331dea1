#pragma once

#include <Rcpp.h>

#include <string>
#include <vector>

#include "sfg/error.hpp"
#include "sfg/pipeline.hpp"
#include "texts.hpp"

// Options by name, as R hands them over. Numbers and words become texts as on the command line, so
// that one place in the library checks them; features are given by name, and found when the data
// are known.
namespace sfg::r {

class GivenOptions {
 public:
  explicit GivenOptions(SEXP list);

  /// The whole method, but for what is about features: read_features().
  [[nodiscard]] MethodOptions method() const;

  /// Fills in what is about features of these data.
  void read_features(MethodOptions& method, const std::vector<std::string>& feature_names) const;

  /// The options of a stage. A name that is not among them is refused.
  template <typename Options>
  [[nodiscard]] Options read() const {
    require_known(describe_fields<Options>());
    Options options;
    TextSetter setter(texts_);
    visit_fields(options, setter);
    visit_fields(options, [this](const FieldText& field, auto& value) { set_texts(field, value); });
    check_fields(options);
    return options;
  }

 private:
  /// Throws invalid_option for a name that no field has, with the nearest ones.
  void require_known(const std::vector<FieldDescription>& fields) const;

  /// Lists of texts go around the text, where a comma would cut them.
  template <typename Value>
  void set_texts(const FieldText& field, Value& value) const {
    if constexpr (std::same_as<Value, std::vector<std::string>>) {
      const std::string name(field.name);
      if (given_.containsElementNamed(name.c_str())) value = texts_from(given_[name]);
    }
  }

  Rcpp::List given_;
  GivenTexts texts_;
};

}  // namespace sfg::r
