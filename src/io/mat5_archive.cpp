#include "io/mat5_archive.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <utility>

#include "sfg/error.hpp"

namespace sfg::detail {

namespace {

constexpr std::size_t kHeaderSize = 128;
constexpr std::size_t kByteOrderPlace = 126;
/// Cells in cells: far more than any real file has, far less than the stack holds.
constexpr int kDeepestNesting = 40;

/// Goes through the data of an array whose head was read.
void walk(Mat5Elements& elements, const Mat5Head& head, int depth);

void walk_items(Mat5Elements& elements, const Mat5Head& head, int depth) {
  if (depth == kDeepestNesting) throw BrokenMat{"cells or structs are nested too deeply"};
  const std::uint64_t count = elements.item_count(head);
  for (std::uint64_t i = 0; i < count; ++i) {
    elements.inside(elements.item_tag(), [&] {
      if (elements.left() > 0) walk(elements, elements.head(), depth + 1);
    });
  }
}

void walk_sparse(Mat5Elements& elements, const Mat5Head& head) {
  if (head.extents.size() != 2) throw BrokenMat{"a sparse matrix does not have 2 dimensions"};
  elements.skip(elements.sparse_rows_tag());
  elements.skip(elements.sparse_starts_tag(head.extents[1]));
  elements.skip(elements.sparse_values_tag(head));
  if (head.is_complex) elements.skip(elements.sparse_values_tag(head));
}

void walk(Mat5Elements& elements, const Mat5Head& head, int depth) {
  switch (head.kind) {
    case MatClass::cell:
    case MatClass::structure:
    case MatClass::object:
      walk_items(elements, head, depth);
      break;
    case MatClass::character:
      elements.skip(elements.characters_tag(head.n_items));
      break;
    case MatClass::sparse:
      walk_sparse(elements, head);
      break;
    case MatClass::function:
      if (head.n_items > elements.left() / kMat5TagSize) {
        throw BrokenMat{"a function lacks some of its items"};
      }
      break;
    case MatClass::empty:
    case MatClass::opaque:
      break;
    default:
      elements.skip(elements.numbers_tag(head.n_items));
      if (head.is_complex) elements.skip(elements.numbers_tag(head.n_items));
  }
  elements.skip_rest();
}

/// The bytes of a variable's contents. Those of a compressed one are told by the tag that it
/// unpacks to.
std::uint64_t content_size(Mat5Source& source, ByteOrder order,
                           const Mat5Archive::Variable& variable) {
  if (variable.packing == Packing::plain) return variable.element.size();
  const Mat5Tag inner = Mat5Elements(source, order, kMat5TagSize).tag();
  if (inner.type != Mat5Type::matrix || inner.is_small) {
    throw BrokenMat{"its compressed data hold no variable"};
  }
  return inner.size;
}

bool is_same(const Mat5Head& one, const Mat5Head& other) {
  return one.kind == other.kind && one.is_complex == other.is_complex &&
         one.extents == other.extents;
}

}  // namespace

Mat5Archive::Mat5Archive(std::string name, std::string_view bytes)
    : name_(std::move(name)), bytes_(bytes) {
  if (bytes.size() < kHeaderSize) fail(0, kHeaderSize, "the file ends within its header");
  const bool is_big = bytes.substr(kByteOrderPlace, 2) == "MI";
  const bool is_native = is_big == (std::endian::native == std::endian::big);
  order_ = is_native ? ByteOrder::native : ByteOrder::swapped;
  for (std::size_t place = kHeaderSize; place < bytes.size();) {
    Variable variable = locate(place);
    try {
      Mat5Source source(variable.element, variable.packing);
      variable.unpacked_bytes = content_size(source, order_, variable);
      Mat5Elements elements(source, order_, variable.unpacked_bytes);
      if (elements.left() > 0) {
        variable.head = elements.head();
        walk(elements, variable.head, 0);
      }
      source.expect_end();
    } catch (const BrokenMat& broken) {
      fail(variables_.size(), place, broken.reason);
    }
    place += kMat5TagSize + variable.element.size();
    variables_.push_back(std::move(variable));
  }
}

std::uint32_t Mat5Archive::number_at(std::size_t place) const {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes_.data() + place, sizeof value);
  return order_ == ByteOrder::swapped ? __builtin_bswap32(value) : value;
}

Mat5Archive::Variable Mat5Archive::locate(std::size_t place) const {
  const std::size_t number = variables_.size();
  if (bytes_.size() - place < kMat5TagSize)
    fail(number, place, "the file ends within its first bytes");
  const auto type = static_cast<Mat5Type>(number_at(place));
  const std::size_t size = number_at(place + 4);
  const std::size_t found = bytes_.size() - place - kMat5TagSize;
  if (size > found) fail(number, place, fmt::format("expected {} bytes, found {}", size, found));
  if (type != Mat5Type::matrix && type != Mat5Type::compressed) {
    fail(number, place,
         fmt::format("it has the unknown type {}", static_cast<std::uint32_t>(type)));
  }
  Variable variable;
  variable.place = place;
  variable.element = bytes_.substr(place + kMat5TagSize, size);
  variable.packing = type == Mat5Type::compressed ? Packing::compressed : Packing::plain;
  return variable;
}

void Mat5Archive::open(std::size_t number, const Use& use) const {
  const Variable& variable = variables_.at(number);
  try {
    Mat5Source source(variable.element, variable.packing);
    Mat5Elements elements(source, order_, content_size(source, order_, variable));
    // The bytes may have changed since: nothing that was seen in them before still holds.
    if (!is_same(elements.head(), variable.head)) throw BrokenMat{"it changed while it was read"};
    use(elements);
    elements.skip_rest();
    source.expect_end();
  } catch (const BrokenMat& broken) {
    fail(number, variable.place, broken.reason);
  }
}

void Mat5Archive::fail(std::size_t number, std::size_t place, const std::string& reason) const {
  throw Error(
      ErrorCode::malformed_input,
      fmt::format("broken MAT file: variable {} at byte {}: {}; copy or save the file again",
                  number + 1, place + 1, reason),
      name_);
}

}  // namespace sfg::detail
