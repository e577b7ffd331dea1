#include "read/path_of_bytes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

/// Where a copy may lie, in this order. The last one is in memory.
constexpr std::array<std::string_view, 3> kPlaces{"/tmp", "/var/tmp", "/dev/shm"};

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

/// A file with these bytes that nobody else may read; nothing where there is no room for it.
std::optional<std::filesystem::path> temporary_copy(std::string_view place,
                                                    std::string_view bytes) {
  std::string name = std::string(place) + "/sfg-XXXXXX";
  const int number = mkostemp(name.data(), O_CLOEXEC);
  if (number < 0) return std::nullopt;
  const FileDescriptor file(number);
  if (write_all(file.number(), bytes)) return name;
  unlink(name.c_str());
  return std::nullopt;
}

}  // namespace

PathOfBytes::PathOfBytes(const InputBytes& input, const std::filesystem::path& path) : path_(path) {
  if (input.is_plain_file()) return;
  for (const std::string_view place : kPlaces) {
    if (auto copy = temporary_copy(place, input.bytes())) {
      path_ = *copy;
      is_temporary_ = true;
      return;
    }
  }
  throw Error(ErrorCode::cannot_read,
              fmt::format("{}: no room for a temporary copy in {}; unpack it or save it as a file "
                          "first",
                          input.name(), fmt::join(kPlaces, ", ")));
}

PathOfBytes::~PathOfBytes() {
  std::error_code ignored;
  if (is_temporary_) std::filesystem::remove(path_, ignored);
}

}  // namespace sfg::detail
