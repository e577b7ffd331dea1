#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sfg/dataset.hpp"

// Whether data are the same as before: 64 bits (FNV-1a) as 16 hexadecimal digits. They tell data
// apart; they do not tell whether somebody tampered with them.
namespace sfg {

/// Of values, shape and labels: everything that a computation looks at.
[[nodiscard]] std::string fingerprint_of(const Dataset& dataset);

/// Of the bytes of a file; nothing if it cannot be read.
[[nodiscard]] std::optional<std::string> fingerprint_of_file(const std::filesystem::path& path);

}  // namespace sfg
