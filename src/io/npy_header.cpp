#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "core/text.hpp"
#include "io/npy.hpp"
#include "sfg/error.hpp"

// The header of an npy file is the text of a Python dictionary with exactly three keys. This reads
// that and nothing more of Python.
namespace sfg::detail {

namespace {

constexpr std::string_view kMagic{"\x93NUMPY", 6};
constexpr std::size_t kVersionEnd = 8;
constexpr std::int64_t kBytesPerCharacter = 4;

std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = (value << 8) | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

class HeaderParser {
 public:
  HeaderParser(const std::string& name, std::string_view text, std::size_t text_start)
      : name_(name), text_(text), text_start_(text_start) {}

  void parse(NpyHeader& header) {
    expect('{');
    bool descr_seen = false;
    bool order_seen = false;
    bool shape_seen = false;
    while (peek() != '}') {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr" && !descr_seen) {
        descr_seen = true;
        parse_type(header);
      } else if (key == "fortran_order" && !order_seen) {
        order_seen = true;
        header.fortran_order = boolean();
      } else if (key == "shape" && !shape_seen) {
        shape_seen = true;
        parse_shape(header);
      } else {
        fail(fmt::format("unknown or repeated key '{}'", escaped(key)));
      }
      if (peek() != '}') expect(',');
    }
    expect('}');
    if (!descr_seen || !order_seen || !shape_seen) {
      fail("one of the keys 'descr', 'fortran_order', 'shape' is missing");
    }
    skip_blanks();
    if (place_ != text_.size()) fail("text after the dictionary");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::malformed_input,
                fmt::format("{}: broken npy header at byte {}: {}: save the array again", name_,
                            text_start_ + place_ + 1, what));
  }

  [[noreturn]] void refuse_type(std::string_view type) const {
    throw Error(ErrorCode::malformed_input,
                fmt::format("{}: arrays of type '{}' are not read: save it as float64", name_,
                            escaped(type)));
  }

  void skip_blanks() {
    constexpr std::string_view kBlanks = " \t\r\n";
    while (place_ < text_.size() && kBlanks.find(text_[place_]) != std::string_view::npos) {
      ++place_;
    }
  }

  char peek() {
    skip_blanks();
    if (place_ == text_.size()) fail("the header ends too early");
    return text_[place_];
  }

  void expect(char wanted) {
    if (peek() != wanted) fail(fmt::format("expected '{}'", wanted));
    ++place_;
  }

  std::string_view quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("expected a quoted text");
    const std::size_t start = place_ + 1;
    const std::size_t end = text_.find(quote, start);
    if (end == std::string_view::npos) fail("a quote is not closed");
    const std::string_view content = text_.substr(start, end - start);
    if (content.find('\\') != std::string_view::npos) fail("a quoted text has a backslash");
    place_ = end + 1;
    return content;
  }

  bool boolean() {
    skip_blanks();
    for (const std::string_view word : {"True", "False"}) {
      if (text_.substr(place_).starts_with(word)) {
        place_ += word.size();
        return word == "True";
      }
    }
    fail("expected True or False");
  }

  void parse_type(NpyHeader& header) {
    if (peek() == '[') refuse_type("structured");
    const std::string_view type = quoted();
    std::string_view rest = type;
    constexpr std::string_view kByteOrders = "<>|=";
    if (!rest.empty() && kByteOrders.find(rest.front()) != std::string_view::npos) {
      header.big_endian = rest.front() == '>';
      rest.remove_prefix(1);
    }
    if (rest == "?") rest = "b1";
    if (rest.size() < 2) refuse_type(type);
    header.kind = rest.front();
    const char* end = rest.data() + rest.size();
    const auto [stop, error] = std::from_chars(rest.data() + 1, end, header.item_size);
    if (error != std::errc{} || stop != end || !is_supported(header)) refuse_type(type);
    if (header.kind == 'U') header.item_size *= kBytesPerCharacter;
  }

  static bool is_supported(const NpyHeader& header) {
    const std::int64_t size = header.item_size;
    switch (header.kind) {
      case 'f':
        return size == 2 || size == 4 || size == 8;
      case 'i':
      case 'u':
        return size == 1 || size == 2 || size == 4 || size == 8;
      case 'b':
        return size == 1;
      case 'S':
      case 'U':
        return size >= 0 && size <= std::numeric_limits<std::int32_t>::max();
      default:
        return false;
    }
  }

  void parse_shape(NpyHeader& header) {
    expect('(');
    while (peek() != ')') {
      header.shape.push_back(extent());
      if (peek() == ')') {
        // (3) is a number in brackets, not a tuple.
        if (header.shape.size() == 1) fail("expected ',' after the only length of the shape");
        break;
      }
      expect(',');
    }
    expect(')');
  }

  std::int64_t extent() {
    const char* begin = text_.data() + place_;
    const char* end = text_.data() + text_.size();
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error != std::errc{} || value < 0) fail("a length in the shape is not a whole number >= 0");
    place_ += static_cast<std::size_t>(stop - begin);
    // Python 2 wrote long integers as 10L.
    if (place_ < text_.size() && text_[place_] == 'L') ++place_;
    return value;
  }

  const std::string& name_;
  std::string_view text_;
  std::size_t text_start_;
  std::size_t place_ = 0;
};

