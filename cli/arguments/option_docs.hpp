#pragma once

#include <string>
#include <vector>

#include "sfg/options.hpp"

namespace sfg::cli {

/// One table of docs/OPTIONS.md: option, values, default, what it does.
[[nodiscard]] std::string options_table(const std::string& heading,
                                        const std::vector<FieldDescription>& fields);

/// docs/OPTIONS.md: every option that the library lists, by stage.
[[nodiscard]] std::string options_document();

}  // namespace sfg::cli
