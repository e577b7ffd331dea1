#include "read/mat5_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "read/mat5_source.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

constexpr std::size_t kHeaderSize = 128;
constexpr std::size_t kByteOrderMark = 126;
constexpr std::uint64_t kTagSize = 8;
constexpr std::uint64_t kAlignment = 8;
/// Cells in cells: far more than any real file has, far less than the stack holds.
constexpr int kDeepestNesting = 40;
constexpr std::size_t kMostDimensions = 32;

// Types of elements.
constexpr std::uint32_t kInt8 = 1;
constexpr std::uint32_t kInt32 = 5;
constexpr std::uint32_t kUint32 = 6;
constexpr std::uint32_t kMatrix = 14;
constexpr std::uint32_t kCompressed = 15;
/// Bytes per item of the numeric types 1 to 13; 0 where there is no such type.
constexpr std::array<std::uint64_t, 14> kItemSizes{0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8};

// Classes of arrays.
constexpr std::uint32_t kClassCell = 1;
constexpr std::uint32_t kClassObject = 3;
constexpr std::uint32_t kClassChar = 4;
constexpr std::uint32_t kClassSparse = 5;
constexpr std::uint32_t kClassFirstNumeric = 6;
constexpr std::uint32_t kClassFunction = 16;
constexpr std::uint32_t kClassOpaque = 17;
constexpr std::uint32_t kFlagComplex = 0x0800;

struct Tag {
  std::uint32_t type = 0;
  std::uint64_t size = 0;
  /// Short data stand inside the tag.
  bool small = false;
  std::array<char, 4> small_data{};
};

class Walker {
 public:
  Walker(Mat5Source& source, bool swap) : source_(source), swap_(swap) {}

  /// A matrix element whose tag was read; `left` are the bytes of its contents.
  void matrix(std::uint64_t left, int depth) {
    if (left == 0) return;
    if (depth > kDeepestNesting) throw BrokenMat{"cells or structs are nested too deeply"};
    left_ = left;
    const auto flags = small_array(kUint32, 2, 2);
    const std::uint32_t array_class = flags[0] & 0xFF;
    // matio looks for dimensions in whatever it does not know, and takes the memory they ask for.
    if (array_class < kClassCell || array_class > kClassOpaque) {
      throw BrokenMat{fmt::format("its class {} is unknown", array_class)};
    }
    if (array_class == kClassOpaque) {
      // Opaque objects have a name and no dimensions; what follows is never read.
      skip_name();
      return skip_rest();
    }
    const auto dimensions = small_array(kInt32, 2, kMostDimensions);
    skip_name();
    const std::uint64_t n_items = item_count(dimensions);
    if (array_class == kClassFunction) {
      // matio takes memory for every item and reads them; we never do.
      if (n_items > left_ / kTagSize) throw BrokenMat{"a function lacks some of its items"};
      return skip_rest();
    }
    const int n_parts = (flags[0] & kFlagComplex) != 0 ? 2 : 1;
    if (array_class >= kClassFirstNumeric) {
      for (int part = 0; part < n_parts; ++part) numbers(n_items);
    } else if (array_class == kClassSparse) {
      sparse(dimensions, n_parts);
    } else if (array_class == kClassChar) {
      characters(n_items);
    } else {
      nested(array_class, n_items, depth);
    }
    skip_rest();
  }

  /// A tag that may take all of the element: the first one of a compressed element.
  Tag first_tag() {
    left_ = kTagSize;
    return tag();
  }

 private:
  void use(std::uint64_t size) {
    if (size > left_) throw BrokenMat{"an array is longer than the element that holds it"};
    left_ -= size;
  }

