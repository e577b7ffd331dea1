#pragma once

#include <string_view>

namespace sfg::cli {

/// Says on standard error what the exception that is being handled means to the user, `who` (the
/// program, and the rank where it matters) in front; returns the exit status.
[[nodiscard]] int explain_exception(std::string_view who);

}  // namespace sfg::cli
