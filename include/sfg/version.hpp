#pragma once

#include <string>
#include <vector>

namespace sfg {

/// "major.minor.patch"
[[nodiscard]] const char* version() noexcept;

/// Names of the optional parts that this build has: "mat", "h5ad".
[[nodiscard]] std::vector<std::string> built_with();

}  // namespace sfg
