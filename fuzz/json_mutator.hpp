#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "mutation.hpp"

namespace sfg::fuzz {

using nlohmann::ordered_json;

inline void collect(ordered_json& value, std::vector<ordered_json*>& all) {
  all.push_back(&value);
  if (!value.is_structured()) return;
  for (auto& one : value) collect(one, all);
}

/// Values that are wrong in most places.
inline ordered_json odd_value(std::mt19937& random) {
  static const std::vector<ordered_json> values{nullptr,
                                                true,
                                                0,
                                                -1,
                                                1,
                                                2,
                                                0.5,
                                                -0.0,
                                                1e308,
                                                1e-320,
                                                9007199254740993,
                                                4294967296,
                                                -2147483649,
                                                "",
                                                "a",
                                                "\n",
                                                "nan",
                                                ordered_json::array(),
                                                ordered_json::object(),
                                                {0, 1},
                                                {{0, 1.5}}};
  return values[below(random, values.size())];
}

/// One change of a document that stays one: a value is replaced, taken away, doubled, put in
/// another place, or its text or number changes.
inline std::string changed_json(std::string_view text, std::mt19937& random) {
  ordered_json document = ordered_json::parse(text, nullptr, false);
  if (document.is_discarded()) return {};
  std::vector<ordered_json*> all;
  collect(document, all);
  ordered_json& one = *all[below(random, all.size())];
  const ordered_json other = *all[below(random, all.size())];
  switch (below(random, 6)) {
    case 0:
      one = odd_value(random);
      break;
    case 1:
      one = other;
      break;
    case 2:
      if (one.is_array() && !one.empty()) one.erase(below(random, one.size()));
      if (one.is_object() && !one.empty()) {
        one.erase(std::next(one.begin(), static_cast<int>(below(random, one.size()))));
      }
      break;
    case 3:
      if (one.is_array()) one.push_back(one.empty() ? other : one[below(random, one.size())]);
      if (one.is_object()) one["added"] = other;
      break;
    case 4:
      if (one.is_string()) one = mutated(one.get<std::string>(), 64);
      break;
    default:
      if (one.is_number_integer()) one = one.get<std::int64_t>() + (random() % 2 == 0 ? 1 : -1);
      if (one.is_number_float()) one = one.get<double>() * (random() % 2 == 0 ? -1e3 : 1e-3);
  }
  return document.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace sfg::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* bytes, std::size_t size,
                                               std::size_t most, unsigned seed) {
  return sfg::fuzz::mutate(bytes, size, most, seed, sfg::fuzz::changed_json);
}