  std::uint32_t number(const char* bytes) const {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes, sizeof value);
    return swap_ ? __builtin_bswap32(value) : value;
  }

  Tag tag() {
    use(kTagSize);
    std::array<char, kTagSize> bytes{};
    source_.read(bytes.data(), bytes.size());
    const std::uint32_t first = number(bytes.data());
    Tag result;
    result.small = (first >> 16) != 0;
    if (result.small) {
      result.type = first & 0xFFFF;
      result.size = first >> 16;
      if (result.size > result.small_data.size()) throw BrokenMat{"a short element is too long"};
      std::copy(bytes.begin() + 4, bytes.end(), result.small_data.begin());
    } else {
      result.type = first;
      result.size = number(bytes.data() + 4);
    }
    return result;
  }

  /// The last padding of a variable is left out by some programs.
  [[nodiscard]] std::uint64_t padding(std::uint64_t size) const {
    return std::min((kAlignment - size % kAlignment) % kAlignment, left_);
  }

  void skip_data(const Tag& tag) {
    if (tag.small) return;
    use(tag.size);
    const std::uint64_t gap = padding(tag.size);
    use(gap);
    source_.skip(tag.size + gap);
  }

  void skip_name() {
    const Tag name = tag();
    if (name.type != kInt8) throw BrokenMat{"a variable's name is not where it should be"};
    skip_data(name);
  }

  /// Flags and dimensions: a few 32-bit numbers.
  std::vector<std::uint32_t> small_array(std::uint32_t type, std::size_t least, std::size_t most) {
    const Tag head = tag();
    const std::uint64_t count = head.size / sizeof(std::uint32_t);
    // Dimensions are signed and flags are not, but some programs mix the two up.
    const bool fits = (head.type == type || head.type == kInt32 || head.type == kUint32) &&
                      head.size % sizeof(std::uint32_t) == 0 && count >= least && count <= most;
    if (!fits || head.small) throw BrokenMat{"flags or dimensions of a variable are damaged"};
    use(head.size);
    std::vector<std::uint32_t> values(count);
    for (std::uint32_t& value : values) {
      std::array<char, sizeof value> bytes{};
      source_.read(bytes.data(), bytes.size());
      value = number(bytes.data());
    }
    const std::uint64_t gap = padding(head.size);
    use(gap);
    source_.skip(gap);
    return values;
  }

  static std::uint64_t item_count(const std::vector<std::uint32_t>& dimensions) {
    constexpr std::uint32_t kLargest = std::numeric_limits<std::int32_t>::max();
    if (std::ranges::any_of(dimensions, [](std::uint32_t extent) { return extent > kLargest; })) {
      throw BrokenMat{"a dimension is negative"};
    }
    if (std::ranges::find(dimensions, 0U) != dimensions.end()) return 0;
    std::uint64_t count = 1;
    for (const std::uint32_t extent : dimensions) {
      if (__builtin_mul_overflow(count, std::uint64_t{extent}, &count)) {
        throw BrokenMat{"its dimensions promise more items than any file holds"};
      }
    }
    return count;
  }

  static std::uint64_t item_size(const Tag& tag) {
    const std::uint64_t size = tag.type < kItemSizes.size() ? kItemSizes[tag.type] : 0;
    if (size == 0) throw BrokenMat{fmt::format("numbers have the unknown type {}", tag.type)};
    return size;
  }

  void numbers(std::uint64_t n_items) {
    if (left_ == 0 && n_items == 0) return;
    const Tag data = tag();
    const std::uint64_t found = data.size / item_size(data);
    if (found != n_items || data.size % item_size(data) != 0) {
      throw BrokenMat{fmt::format("its dimensions promise {} numbers, it has {}", n_items, found)};
    }
    skip_data(data);
  }

  /// In any encoding a character takes a byte at least.
  void characters(std::uint64_t n_items) {
    const Tag data = left_ > 0 ? tag() : Tag{};
    if (n_items > data.size) {
      throw BrokenMat{
          fmt::format("its dimensions promise {} characters, it has {} bytes", n_items, data.size)};
    }
    skip_data(data);
  }

  void sparse(const std::vector<std::uint32_t>& dimensions, int n_parts) {
    if (dimensions.size() != 2) throw BrokenMat{"a sparse matrix does not have 2 dimensions"};
    const Tag rows = tag();
    const bool whole = item_size(rows) == sizeof(std::int32_t) && rows.size % item_size(rows) == 0;
    if (!whole) throw BrokenMat{"sparse rows are not 32-bit numbers"};
    skip_data(rows);
    const Tag starts = tag();
    const std::uint64_t wanted = (std::uint64_t{dimensions[1]} + 1) * sizeof(std::int32_t);
    if (item_size(starts) != sizeof(std::int32_t) || starts.size != wanted) {
      throw BrokenMat{fmt::format("a sparse matrix of {} columns has {} bytes of column starts",
                                  dimensions[1], starts.size)};
    }
    skip_data(starts);
    for (int part = 0; part < n_parts && left_ > 0; ++part) {
      const Tag values = tag();
      if (values.size % item_size(values) != 0) throw BrokenMat{"sparse values are cut short"};
      skip_data(values);
    }
  }

  void nested(std::uint32_t array_class, std::uint64_t n_items, int depth) {
    if (array_class == kClassObject) skip_data(tag());
    const std::uint64_t n_fields = array_class == kClassCell ? 1 : field_count();
    if (n_fields > 0 && n_items > left_ / kTagSize / n_fields) {
      throw BrokenMat{"a cell or struct array lacks some of its items"};
    }
    const std::uint64_t count = n_fields == 0 ? 0 : n_items * n_fields;
    for (std::uint64_t i = 0; i < count; ++i) {
      const Tag item = tag();
      if (item.type != kMatrix || item.small) throw BrokenMat{"a cell or field is no array"};
      use(item.size);
      const std::uint64_t after = left_;
      matrix(item.size, depth + 1);
      left_ = after;
    }
  }

  std::uint64_t field_count() {
    const Tag length = tag();
    const std::uint32_t name_length = number(length.small_data.data());
    if (!length.small || length.type != kInt32 || name_length == 0) {
      throw BrokenMat{"the field names of a struct are damaged"};
    }
    const Tag names = tag();
    const std::uint64_t count = names.size / name_length;
    skip_data(names);
    return count;
  }

  void skip_rest() {
    source_.skip(left_);
    left_ = 0;
  }

  Mat5Source& source_;
  bool swap_;
  std::uint64_t left_ = 0;
};

