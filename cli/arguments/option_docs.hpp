#pragma once

#include <string>
#include <vector>

#include "sfg/options.hpp"

namespace sfg::cli {

/// One table of docs/OPTIONS.md: option, values, default, what it does.
[[nodiscard]] std::string options_table(const std::string& heading,
                                        const std::vector<FieldDescription>& fields);

/// The options of a stage, with its heading in docs/OPTIONS.md.
struct OptionList {
  std::string heading;
  std::vector<FieldDescription> fields;
};

/// Every option that the library lists, by stage.
[[nodiscard]] std::vector<OptionList> option_lists();

/// docs/OPTIONS.md: every option that the library lists, by stage.
[[nodiscard]] std::string options_document();

}  // namespace sfg::cli
