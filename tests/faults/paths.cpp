#include "paths.hpp"

#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstring>

namespace faults {

std::string path_of(int file) {
  char link[64];
  char path[PATH_MAX];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t n = readlink(link, path, sizeof path);
  return n <= 0 ? std::string() : std::string(path, static_cast<std::size_t>(n));
}

std::string absolute(const char* path) {
  if (path[0] == '/') return path;
  char folder[PATH_MAX];
  if (getcwd(folder, sizeof folder) == nullptr) return path;
  return std::string(folder) + "/" + path;
}

bool is_below(const char* path, const char* folder) {
  if (folder == nullptr || path == nullptr) return false;
  return std::strncmp(absolute(path).c_str(), folder, std::strlen(folder)) == 0;
}

bool is_below(int file, const char* folder) {
  return folder != nullptr && file >= 0 && is_below(path_of(file).c_str(), folder);
}

}  // namespace faults
