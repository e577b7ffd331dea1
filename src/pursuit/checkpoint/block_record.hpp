#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sfg/checkpoint.hpp"

namespace sfg::detail {

/// A block of targets as bytes, every number to the bit.
[[nodiscard]] std::string block_record(const TargetBlock& block, std::uint32_t pursuit);

/// And back; nothing if the bytes are not such a record. Sizes are checked before memory is taken.
struct NumberedBlock {
  std::uint32_t pursuit = 0;
  TargetBlock block;
};
[[nodiscard]] std::optional<NumberedBlock> block_from_record(std::string_view record);

}  // namespace sfg::detail
