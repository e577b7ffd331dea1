#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sfg::detail {

/// FNV-1a, 64 bits: tells whether bytes are the same ones, not whether somebody tampered with them.
class Fingerprint {
 public:
  void add_bytes(const void* bytes, std::size_t n) noexcept {
    const auto* byte = static_cast<const unsigned char*>(bytes);
    for (std::size_t i = 0; i < n; ++i) hash_ = (hash_ ^ byte[i]) * kPrime;
  }
  /// The length counts as well, so that texts one after the other do not run into each other.
  void add(std::string_view text) noexcept {
    add_number(text.size());
    add_bytes(text.data(), text.size());
  }
  void add_number(std::uint64_t number) noexcept { add_bytes(&number, sizeof number); }
  template <typename Value>
  void add(std::span<const Value> values) noexcept {
    add_number(values.size());
    add_bytes(values.data(), values.size_bytes());
  }

  [[nodiscard]] std::uint64_t value() const noexcept { return hash_; }

 private:
  static constexpr std::uint64_t kStart = 0xcbf29ce484222325U;
  static constexpr std::uint64_t kPrime = 0x100000001b3U;
  std::uint64_t hash_ = kStart;
};

/// A step of a hash over words of 64 bits: faster than bytes, for large data.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t word) noexcept {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15U;
  hash = (hash ^ word) * kOdd;
  return hash ^ (hash >> 32U);
}

/// As journals and messages show it.
[[nodiscard]] inline std::string hexadecimal(std::uint64_t number) {
  return fmt::format("{:016x}", number);
}

}  // namespace sfg::detail