void check_length(const std::string& name, const NpyHeader& header, std::size_t file_size) {
  const std::size_t found = file_size - header.data_start;
  std::int64_t expected = 0;
  const bool overflow = npy_size(header) == std::numeric_limits<std::int64_t>::max() ||
                        __builtin_mul_overflow(npy_size(header), header.item_size, &expected);
  if (!overflow && static_cast<std::size_t>(expected) == found) return;
  const std::string wanted = overflow ? "more than 2^63" : fmt::format("{}", expected);
  throw Error(ErrorCode::malformed_input,
              fmt::format("{}: the npy header promises {} bytes of data (shape {}, {} bytes per "
                          "item), the file has {}: it is damaged, copy or save it again",
                          name, wanted, fmt::join(header.shape, " x "), header.item_size, found));
}

}  // namespace

NpyHeader parse_npy_header(const std::string& name, std::string_view bytes) {
  const auto require = [&](std::size_t size) {
    if (bytes.size() >= size) return;
    throw Error(ErrorCode::malformed_input,
                fmt::format("{}: the npy header ends too early: expected {} bytes, found {}: it is "
                            "damaged, copy or save it again",
                            name, size, bytes.size()));
  };
  if (!bytes.starts_with(kMagic.substr(0, std::min(bytes.size(), kMagic.size()))) ||
      bytes.empty()) {
    throw Error(ErrorCode::malformed_input,
                fmt::format("{}: not an npy file: it does not start with \\x93NUMPY", name));
  }
  require(kVersionEnd);
  const int major = static_cast<unsigned char>(bytes[kMagic.size()]);
  const int minor = static_cast<unsigned char>(bytes[kMagic.size() + 1]);
  if (major < 1 || major > 3 || minor != 0) {
    throw Error(
        ErrorCode::malformed_input,
        fmt::format("{}: npy version {}.{} is not read, only 1.0, 2.0 and 3.0: save it with "
                    "numpy.save",
                    name, major, minor));
  }
  const std::size_t length_size = major == 1 ? 2 : 4;
  const std::size_t text_start = kVersionEnd + length_size;
  require(text_start);
  const std::size_t text_size = little_endian(bytes.substr(kVersionEnd, length_size));
  require(text_start + text_size);

  NpyHeader header;
  header.data_start = text_start + text_size;
  HeaderParser(name, bytes.substr(text_start, text_size), text_start).parse(header);
  check_length(name, header, bytes.size());
  return header;
}

}  // namespace sfg::detail
