#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <string>
#include <vector>

#include "sfg/read.hpp"

namespace sfg::fuzz {

/// Headings that tables here are likely to have, and some that none has.
constexpr const char* kHeadings[] = {"a", "b", "c", "class", "id", "x*", "*", "", "no such"};

inline std::vector<std::string> drawn_headings(FuzzedDataProvider& draws) {
  std::vector<std::string> headings;
  for (int left = draws.ConsumeIntegralInRange(0, 3) - 1; left > 0; --left) {
    headings.emplace_back(draws.PickValueInArray(kHeadings));
  }
  return headings;
}

inline std::string one_of(FuzzedDataProvider& draws, std::initializer_list<const char*> choices) {
  return choices.begin()[draws.ConsumeIntegralInRange<std::size_t>(0, choices.size() - 1)];
}

/// Every option that says how a table is read.
inline ReadOptions drawn_options(FuzzedDataProvider& draws) {
  ReadOptions options;
  options.input_format = draws.PickValueInArray(
      {Format::csv, Format::tsv, Format::automatic, Format::matrix_market, Format::svmlight});
  if (draws.ConsumeBool()) options.header = draws.ConsumeBool();
  options.features_in_rows = draws.ConsumeBool();
  if (draws.ConsumeBool()) options.labels = draws.PickValueInArray(kHeadings);
  if (draws.ConsumeBool()) options.batch = draws.PickValueInArray(kHeadings);
  options.sample_ids = drawn_headings(draws);
  options.columns = drawn_headings(draws);
  options.drop = drawn_headings(draws);
  options.encode = draws.ConsumeBool() ? Encoding::onehot : Encoding::none;
  options.sep = one_of(draws, {"", "", ",", ";", "tab", "space", "|", ".", "1", "\n", "\""});
  options.decimal = one_of(draws, {"", "", ".", ",", ";"});
  if (draws.ConsumeBool()) options.na_values = {"-200", "x", ""};
  options.comment = one_of(draws, {"", "", "#", "//", "1", "\""});
  options.suffix_duplicates = draws.ConsumeBool();
  options.allow_no_features = draws.ConsumeBool();
  if (draws.ConsumeBool()) options.known_names = {"a", "b"};
  return options;
}

}  // namespace sfg::fuzz
