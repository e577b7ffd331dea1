#pragma once

#include <string>
#include <vector>

#include "sfg/read.hpp"

namespace sfg::detail {

/// Trims feature names, fills in empty ones ("f7") and sees to it that all are different: by
/// refusing (inconsistent_input with the first pair) or by suffixes "_2", "_3" that clash with no
/// other name. `source` starts the message.
[[nodiscard]] std::vector<std::string> settle_feature_names(const std::string& source,
                                                            std::vector<std::string> names,
                                                            const ReadOptions& options);

}  // namespace sfg::detail
