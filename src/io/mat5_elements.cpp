#include "io/mat5_elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "core/unicode.hpp"

namespace sfg::detail {

namespace {

constexpr std::uint64_t kMat5Alignment = 8;
constexpr std::size_t kMostDimensions = 32;
/// MATLAB's names end at 63 characters, those of other programs a little later.
constexpr std::uint64_t kLongestName = 4096;
constexpr std::uint32_t kFlagComplex = 0x0800;
constexpr std::uint32_t kFlagLogical = 0x0200;

template <typename Item>
Item item_at(const char* bytes, bool swap) {
  std::array<char, sizeof(Item)> raw;
  std::memcpy(raw.data(), bytes, raw.size());
  if (swap) std::ranges::reverse(raw);
  return std::bit_cast<Item>(raw);
}

std::uint64_t product(const std::vector<std::size_t>& extents) {
  if (std::ranges::find(extents, 0U) != extents.end()) return 0;
  std::uint64_t count = 1;
  for (const std::size_t extent : extents) {
    if (__builtin_mul_overflow(count, std::uint64_t{extent}, &count)) {
      throw BrokenMat{"its dimensions promise more items than any file holds"};
    }
  }
  return count;
}

std::uint64_t checked_item_size(const Mat5Tag& tag) {
  const std::uint64_t size = mat5_item_size(tag.type);
  if (size == 0) {
    throw BrokenMat{
        fmt::format("numbers have the unknown type {}", static_cast<std::uint32_t>(tag.type))};
  }
  return size;
}

bool is_int32(Mat5Type type) {
  return type == Mat5Type::int32 || type == Mat5Type::uint32;
}

/// Bytes without a mark of their encoding: UTF-8 if that fits, else Latin-1, whose characters have
/// the numbers of Unicode.
std::u32string decode_bytes(const std::string& bytes) {
  constexpr char32_t kReplacement = 0xFFFD;
  std::u32string units = decode_utf8(bytes);
  if (units.find(kReplacement) == std::u32string::npos) return units;
  units.clear();
  for (const char c : bytes) units += static_cast<unsigned char>(c);
  return units;
}

}  // namespace

std::uint64_t mat5_item_size(Mat5Type type) {
  switch (type) {
    case Mat5Type::int8:
    case Mat5Type::uint8:
      return 1;
    case Mat5Type::int16:
    case Mat5Type::uint16:
      return 2;
    case Mat5Type::int32:
    case Mat5Type::uint32:
    case Mat5Type::float32:
      return 4;
    case Mat5Type::float64:
    case Mat5Type::int64:
    case Mat5Type::uint64:
      return 8;
    default:
      return 0;
  }
}

void Mat5Elements::use(std::uint64_t size) {
  if (size > left_) throw BrokenMat{"an array is longer than the element that holds it"};
  left_ -= size;
}

/// The last padding of a variable is left out by some programs.
std::uint64_t Mat5Elements::padding(std::uint64_t size) const {
  return std::min((kMat5Alignment - size % kMat5Alignment) % kMat5Alignment, left_);
}

std::uint32_t Mat5Elements::number(const char* bytes) const {
  return item_at<std::uint32_t>(bytes, swap_);
}

Mat5Tag Mat5Elements::tag() {
  use(kMat5TagSize);
  std::array<char, kMat5TagSize> bytes{};
  source_.read(bytes.data(), bytes.size());
  const std::uint32_t first = number(bytes.data());
  Mat5Tag result;
  result.is_small = (first >> 16) != 0;
  if (result.is_small) {
    result.type = static_cast<Mat5Type>(first & 0xFFFF);
    result.size = first >> 16;
    if (result.size > result.small_data.size()) throw BrokenMat{"a short element is too long"};
    std::copy(bytes.begin() + 4, bytes.end(), result.small_data.begin());
  } else {
    result.type = static_cast<Mat5Type>(first);
    result.size = number(bytes.data() + 4);
  }
  return result;
}

void Mat5Elements::skip(const Mat5Tag& tag) {
  if (tag.is_small) return;
  use(tag.size);
  const std::uint64_t gap = padding(tag.size);
  use(gap);
  source_.skip(tag.size + gap);
}

void Mat5Elements::skip_rest() {
  source_.skip(left_);
  left_ = 0;
}

/// Hands the first items of an element over, `most` at most, and skips the rest of it.
template <typename Item, typename Take>
void Mat5Elements::items(const Mat5Tag& tag, std::uint64_t most, Take take) {
  std::uint64_t count = std::min(tag.size / sizeof(Item), most);
  if (tag.is_small) {
    for (std::uint64_t i = 0; i < count; ++i) {
      take(item_at<Item>(tag.small_data.data() + i * sizeof(Item), swap_));
    }
    return;
  }
  use(tag.size);
  const std::uint64_t rest = tag.size - count * sizeof(Item);
  std::array<char, std::size_t{1} << 14> piece;
  while (count > 0) {
    const std::uint64_t n = std::min<std::uint64_t>(count, piece.size() / sizeof(Item));
    source_.read(piece.data(), n * sizeof(Item));
    for (std::uint64_t i = 0; i < n; ++i) {
      take(item_at<Item>(piece.data() + i * sizeof(Item), swap_));
    }
    count -= n;
  }
  const std::uint64_t gap = padding(tag.size);
  use(gap);
  source_.skip(rest + gap);
}

/// Flags and dimensions: a few 32-bit numbers. Dimensions are signed and flags are not, but some
/// programs mix the two up.
std::vector<std::uint32_t> Mat5Elements::small_array(std::size_t least, std::size_t most) {
  const Mat5Tag head = tag();
  const std::uint64_t count = head.size / sizeof(std::uint32_t);
  const bool fits = is_int32(head.type) && head.size % sizeof(std::uint32_t) == 0 &&
                    count >= least && count <= most;
  if (!fits || head.is_small) throw BrokenMat{"flags or dimensions of a variable are damaged"};
  std::vector<std::uint32_t> values(count);
  integers(head, values);
  return values;
}

std::string Mat5Elements::short_name() {
  const Mat5Tag head = tag();
  const bool is_name = head.type == Mat5Type::int8 || head.type == Mat5Type::utf8;
  if (!is_name) throw BrokenMat{"a variable's name is not where it should be"};
  if (head.size > kLongestName) {
    throw BrokenMat{fmt::format("a variable's name has {} bytes", head.size)};
  }
  std::string name;
  items<char>(head, head.size, [&](char c) { name += c; });
  return name.substr(0, name.find('\0'));
}

Mat5Head Mat5Elements::head() {
  const auto flags = small_array(2, 2);
  const std::uint32_t array_class = flags[0] & 0xFF;
  if (array_class == 0 || array_class > static_cast<std::uint32_t>(MatClass::opaque)) {
    throw BrokenMat{fmt::format("its class {} is unknown", array_class)};
  }
  Mat5Head result;
  result.kind = static_cast<MatClass>(array_class);
  result.is_complex = (flags[0] & kFlagComplex) != 0;
  result.is_logical = (flags[0] & kFlagLogical) != 0;
  if (result.kind != MatClass::opaque) {
    constexpr std::uint32_t kLargest = std::numeric_limits<std::int32_t>::max();
    for (const std::uint32_t extent : small_array(2, kMostDimensions)) {
      if (extent > kLargest) throw BrokenMat{"a dimension is negative"};
      result.extents.push_back(extent);
    }
    result.n_items = product(result.extents);
  }
  result.name = short_name();
  return result;
}

Mat5Tag Mat5Elements::numbers_tag(std::uint64_t n_items) {
  if (left_ == 0 && n_items == 0) return Mat5Tag{};
  const Mat5Tag data = tag();
  const std::uint64_t item_size = checked_item_size(data);
  const std::uint64_t found = data.size / item_size;
  if (found != n_items || data.size % item_size != 0) {
    throw BrokenMat{fmt::format("its dimensions promise {} numbers, it has {}", n_items, found)};
  }
  return data;
}

/// In any encoding a character takes a byte at least; blanks may be left out altogether.
Mat5Tag Mat5Elements::characters_tag(std::uint64_t n_items) {
  const Mat5Tag data = left_ > 0 ? tag() : Mat5Tag{};
  if (n_items > data.size && data.size > 0) {
    throw BrokenMat{
        fmt::format("its dimensions promise {} characters, it has {} bytes", n_items, data.size)};
  }
  return data;
}

Mat5Tag Mat5Elements::sparse_rows_tag() {
  const Mat5Tag rows = tag();
  if (!is_int32(rows.type) || rows.size % sizeof(std::int32_t) != 0) {
    throw BrokenMat{"sparse rows are not 32-bit numbers"};
  }
  return rows;
}

Mat5Tag Mat5Elements::sparse_starts_tag(std::size_t n_columns) {
  const Mat5Tag starts = tag();
  const std::uint64_t wanted = (std::uint64_t{n_columns} + 1) * sizeof(std::int32_t);
  if (!is_int32(starts.type) || starts.size != wanted) {
    throw BrokenMat{fmt::format("a sparse matrix of {} columns has {} bytes of column starts",
                                n_columns, starts.size)};
  }
  return starts;
}

/// A matrix without entries may be stored without values. MATLAB writes those of a logical one as
/// bytes and calls them doubles.
Mat5Tag Mat5Elements::sparse_values_tag(const Mat5Head& head) {
  if (left_ == 0) return Mat5Tag{};
  const Mat5Tag values = tag();
  if (head.is_logical) return values;
  if (values.size % checked_item_size(values) != 0) throw BrokenMat{"sparse values are cut short"};
  return values;
}

Mat5Tag Mat5Elements::item_tag() {
  const Mat5Tag item = tag();
  if (item.type != Mat5Type::matrix || item.is_small) {
    throw BrokenMat{"a cell or field is no array"};
  }
  return item;
}

std::uint64_t Mat5Elements::item_count(const Mat5Head& head) {
  // The name of its class.
  if (head.kind == MatClass::object) skip(tag());
  const std::uint64_t n_fields = head.kind == MatClass::cell ? 1 : field_count();
  if (n_fields == 0) return 0;
  if (head.n_items > left_ / kMat5TagSize / n_fields) {
    throw BrokenMat{"a cell or struct array lacks some of its items"};
  }
  return head.n_items * n_fields;
}

std::uint64_t Mat5Elements::field_count() {
  const Mat5Tag length = tag();
  const std::uint32_t name_length = number(length.small_data.data());
  if (!length.is_small || length.type != Mat5Type::int32 || name_length == 0) {
    throw BrokenMat{"the field names of a struct are damaged"};
  }
  const Mat5Tag names = tag();
  skip(names);
  return names.size / name_length;
}

void Mat5Elements::integers(const Mat5Tag& tag, std::span<std::uint32_t> out) {
  std::uint32_t* next = out.data();
  items<std::uint32_t>(tag, out.size(), [&](std::uint32_t value) { *next++ = value; });
}

void Mat5Elements::numbers(const Mat5Tag& tag, std::span<double> out) {
  double* next = out.data();
  const auto take = [&](auto value) { *next++ = static_cast<double>(value); };
  switch (tag.type) {
    case Mat5Type::int8:
      return items<std::int8_t>(tag, out.size(), take);
    case Mat5Type::uint8:
      return items<std::uint8_t>(tag, out.size(), take);
    case Mat5Type::int16:
      return items<std::int16_t>(tag, out.size(), take);
    case Mat5Type::uint16:
      return items<std::uint16_t>(tag, out.size(), take);
    case Mat5Type::int32:
      return items<std::int32_t>(tag, out.size(), take);
    case Mat5Type::uint32:
      return items<std::uint32_t>(tag, out.size(), take);
    case Mat5Type::float32:
      return items<float>(tag, out.size(), take);
    case Mat5Type::float64:
      return items<double>(tag, out.size(), take);
    case Mat5Type::int64:
      return items<std::int64_t>(tag, out.size(), take);
    case Mat5Type::uint64:
      return items<std::uint64_t>(tag, out.size(), take);
    default:
      skip(tag);
  }
}

MatCharacters Mat5Elements::characters(const Mat5Tag& tag, std::uint64_t most) {
  MatCharacters result;
  std::string bytes;
  const auto take = [&](auto value) { result.units += static_cast<char32_t>(value); };
  switch (tag.type) {
    case Mat5Type::int8:
    case Mat5Type::uint8:
    case Mat5Type::utf8:
      items<char>(tag, tag.size, [&](char c) { bytes += c; });
      result.units = tag.type == Mat5Type::utf8 ? decode_utf8(bytes) : decode_bytes(bytes);
      break;
    case Mat5Type::int16:
    case Mat5Type::uint16:
    case Mat5Type::utf16:
      items<char16_t>(tag, most, take);
      result.is_utf16 = true;
      break;
    case Mat5Type::int32:
    case Mat5Type::uint32:
    case Mat5Type::utf32:
      items<char32_t>(tag, most, take);
      break;
    default:
      skip(tag);
  }
  if (result.units.size() > most) result.units.resize(most);
  return result;
}

}  // namespace sfg::detail
