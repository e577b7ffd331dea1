#pragma once

#include <string>

namespace faults {

/// The path of an open file, empty if it has none.
std::string path_of(int file);

/// An absolute path for one that may be relative.
std::string absolute(const char* path);

/// Whether a path is that of the folder or of something in it. Without a folder nothing is.
bool is_below(const char* path, const char* folder);
bool is_below(int file, const char* folder);

}  // namespace faults
