#include "explain_exception.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "sfg/error.hpp"

namespace sfg::cli {

namespace {

/// Options of the library that have another name here.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kOtherNames{{
    {"memory_limit", "--memory"},
    {"output", "-o"},
    {"overwrite", "--force"},
}};

}  // namespace

std::string spell_option(std::string_view field, std::string_view value) {
  std::string text = "--" + std::string(field);
  std::ranges::replace(text, '_', '-');
  for (const auto& [name, option] : kOtherNames) {
    if (field == name) text = option;
  }
  const bool is_switch = value == "true" || value == "false";
  if (value == "false") text.insert(2, "no-");
  if (!value.empty() && !is_switch) text.append(" ").append(value);
  return text;
}

int explain_exception(std::string_view who) {
  const auto say = [&](const std::string& what) {
    std::fputs(fmt::format("{}: {}\n", who, what).c_str(), stderr);
  };
  try {
    throw;
  } catch (const Error& error) {
    say(message(error, spell_option));
    return exit_status(error.code());
  } catch (const std::bad_alloc&) {
    say("out of memory: set --memory below what is free, or lower --threads");
    return exit_status(ErrorCode::over_memory);
  } catch (const std::exception& error) {
    say(fmt::format("internal error: {}; this is a defect of sfg, please report it", error.what()));
    return exit_status(ErrorCode::internal);
  }
}

}  // namespace sfg::cli
