#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/mat5_source.hpp"

// A variable of a MAT file of version 5 is a tree of elements. Each starts with a tag of 8 bytes,
// its type and its size, and is padded to a multiple of 8; data of up to 4 bytes stand inside the
// tag. An array is the elements flags, dimensions, name, and then its data.
namespace sfg::detail {

enum class ByteOrder { native, swapped };

/// Bytes of a tag.
inline constexpr std::size_t kMat5TagSize = 8;

/// Types of elements by their numbers in the file. Others may occur there.
enum class Mat5Type : std::uint32_t {
  int8 = 1,
  uint8 = 2,
  int16 = 3,
  uint16 = 4,
  int32 = 5,
  uint32 = 6,
  float32 = 7,
  float64 = 9,
  int64 = 12,
  uint64 = 13,
  matrix = 14,
  compressed = 15,
  utf8 = 16,
  utf16 = 17,
  utf32 = 18,
};

/// Classes of arrays by their numbers in the file, which matio uses too.
enum class MatClass : std::uint8_t {
  empty,
  cell,
  structure,
  object,
  character,
  sparse,
  float64,
  float32,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  function,
  opaque,
};

struct Mat5Tag {
  Mat5Type type{};
  std::uint64_t size = 0;
  bool is_small = false;
  std::array<char, 4> small_data{};
};

/// What an array says of itself before its data.
struct Mat5Head {
  MatClass kind = MatClass::empty;
  bool is_complex = false;
  bool is_logical = false;
  std::string name;                  ///< empty inside cells and structs
  std::vector<std::size_t> extents;  ///< none for opaque objects
  std::uint64_t n_items = 0;         ///< product of the extents
};

/// Characters of an array, down its columns. UTF-16 units stay single units: an array may cut them
/// apart.
struct MatCharacters {
  std::u32string units;
  bool is_utf16 = false;
};

/// Goes through the elements of one array, front to back. Sizes are checked before anything is
/// taken on trust: what an element claims is within the element that holds it, and data have as
/// many items as the dimensions say. Throws BrokenMat.
class Mat5Elements {
 public:
  /// `size`: bytes of the array's contents.
  Mat5Elements(Mat5Source& source, ByteOrder order, std::uint64_t size)
      : source_(source), swap_(order == ByteOrder::swapped), left_(size) {}

  [[nodiscard]] std::uint64_t left() const noexcept { return left_; }

  /// Flags, dimensions and name.
  [[nodiscard]] Mat5Head head();

  // Tags of data, checked; read or skip what they announce before the next one.
  [[nodiscard]] Mat5Tag tag();
  [[nodiscard]] Mat5Tag numbers_tag(std::uint64_t n_items);
  [[nodiscard]] Mat5Tag characters_tag(std::uint64_t n_items);
  [[nodiscard]] Mat5Tag sparse_rows_tag();
  [[nodiscard]] Mat5Tag sparse_starts_tag(std::size_t n_columns);
  [[nodiscard]] Mat5Tag sparse_values_tag(const Mat5Head& head);
  /// Of an item of a cell or struct array: an array of its own.
  [[nodiscard]] Mat5Tag item_tag();
  /// How many arrays follow in a cell, struct or object array.
  [[nodiscard]] std::uint64_t item_count(const Mat5Head& head);

  // Each reads the first items of an element, as many as there is room for, and skips the rest.
  void numbers(const Mat5Tag& tag, std::span<double> out);
  void integers(const Mat5Tag& tag, std::span<std::uint32_t> out);
  /// At most `most` of them; nothing where the type is none of characters.
  [[nodiscard]] MatCharacters characters(const Mat5Tag& tag, std::uint64_t most);

  void skip(const Mat5Tag& tag);
  void skip_rest();

  /// Calls `body` with this object inside the array of an item_tag().
  template <typename Body>
  void inside(const Mat5Tag& tag, const Body& body) {
    use(tag.size);
    const std::uint64_t after = left_;
    left_ = tag.size;
    body();
    skip_rest();
    left_ = after;
  }

 private:
  void use(std::uint64_t size);
  [[nodiscard]] std::uint64_t padding(std::uint64_t size) const;
  [[nodiscard]] std::uint32_t number(const char* bytes) const;
  [[nodiscard]] std::vector<std::uint32_t> small_array(std::size_t least, std::size_t most);
  [[nodiscard]] std::string short_name();
  [[nodiscard]] std::uint64_t field_count();
  template <typename Item, typename Take>
  void items(const Mat5Tag& tag, std::uint64_t most, Take take);

  Mat5Source& source_;
  bool swap_;
  std::uint64_t left_;  ///< bytes of the current array that were not used yet
};

/// Bytes of a number; 0 for types that are none.
[[nodiscard]] std::uint64_t mat5_item_size(Mat5Type type);

}  // namespace sfg::detail
