#include "io/hdf5_heap.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

constexpr std::string_view kFileSignature{"\x89HDF\r\n\x1a\n", 8};
/// Start of a heap: its signature, version 1 and three zeros.
constexpr std::string_view kHeapSignature{"GCOL\x01\0\0\0", 8};
constexpr std::size_t kHeapHeader = 16;
constexpr std::size_t kItemHeader = 16;
constexpr std::uint64_t kAlignment = 8;
constexpr std::size_t kFirstUserBlock = 512;

std::uint64_t number(std::string_view bytes, std::size_t place, int size) {
  std::uint64_t value = 0;
  for (int i = size; i-- > 0;) {
    value = (value << 8) | static_cast<unsigned char>(bytes[place + static_cast<unsigned>(i)]);
  }
  return value;
}

/// Whether lengths have 8 bytes, as in every file that was not made otherwise on purpose.
bool has_usual_lengths(std::string_view bytes) {
  constexpr std::size_t kLengthSizeOld = 14;
  constexpr std::size_t kLengthSizeNew = 10;
  constexpr int kFirstNewVersion = 2;
  // The file may start with a block of another format, of 512 bytes or twice, four times ... that.
  for (std::size_t start = 0; start + kHeapHeader <= bytes.size();
       start = start == 0 ? kFirstUserBlock : 2 * start) {
    if (!bytes.substr(start).starts_with(kFileSignature)) continue;
    const int version = static_cast<unsigned char>(bytes[start + kFileSignature.size()]);
    return bytes[start + (version < kFirstNewVersion ? kLengthSizeOld : kLengthSizeNew)] == 8;
  }
  return false;
}

bool is_sound_heap(std::string_view rest) {
  if (rest.size() < kHeapHeader) return false;
  const std::uint64_t size = number(rest, 8, 8);
  if (size < kHeapHeader || size > rest.size()) return false;
  std::uint64_t place = kHeapHeader;
  while (size - place >= kItemHeader) {
    const std::uint64_t index = number(rest, place, 2);
    const std::uint64_t item_size = number(rest, place + 8, 8);
    const std::uint64_t room = size - place;
    if (item_size > room) return false;
    // Item 0 is the free space, whose size includes its header.
    const std::uint64_t padded = (item_size + kAlignment - 1) / kAlignment * kAlignment;
    const std::uint64_t needed = index == 0 ? item_size : kItemHeader + padded;
    if (needed < kItemHeader || needed > room) return false;
    place += needed;
  }
  return true;
}

}  // namespace

void check_hdf5_heaps(const std::string& name, std::string_view bytes) {
  if (!has_usual_lengths(bytes)) return;
  for (std::size_t place = bytes.find(kHeapSignature); place != std::string_view::npos;
       place = bytes.find(kHeapSignature, place + kHeapSignature.size())) {
    if (is_sound_heap(bytes.substr(place))) continue;
    throw Error(ErrorCode::malformed_input,
                fmt::format("{}: the heap of texts at byte {} is damaged: copy or save the file "
                            "again",
                            name, place + 1));
  }
}

}  // namespace sfg::detail
