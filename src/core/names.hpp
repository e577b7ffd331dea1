#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "sfg/error.hpp"

// Enum values and their names on the command line and in files: one table each, used both ways.
namespace sfg::detail {

template <typename Table, typename Value>
[[nodiscard]] std::string name_of(const Table& table, Value value) {
  for (const auto& [name, entry] : table) {
    if (entry == value) return name;
  }
  throw Error(ErrorCode::internal, "a value without a name");
}

/// Throws invalid_option with the list of names; `what` says what was named.
template <typename Table>
[[nodiscard]] auto value_of(const Table& table, std::string_view name, std::string_view what) {
  std::string names;
  for (const auto& [entry_name, value] : table) {
    if (name == entry_name) return value;
    names += names.empty() ? "" : ", ";
    names += entry_name;
  }
  throw Error(ErrorCode::invalid_option,
              fmt::format("unknown {} '{}'; choose one of {}", what, name, names));
}

}  // namespace sfg::detail
