#include "io/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/unicode.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

static_assert(std::endian::native == std::endian::little,
              "items are written and read in the byte order of the machine");

namespace {

template <typename Unsigned>
Unsigned swapped_bytes(Unsigned value) {
  if constexpr (sizeof(Unsigned) == 1) return value;
  if constexpr (sizeof(Unsigned) == 2) return __builtin_bswap16(value);
  if constexpr (sizeof(Unsigned) == 4) return __builtin_bswap32(value);
  if constexpr (sizeof(Unsigned) == 8) return __builtin_bswap64(value);
}

double half_to_double(std::uint16_t bits) {
  constexpr int kMantissaBits = 10;
  constexpr int kBias = 15;
  constexpr int kLargestExponent = 31;
  const int exponent = (bits >> kMantissaBits) & kLargestExponent;
  const double mantissa = bits & ((1 << kMantissaBits) - 1);
  double magnitude = 0;
  if (exponent == kLargestExponent) {
    magnitude = mantissa == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(mantissa, 1 - kBias - kMantissaBits);
  } else {
    magnitude = std::ldexp(mantissa + (1 << kMantissaBits), exponent - kBias - kMantissaBits);
  }
  return std::signbit(static_cast<std::int16_t>(bits)) ? -magnitude : magnitude;
}

/// Reads items stored as Unsigned bit patterns; `to_double` gives them their meaning.
template <typename Unsigned, typename ToDouble>
void decode_items(const NpyHeader& header, const char* source, std::span<double> out,
                  ToDouble to_double) {
  for (double& value : out) {
    Unsigned bits;
    std::memcpy(&bits, source, sizeof bits);
    value = to_double(header.big_endian ? swapped_bytes(bits) : bits);
    source += sizeof bits;
  }
}

template <typename Unsigned>
void decode_integers(const NpyHeader& header, const char* source, std::span<double> out) {
  if (header.kind == 'i') {
    using Signed = std::make_signed_t<Unsigned>;
    decode_items<Unsigned>(header, source, out, [](Unsigned bits) {
      return static_cast<double>(static_cast<Signed>(bits));
    });
  } else {
    decode_items<Unsigned>(header, source, out,
                           [](Unsigned bits) { return static_cast<double>(bits); });
  }
}

void decode_floats(const NpyHeader& header, const char* source, std::span<double> out) {
  if (header.item_size == 2) {
    decode_items<std::uint16_t>(header, source, out, half_to_double);
  } else if (header.item_size == 4) {
    decode_items<std::uint32_t>(header, source, out, [](std::uint32_t bits) {
      return static_cast<double>(std::bit_cast<float>(bits));
    });
  } else {
    decode_items<std::uint64_t>(header, source, out,
                                [](std::uint64_t bits) { return std::bit_cast<double>(bits); });
  }
}

template <typename Value>
std::string npy_vector_of(std::string_view type, std::span<const Value> values) {
  const std::int64_t shape[] = {static_cast<std::int64_t>(values.size())};
  std::string file = npy_header(type, shape, false);
  const std::size_t data_start = file.size();
  file.resize(data_start + values.size_bytes());
  if (!values.empty()) std::memcpy(file.data() + data_start, values.data(), values.size_bytes());
  return file;
}

}  // namespace

std::int64_t npy_size(const NpyHeader& header) {
  if (std::ranges::find(header.shape, 0) != header.shape.end()) return 0;
  std::int64_t size = 1;
  for (const std::int64_t extent : header.shape) {
    if (__builtin_mul_overflow(size, extent, &size)) {
      return std::numeric_limits<std::int64_t>::max();
    }
  }
  return size;
}

void check_npy_numeric(const std::string& name, const NpyHeader& header) {
  constexpr std::string_view kNumericKinds = "fiub";
  if (kNumericKinds.find(header.kind) != std::string_view::npos) return;
  throw Error(ErrorCode::malformed_input,
              fmt::format("{}: the array holds text, not numbers: save it as float64", name));
}

void npy_decode(const NpyHeader& header, std::string_view bytes, std::int64_t first,
                std::span<double> out) {
  const char* source =
      bytes.data() + header.data_start + static_cast<std::size_t>(first * header.item_size);
  if (header.kind == 'f') return decode_floats(header, source, out);
  if (header.kind == 'b') {
    return decode_items<std::uint8_t>(header, source, out,
                                      [](std::uint8_t bits) { return bits != 0 ? 1.0 : 0.0; });
  }
  switch (header.item_size) {
    case 1:
      return decode_integers<std::uint8_t>(header, source, out);
    case 2:
      return decode_integers<std::uint16_t>(header, source, out);
    case 4:
      return decode_integers<std::uint32_t>(header, source, out);
    default:
      return decode_integers<std::uint64_t>(header, source, out);
  }
}

std::vector<double> npy_numbers(const std::string& name, const NpyHeader& header,
                                std::string_view bytes) {
  check_npy_numeric(name, header);
  std::vector<double> values(static_cast<std::size_t>(npy_size(header)));
  npy_decode(header, bytes, 0, values);
  return values;
}

std::string npy_header(std::string_view type, std::span<const std::int64_t> shape,
                       bool fortran_order) {
  constexpr std::size_t kAlignment = 64;
  constexpr std::string_view kMagic{"\x93NUMPY\x01\x00", 8};
  constexpr std::size_t kPreamble = kMagic.size() + 2;

  std::string extents = fmt::format("{}", fmt::join(shape, ", "));
  if (shape.size() == 1) extents += ',';
  std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}), }}",
                                       type, fortran_order ? "True" : "False", extents);
  const std::size_t unpadded = kPreamble + dictionary.size() + 1;
  dictionary.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  dictionary += '\n';
  if (dictionary.size() > std::numeric_limits<std::uint16_t>::max()) {
    throw Error(ErrorCode::internal, "npy header: more dimensions than version 1.0 can hold");
  }

  std::string header(kMagic);
  header += static_cast<char>(dictionary.size() & 0xFF);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

std::string npy_vector(std::span<const double> values) {
  return npy_vector_of("<f8", values);
}

std::string npy_vector(std::span<const std::int64_t> values) {
  return npy_vector_of("<i8", values);
}

std::string npy_vector(std::span<const std::int32_t> values) {
  return npy_vector_of("<i4", values);
}

std::string npy_texts(std::span<const std::string> texts) {
  // numpy has no texts of no characters at all: "<U1" is its smallest type.
  std::size_t longest = 1;
  for (const std::string& text : texts) longest = std::max(longest, decode_utf8(text).size());

  const std::int64_t shape[] = {static_cast<std::int64_t>(texts.size())};
  std::string file = npy_header(fmt::format("<U{}", longest), shape, false);
  file.reserve(file.size() + texts.size() * longest * sizeof(char32_t));
  for (const std::string& text : texts) {
    std::u32string points = decode_utf8(text);
    points.resize(longest, U'\0');
    file.append(reinterpret_cast<const char*>(points.data()), points.size() * sizeof(char32_t));
  }
  return file;
}

}  // namespace sfg::detail
