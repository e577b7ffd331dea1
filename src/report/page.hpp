#pragma once

#include <string_view>

namespace sfg::detail {

/// The page as web/ builds it, cut where the data belong; both empty in a build without Node.
struct Page {
  std::string_view before;
  std::string_view after;
};
[[nodiscard]] Page page() noexcept;

}  // namespace sfg::detail
