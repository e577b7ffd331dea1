#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sfg/feature_values.hpp"
#include "sfg/run_context.hpp"

namespace sfg {

/// Reads where features lie, one per line, in any order, cells by tab, comma or blanks:
///   feature position                      all on one line
///   feature chromosome position
///   chromosome feature cM position        plink's .map
///   chromosome feature cM position a b    plink's .bim
/// The first line may be a heading, further ones may start with '#'. Features that the data do not
/// have are passed over. Throws malformed_input with file and line, inconsistent_input for features
/// of the data without a position, by name, cannot_read.
[[nodiscard]] FeaturePositions read_positions(const std::filesystem::path& path,
                                              const std::vector<std::string>& feature_names,
                                              const RunContext& run = {});

}  // namespace sfg
