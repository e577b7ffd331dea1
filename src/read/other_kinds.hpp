#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "io/input_bytes.hpp"
#include "sfg/read.hpp"

// Files that are no table as they are: archives around one, and kinds that sfg does not read.
namespace sfg::detail {

[[nodiscard]] bool is_zip(std::string_view bytes) noexcept;

/// The file of a zip archive that holds the table: the only one, or the one that
/// ReadOptions::variable names (with or without its ending). Throws malformed_input,
/// inconsistent_input (several files) or over_memory.
[[nodiscard]] std::unique_ptr<InputBytes> table_in_zip(const InputBytes& archive,
                                                       const ReadOptions& options,
                                                       const RunContext& run);

/// Throws malformed_input for bytes of a kind that is known and not read (spreadsheets, Parquet,
/// other archives, a model of sfg, ...): what it is and how to turn it into a table.
void refuse_other_kinds(const InputBytes& input);

}  // namespace sfg::detail
