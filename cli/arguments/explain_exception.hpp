#pragma once

#include <string>
#include <string_view>

namespace sfg::cli {

/// An option of the library as the command line spells it: "missing", "mean" is --missing mean,
/// the switch "features_in_rows", "true" is --features-in-rows, "header", "false" is --no-header.
[[nodiscard]] std::string spell_option(std::string_view field, std::string_view value = {});

/// Says on standard error what the exception that is being handled means to the user, `who` (the
/// program, and the rank where it matters) in front; returns the exit status.
[[nodiscard]] int explain_exception(std::string_view who);

}  // namespace sfg::cli
