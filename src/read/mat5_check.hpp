#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sfg::detail {

/// Walks through a MAT file of version 5 without keeping anything: every element must be complete,
/// every compressed one must unpack and every array must have as many items as its dimensions say.
/// matio takes broken files for whole ones, so it only ever sees files that passed this.
/// Returns the unpacked bytes of each variable, in file order. Throws malformed_input.
[[nodiscard]] std::vector<std::uint64_t> check_mat5(const std::string& name,
                                                    std::string_view bytes);

}  // namespace sfg::detail
