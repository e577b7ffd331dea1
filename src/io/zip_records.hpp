#pragma once

#include <cstddef>
#include <cstdint>

// Numbers of the zip format that reader and writer share (APPNOTE.TXT names them the same way).
namespace sfg::detail {

constexpr std::uint32_t kLocalSignature = 0x04034b50;
constexpr std::uint32_t kCentralSignature = 0x02014b50;
constexpr std::uint32_t kEndSignature = 0x06054b50;
constexpr std::uint32_t kZip64EndSignature = 0x06064b50;
constexpr std::uint32_t kZip64LocatorSignature = 0x07064b50;

/// Sizes of the records without their variable parts.
constexpr std::size_t kLocalSize = 30;
constexpr std::size_t kCentralSize = 46;
constexpr std::size_t kEndSize = 22;
constexpr std::size_t kZip64EndSize = 56;
constexpr std::size_t kZip64LocatorSize = 20;

/// A 32-bit (16-bit) field with this value means: look in the zip64 field.
constexpr std::uint32_t kIn64BitField = 0xFFFFFFFF;
constexpr std::uint16_t kCountIn64BitField = 0xFFFF;
constexpr std::uint16_t kExtraZip64 = 1;

constexpr std::uint16_t kMethodStored = 0;
constexpr std::uint16_t kMethodDeflated = 8;
constexpr std::uint16_t kFlagEncrypted = 1;
constexpr std::uint16_t kFlagUtf8Name = 1 << 11;

}  // namespace sfg::detail
