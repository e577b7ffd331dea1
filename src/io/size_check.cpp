#include "io/size_check.hpp"

#include <fmt/format.h>

#include <limits>

#include "core/text.hpp"
#include "sfg/error.hpp"
#include "sfg/matrix.hpp"

namespace sfg::detail {

void check_size(const std::string& what, double rows, double columns, double entries,
                double bytes_per_entry, const RunContext& run) {
  constexpr double kLargest = std::numeric_limits<Index>::max();
  const auto fits = [](double count) { return count >= 0 && count <= kLargest; };
  if (!fits(rows) || !fits(columns)) {
    throw Error(ErrorCode::malformed_input,
                fmt::format("a size of {:.0f} x {:.0f} is outside the range of sfg (0 to {:.0f} "
                            "rows and columns); check the size in the file",
                            rows, columns, kLargest),
                what);
  }
  const double needed = bytes_per_entry * entries;
  const bool is_limited = run.memory_limit > 0;
  const auto limit = static_cast<double>(is_limited ? run.memory_limit : available_memory());
  // Written so that a size that is not a number is refused too.
  if (needed <= limit) return;
  throw Error(ErrorCode::over_memory,
              fmt::format("the {:.0f} x {:.0f} table needs {}, but {} {}", rows, columns,
                          format_bytes(needed),
                          is_limited ? "the memory limit is" : "this machine has only",
                          format_bytes(limit)),
              what,
              is_limited ? Hint{"memory_limit", "raise {memory_limit}"}
                         : Hint{"", "use a larger machine or a sparse file"});
}

}  // namespace sfg::detail