std::uint64_t check_element(std::string_view bytes, std::uint32_t type, bool swap) {
  Mat5Source source(bytes, type == kCompressed ? Packing::compressed : Packing::plain);
  Walker walker(source, swap);
  std::uint64_t size = bytes.size();
  if (type == kCompressed) {
    const Tag inner = walker.first_tag();
    if (inner.type != kMatrix || inner.small)
      throw BrokenMat{"its compressed data hold no variable"};
    size = inner.size;
  } else if (type != kMatrix) {
    throw BrokenMat{fmt::format("it has the unknown type {}", type)};
  }
  walker.matrix(size, 0);
  source.expect_end();
  return size;
}

}  // namespace

std::vector<std::uint64_t> check_mat5(const std::string& name, std::string_view bytes) {
  std::size_t place = kHeaderSize;
  const auto fail = [&](std::size_t number, const std::string& reason) {
    throw Error(
        ErrorCode::malformed_input,
        fmt::format("{}: broken MAT file: variable {} at byte {}: {}: copy or save the file "
                    "again",
                    name, number, place + 1, reason));
  };
  if (bytes.size() < kHeaderSize) fail(1, "the file ends within its header");
  const bool big_endian = bytes.substr(kByteOrderMark, 2) == "MI";
  const bool swap = big_endian != (std::endian::native == std::endian::big);
  const auto number_at = [&](std::size_t offset) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return swap ? __builtin_bswap32(value) : value;
  };

  std::vector<std::uint64_t> sizes;
  while (place < bytes.size()) {
    const std::size_t number = sizes.size() + 1;
    if (bytes.size() - place < kTagSize) fail(number, "the file ends within its first bytes");
    const std::uint32_t type = number_at(place);
    const std::uint64_t size = number_at(place + 4);
    const std::uint64_t found = bytes.size() - place - kTagSize;
    if (size > found) fail(number, fmt::format("expected {} bytes, found {}", size, found));
    try {
      sizes.push_back(check_element(bytes.substr(place + kTagSize, size), type, swap));
    } catch (const BrokenMat& broken) {
      fail(number, broken.reason);
    }
    place += kTagSize + size;
  }
  return sizes;
}

}  // namespace sfg::detail
