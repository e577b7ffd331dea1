#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
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

}  // namespace sfg::detail
