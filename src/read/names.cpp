#include "read/names.hpp"

#include <fmt/format.h>

#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/text.hpp"
#include "io/text_source.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

void refuse_duplicates(const std::string& source, const std::vector<std::string>& names) {
  std::unordered_map<std::string_view, std::size_t> places;
  places.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [place, is_new] = places.emplace(names[i], i);
    if (is_new) continue;
    throw Error(ErrorCode::inconsistent_input,
                fmt::format("features {} and {} are both called {}", place->second + 1, i + 1,
                            in_quotes(names[i])),
                source,
                {"suffix_duplicates",
                 "rename one of them, or add {suffix_duplicates=true} to tell "
                 "them apart by _2, _3, ..."});
  }
}

void suffix_duplicates(std::vector<std::string>& names) {
  std::unordered_set<std::string> taken(names.begin(), names.end());
  std::unordered_map<std::string, int> occurrences;
  for (auto& name : names) {
    int& count = occurrences[name];
    if (++count == 1) continue;
    auto changed = fmt::format("{}_{}", name, count);
    while (!taken.insert(changed).second) changed = fmt::format("{}_{}", name, ++count);
    name = std::move(changed);
  }
}

}  // namespace

std::vector<std::string> settle_feature_names(const std::string& source,
                                              std::vector<std::string> names,
                                              const ReadOptions& options) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    names[i] = trimmed(names[i]);
    if (names[i].empty()) names[i] = fmt::format("f{}", i);
  }
  if (!options.suffix_duplicates) {
    refuse_duplicates(source, names);
  } else {
    suffix_duplicates(names);
  }
  return names;
}

}  // namespace sfg::detail
