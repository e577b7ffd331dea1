#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "pursuit/engines/stream/tile.hpp"

// The innermost loops of the kernels for NEON. Part of tile_neon.cpp. Every index of a sum is a
// constant: only then GCC 12 keeps all of them in registers.
namespace sfg::detail {

// Lambdas too, or what is not optimised is compiled without their caller's instructions.
#define SFG_NEON_INLINED __attribute__((always_inline))
#define SFG_NEON_INLINE inline SFG_NEON_INLINED

/// Registers that the 16 features of a panel take, four in each.
inline constexpr std::size_t kPanelRegisters = 4;

template <std::size_t... numbers, typename Visit>
SFG_NEON_INLINE void visit_each(std::index_sequence<numbers...> /*of*/, Visit visit) noexcept {
  (visit(std::integral_constant<std::size_t, numbers>()), ...);
}

/// visit(constant) for 0, 1, ..., count - 1.
template <std::size_t count, typename Visit>
SFG_NEON_INLINE void for_each_constant(Visit visit) noexcept {
  visit_each(std::make_index_sequence<count>(), visit);
}

/// Sums of 16 features with each vector of a group.
template <typename Sum, std::size_t n_vectors>
struct NeonSums {
  Sum of[n_vectors * kPanelRegisters];
};

// One instruction each, in assembler: older Clangs have intrinsics only of what the whole file is
// compiled for, and GCC 12 loads words one by one for that of floats.
/// sums + products of four bytes with the four of one word of `vectors`.
struct ByteProducts {
  using Sum = int32x4_t;
  template <int lane>
  SFG_NEON_INLINE static Sum add(Sum sum, uint32x4_t features, uint32x4_t vectors) noexcept {
    asm("sdot %0.4s, %1.16b, %2.4b[%3]" : "+w"(sum) : "w"(features), "w"(vectors), "i"(lane));
    return sum;
  }
};

/// Of two bfloat16 numbers with the two of one word. The processor rounds a sum to odd, off by up
/// to 2^-23 of itself, but only n / 2 + 1 times for n samples: (n + 2) 2^-24 in all.
struct Bf16Products {
  using Sum = float32x4_t;
  template <int lane>
  SFG_NEON_INLINE static Sum add(Sum sum, uint32x4_t features, uint32x4_t vectors) noexcept {
    asm("bfdot %0.4s, %1.8h, %2.2h[%3]" : "+w"(sum) : "w"(features), "w"(vectors), "i"(lane));
    return sum;
  }
};

struct FloatProducts {
  using Sum = float32x4_t;
  template <int lane>
  SFG_NEON_INLINE static Sum add(Sum sum, uint32x4_t features, uint32x4_t vectors) noexcept {
    asm("fmla %0.4s, %1.4s, %2.s[%3]" : "+w"(sum) : "w"(features), "w"(vectors), "i"(lane));
    return sum;
  }
};

/// Six vectors take 24 registers for their sums, two for their words, and the features four.
inline constexpr std::size_t kSixVectors = 6;

/// All products of words, six to a row.
template <typename Products>
SFG_NEON_INLINE NeonSums<typename Products::Sum, kSixVectors> sum_rows(
    const std::uint32_t* words, std::size_t n_words, const std::uint32_t* targets) noexcept {
  NeonSums<typename Products::Sum, kSixVectors> sums{};
  for (std::size_t g = 0; g < n_words; ++g) {
    const uint32x4_t four = vld1q_u32(targets);
    const uint32x4_t two = vcombine_u32(vld1_u32(targets + 4), vdup_n_u32(0));
    const uint32x4_t features[kPanelRegisters] = {vld1q_u32(words), vld1q_u32(words + 4),
                                                  vld1q_u32(words + 8), vld1q_u32(words + 12)};
    for_each_constant<kSixVectors * kPanelRegisters>([&](auto number) SFG_NEON_INLINED {
      constexpr std::size_t t = number / kPanelRegisters;
      auto& sum = sums.of[number];
      sum = Products::template add<t % 4>(sum, features[number % kPanelRegisters],
                                          t < 4 ? four : two);
    });
    words += kPanelFeatures;
    targets += kSixVectors;
  }
  return sums;
}

/// Without sdot a product of bytes is added to 16 bits, four sums for each feature: three vectors
/// take 24 registers.
inline constexpr std::size_t kThreeVectors = 3;

/// Adds one segment of words, three to a row, to the sums.
SFG_NEON_INLINE void add_byte_segment(const std::uint32_t* words, std::size_t n_words,
                                      const std::uint32_t* targets,
                                      NeonSums<int32x4_t, kThreeVectors>& sums) noexcept {
  constexpr std::size_t kHalves = 2 * kPanelRegisters;
  int16x8_t parts[kThreeVectors * kHalves] = {};
  for (std::size_t g = 0; g < n_words; ++g) {
    for_each_constant<kPanelRegisters>([&](auto part) SFG_NEON_INLINED {
      const int8x16_t features = vreinterpretq_s8_u32(vld1q_u32(words + 4 * part));
      for_each_constant<kThreeVectors>([&](auto t) SFG_NEON_INLINED {
        const int8x16_t vector = vreinterpretq_s8_u32(vld1q_dup_u32(targets + t));
        int16x8_t& low = parts[t * kHalves + 2 * part];
        int16x8_t& high = parts[t * kHalves + 2 * part + 1];
        low = vmlal_s8(low, vget_low_s8(features), vget_low_s8(vector));
        high = vmlal_high_s8(high, features, vector);
      });
    });
    words += kPanelFeatures;
    targets += kThreeVectors;
  }
  for_each_constant<kThreeVectors * kPanelRegisters>([&](auto number) SFG_NEON_INLINED {
    const int32x4_t low = vpaddlq_s16(parts[2 * number]);
    const int32x4_t high = vpaddlq_s16(parts[2 * number + 1]);
    sums.of[number] = vaddq_s32(sums.of[number], vpaddq_s32(low, high));
  });
}

}  // namespace sfg::detail
