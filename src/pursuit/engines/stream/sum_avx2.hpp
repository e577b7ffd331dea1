#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

// The innermost loop of the int8 kernel for AVX2, with 16 features x 6 vectors. Part of
// tile_avx2.cpp, where the numbers are explained.
namespace sfg::detail {

// Sums of vector t are in registers t and 6 + t, the features' words in 12 and 13.
// clang-format off
#define SFG_START(t, high)                                          \
  "vpbroadcastd 4*" #t "(%[targets]), %%ymm" #t "\n\t"              \
  "vmovdqa %%ymm" #t ", %%ymm" #high "\n\t"
#define SFG_ADD_PRODUCTS(t, high, row)                              \
  "vpbroadcastd 24*(" #row "+1)+4*" #t "(%[targets]), %%ymm14\n\t"  \
  "vpmaddubsw %%ymm14, %%ymm12, %%ymm15\n\t"                       \
  "vpmaddubsw %%ymm14, %%ymm13, %%ymm14\n\t"                       \
  "vpaddw %%ymm15, %%ymm" #t ", %%ymm" #t "\n\t"                    \
  "vpaddw %%ymm14, %%ymm" #high ", %%ymm" #high "\n\t"
#define SFG_ADD_ROW(row)                                            \
  "vmovdqa 64*" #row "(%[words]), %%ymm12\n\t"                      \
  "vmovdqa 64*" #row "+32(%[words]), %%ymm13\n\t"                   \
  SFG_ADD_PRODUCTS(0, 6, row) SFG_ADD_PRODUCTS(1, 7, row)           \
  SFG_ADD_PRODUCTS(2, 8, row) SFG_ADD_PRODUCTS(3, 9, row)           \
  SFG_ADD_PRODUCTS(4, 10, row) SFG_ADD_PRODUCTS(5, 11, row)
#define SFG_NEXT_ROWS(count)                                        \
  "add $24*" #count ", %[targets]\n\t"                              \
  "add $64*" #count ", %[words]\n\t"
#define SFG_WIDEN(t, high)                                          \
  "vpmaddwd %%ymm15, %%ymm" #t ", %%ymm" #t "\n\t"                  \
  "vpmaddwd %%ymm15, %%ymm" #high ", %%ymm" #high "\n\t"
#define SFG_ADD_EARLIER(t, high)                                    \
  "vpaddd 64*" #t "(%[sums]), %%ymm" #t ", %%ymm" #t "\n\t"         \
  "vpaddd 32+64*" #t "(%[sums]), %%ymm" #high ", %%ymm" #high "\n\t"
#define SFG_STORE(t, high)                                          \
  "vmovdqa %%ymm" #t ", 64*" #t "(%[sums])\n\t"                     \
  "vmovdqa %%ymm" #high ", 32+64*" #t "(%[sums])\n\t"
#define SFG_TEST(t, high)                                           \
  "vpabsd %%ymm" #t ", %%ymm12\n\t"                                 \
  "vpabsd %%ymm" #high ", %%ymm13\n\t"                              \
  "vpmaxsd %%ymm12, %%ymm13, %%ymm12\n\t"                          \
  "vpbroadcastd 4*" #t "(%[below]), %%ymm13\n\t"                    \
  "vpcmpgtd %%ymm13, %%ymm12, %%ymm12\n\t"                         \
  "vpor %%ymm12, %%ymm14, %%ymm14\n\t"
#define SFG_EVERY_VECTOR(step) \
  step(0, 6) step(1, 7) step(2, 8) step(3, 9) step(4, 10) step(5, 11)

/// One segment, of at least one word: sums of 16 bits, two for each feature, in the end added up to
/// 32 bits and to those of earlier segments. With limits in `below`: whether any |sum| is above its
/// vector's one. In assembler, as it takes all sixteen registers: GCC 12 moves sums to memory and
/// back in every round of the loop, or does not, depending on what follows.
__attribute__((target("avx2"), always_inline)) inline bool sum_segment(
    const std::uint32_t* words, std::size_t n_words, const std::uint32_t* targets,
    std::size_t earlier, __m256i* sums, const std::uint32_t* below) noexcept {
  std::uint32_t any = 0;
  asm volatile(
      SFG_EVERY_VECTOR(SFG_START)
      "shr $1, %[n_words]\n\t"
      "jnc 2f\n\t"
      SFG_ADD_ROW(0)
      SFG_NEXT_ROWS(1)
      "test %[n_words], %[n_words]\n\t"
      "jz 3f\n\t"
      ".p2align 5\n"
      "2:\n\t"
      SFG_ADD_ROW(0)
      SFG_ADD_ROW(1)
      SFG_NEXT_ROWS(2)
      "dec %[n_words]\n\t"
      "jnz 2b\n"
      "3:\n\t"
      "vpcmpeqw %%ymm15, %%ymm15, %%ymm15\n\t"
      "vpsrlw $15, %%ymm15, %%ymm15\n\t"  // ones
      SFG_EVERY_VECTOR(SFG_WIDEN)
      "test %[earlier], %[earlier]\n\t"
      "jz 4f\n\t"
      SFG_EVERY_VECTOR(SFG_ADD_EARLIER)
      "4:\n\t"
      SFG_EVERY_VECTOR(SFG_STORE)
      "test %[below], %[below]\n\t"
      "jz 5f\n\t"
      "vpxor %%ymm14, %%ymm14, %%ymm14\n\t"
      SFG_EVERY_VECTOR(SFG_TEST)
      "vptest %%ymm14, %%ymm14\n\t"
      "setnz %b[any]\n"
      "5:"
      : [words] "+r"(words), [targets] "+r"(targets), [n_words] "+r"(n_words), [any] "+r"(any)
      : [sums] "r"(sums), [earlier] "r"(earlier), [below] "r"(below)
      : "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
        "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
  return any != 0;
}
// clang-format on
#undef SFG_START
#undef SFG_ADD_PRODUCTS
#undef SFG_ADD_ROW
#undef SFG_NEXT_ROWS
#undef SFG_WIDEN
#undef SFG_ADD_EARLIER
#undef SFG_STORE
#undef SFG_TEST
#undef SFG_EVERY_VECTOR

}  // namespace sfg::detail
