#pragma once

#include <cstddef>
#include <cstdint>

// GCC 12 warns about its own "undefined" vectors in these headers (its bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop

// The innermost loops of the kernels for AVX-512, 16 features x 12 vectors. Part of
// tile_avx512.cpp.
namespace sfg::detail {

/// Sums of 16 features with each of 12 vectors.
struct Sums512 {
  __m512i of[12];
};

// In assembler, with the vectors' words broadcast by the multiplication itself: GCC 12 copies every
// sum twice in each round. The sums come out in registers.
// clang-format off
#define SFG_EVERY_VECTOR(step, name)                                            \
  step(name, 0) step(name, 1) step(name, 2) step(name, 3) step(name, 4)         \
  step(name, 5) step(name, 6) step(name, 7) step(name, 8) step(name, 9)         \
  step(name, 10) step(name, 11)
#define SFG_START(name, t) #name " 4*" #t "(%[starts]), %[sum" #t "]\n\t"
#define SFG_ADD_PRODUCTS(name, t)                                               \
  #name " 4*" #t "(%[targets])%{1to16%}, %[features], %[sum" #t "]\n\t"
#define SFG_SUM(name)                                                           \
  /** starts_t + products with the rows of 12 words in `targets`. */            \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni"),       \
                 always_inline)) inline Sums512 sum_##name(                     \
      const std::uint32_t* words, std::size_t n_words, const std::uint32_t* targets, \
      const std::uint32_t* starts) noexcept {                                   \
    Sums512 sums;                                                               \
    __m512i features;                                                           \
    asm volatile(                                                               \
        SFG_EVERY_VECTOR(SFG_START, vpbroadcastd)                               \
        ".p2align 5\n"                                                          \
        "1:\n\t"                                                                \
        "vmovdqa64 (%[words]), %[features]\n\t"                                 \
        SFG_EVERY_VECTOR(SFG_ADD_PRODUCTS, name)                                \
        "add $64, %[words]\n\t"                                                 \
        "add $48, %[targets]\n\t"                                               \
        "dec %[n_words]\n\t"                                                    \
        "jnz 1b"                                                                \
        : [words] "+r"(words), [targets] "+r"(targets), [n_words] "+r"(n_words), \
          [features] "=&v"(features), [sum0] "=&v"(sums.of[0]),                 \
          [sum1] "=&v"(sums.of[1]), [sum2] "=&v"(sums.of[2]),                   \
          [sum3] "=&v"(sums.of[3]), [sum4] "=&v"(sums.of[4]),                   \
          [sum5] "=&v"(sums.of[5]), [sum6] "=&v"(sums.of[6]),                   \
          [sum7] "=&v"(sums.of[7]), [sum8] "=&v"(sums.of[8]),                   \
          [sum9] "=&v"(sums.of[9]), [sum10] "=&v"(sums.of[10]),                 \
          [sum11] "=&v"(sums.of[11])                                            \
        : [starts] "r"(starts)                                                  \
        : "memory", "cc");                                                      \
    return sums;                                                                \
  }

SFG_SUM(vpdpbusd)
SFG_SUM(vfmadd231ps)
SFG_SUM(vdpbf16ps)
// clang-format on
#undef SFG_EVERY_VECTOR
#undef SFG_START
#undef SFG_ADD_PRODUCTS
#undef SFG_SUM

}  // namespace sfg::detail
