#pragma once

#include <functional>
#include <string>

#include "read/readers.hpp"

// A table on its way from one process to another, both of the same program: no format for files.
namespace sfg::detail {

/// Takes `size` bytes.
using ByteSink = std::function<void(const void* bytes, std::size_t size)>;
/// Fills `size` bytes or throws.
using ByteSource = std::function<void(void* bytes, std::size_t size)>;

/// Sends a table and leaves it without its values: memory that was sent is given back at once.
void send_table(RawTable& table, const ByteSink& send);

/// The inverse. Sizes and indices are checked as those of a file are: whoever sends may have been
/// hurt by what it read. Throws malformed_input or over_memory, message starting with `name`.
[[nodiscard]] RawTable receive_table(const std::string& name, const RunContext& run,
                                     const ByteSource& receive);

void send_text(const std::string& text, const ByteSink& send);
[[nodiscard]] std::string receive_text(const ByteSource& receive);

}  // namespace sfg::detail
