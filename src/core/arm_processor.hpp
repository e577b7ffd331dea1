#pragma once

// What this processor has beyond what every 64-bit ARM processor has (NEON among it). False on
// other processors.
namespace sfg::detail {

/// sdot: products of bytes, summed by four (FEAT_DotProd).
[[nodiscard]] bool has_byte_dot_products() noexcept;
/// bfdot: products of bfloat16 numbers, summed by two (FEAT_BF16).
[[nodiscard]] bool has_bf16_dot_products() noexcept;

}  // namespace sfg::detail
