// Kernels for AVX-512: 16 features x 12 vectors in twelve registers.
#include "pursuit/tile.hpp"

#if defined(__x86_64__) && defined(__GNUC__)

#include "pursuit/sum_avx512.hpp"

namespace sfg::detail {

namespace {

#define SFG_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")))
#define SFG_AVX512_INLINE \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni"), always_inline)) inline

constexpr std::size_t kTargets = 12;
/// The sums are 32 bits wide and nothing saturates: 7 bits and sign.
constexpr int kLevels = 127;
constexpr int kOffset = 128;
/// Chains of comparisons side by side, so that one need not wait for the other.
constexpr std::size_t kChains = 3;

/// One number for each vector of a group.
SFG_AVX512_INLINE __m512 load_group(const float* numbers) noexcept {
  return _mm512_maskz_loadu_ps((1U << kTargets) - 1, numbers);
}

/// Twelve numbers that are read one by one: in memory, where a broadcast is part of the instruction
/// that uses it, rather than in a register that GCC would take apart.
SFG_AVX512_INLINE void store_in_memory(__m512i numbers, std::uint32_t (&to)[16]) noexcept {
  _mm512_store_si512(to, numbers);
  asm volatile("" : "+m"(to));
}

/// Finds for each vector the largest |sum| that surely is no hit, whichever feature it is of:
///   |value| <= |sum| * largest scale + largest |along_k| * |along_t| < limit
/// with the panel's numbers over the largest scale, and some room for roundings.
template <TileTest kTest>
struct QuickTest {
  __m512 level;
  __m512 error;
  __m512 length;
  __m512 along;
  __m512 lane_level;  ///< the lowest one

  SFG_AVX512_INLINE explicit QuickTest(const TilePanel& panel) noexcept {
    const float more = panel.inverse_scale * (1 + kTileMargin);
    level = _mm512_set1_ps(panel.inverse_scale * (1 - kTileMargin));
    error = _mm512_set1_ps(more * panel.error);
    length = _mm512_set1_ps(more * panel.length);
    along = _mm512_set1_ps(more * panel.largest_along);
    if constexpr (kTest == TileTest::both) {
      const float lowest = _mm512_reduce_min_ps(_mm512_loadu_ps(panel.lane_level));
      lane_level = _mm512_set1_ps(lowest * (1 - kTileMargin));
    }
  }

  [[nodiscard]] SFG_AVX512_INLINE __m512 sums_below(const TileTargets& vectors) const noexcept {
    __m512 lowest = load_group(vectors.level);
    if constexpr (kTest == TileTest::both) {
      const __m512 of_lanes =
          _mm512_fmsub_ps(lane_level, load_group(vectors.inverse_unit), load_group(vectors.slack));
      lowest = _mm512_min_ps(lowest, of_lanes);
    }
    const __m512 errors = _mm512_fmadd_ps(
        load_group(vectors.error), error,
        _mm512_fmadd_ps(load_group(vectors.length), length,
                        _mm512_mul_ps(_mm512_abs_ps(load_group(vectors.along)), along)));
    return _mm512_fmsub_ps(lowest, level, errors);
  }
};

/// Values and hits of a group, whose sums are floats; whether there is any hit.
template <TileTest kTest>
SFG_AVX512_INLINE bool report(const TilePanel& panel, const TileTargets& vectors,
                              const __m512* sums, TileResult& result) noexcept {
  const __m512 scale = _mm512_loadu_ps(panel.scale);
  const __m512 along = _mm512_loadu_ps(panel.along);
  std::uint32_t any = 0;
  for (std::size_t t = 0; t < kTargets; ++t) {
    const float error = vectors.error[t] * panel.error + vectors.length[t] * panel.length;
    const __m512 part = _mm512_mul_ps(along, _mm512_set1_ps(vectors.along[t]));
    const __m512 value = _mm512_fmadd_ps(sums[t], scale, part);
    _mm512_store_ps(result.values + t * kPanelFeatures, value);
    const __m512 size = _mm512_abs_ps(value);
    result.hits[t] = _mm512_cmp_ps_mask(size, _mm512_set1_ps(vectors.level[t] - error), _CMP_GE_OQ);
    result.lane_hits[t] = 0;
    if constexpr (kTest == TileTest::both) {
      const __m512 bound =
          _mm512_mul_ps(_mm512_add_ps(size, _mm512_set1_ps(error + vectors.slack[t])),
                        _mm512_set1_ps(vectors.unit[t]));
      result.lane_hits[t] =
          _mm512_cmp_ps_mask(bound, _mm512_loadu_ps(panel.lane_level), _CMP_GE_OQ);
    }
    any |= result.hits[t] | result.lane_hits[t];
  }
  return any != 0;
}

template <TileTest kTest>
SFG_AVX512 std::size_t run_int8(const TilePanel& panel, const TileTargets* groups,
                                std::size_t n_groups, TileResult& result) noexcept {
  const QuickTest<kTest> quick(panel);
  for (std::size_t group = 0; group < n_groups; ++group) {
    const TileTargets& vectors = groups[group];
    // No sum is as large as 2^30, and a limit below zero lets every sum pass: what lies outside
    // would not fit into a whole number. One less makes up for the fraction that is cut off.
    const __m512 one = _mm512_set1_ps(1);
    const __m512 within = _mm512_max_ps(
        _mm512_min_ps(_mm512_sub_ps(quick.sums_below(vectors), one), _mm512_set1_ps(0x1p30F)),
        _mm512_sub_ps(_mm512_setzero_ps(), one));
    alignas(64) std::uint32_t below[16];
    store_in_memory(_mm512_cvttps_epi32(within), below);
    const Sums512 sums =
        sum_vpdpbusd(panel.words, panel.n_words, vectors.words + kTargets, vectors.words);
    __mmask16 none[kChains] = {0xFFFF, 0xFFFF, 0xFFFF};
#pragma GCC unroll 12
    for (std::size_t t = 0; t < kTargets; ++t) {
      none[t % kChains] =
          _mm512_mask_cmple_epi32_mask(none[t % kChains], _mm512_abs_epi32(sums.of[t]),
                                       _mm512_set1_epi32(static_cast<int>(below[t])));
    }
    if ((none[0] & none[1] & none[2]) == 0xFFFF) continue;
    __m512 values[kTargets];
    for (std::size_t t = 0; t < kTargets; ++t) values[t] = _mm512_cvtepi32_ps(sums.of[t]);
    if (report<kTest>(panel, vectors, values, result)) return group;
  }
  return n_groups;
}

template <TileTest kTest, Sums512 (*sum)(const std::uint32_t*, std::size_t, const std::uint32_t*,
                                         const std::uint32_t*) noexcept>
SFG_AVX512 std::size_t run_float(const TilePanel& panel, const TileTargets* groups,
                                 std::size_t n_groups, TileResult& result) noexcept {
  alignas(64) static constexpr std::uint32_t kZeros[kTargets] = {};
  const QuickTest<kTest> quick(panel);
  for (std::size_t group = 0; group < n_groups; ++group) {
    const TileTargets& vectors = groups[group];
    alignas(64) std::uint32_t below[16];
    store_in_memory(_mm512_castps_si512(quick.sums_below(vectors)), below);
    const Sums512 sums = sum(panel.words, panel.n_words, vectors.words, kZeros);
    __mmask16 none[kChains] = {0xFFFF, 0xFFFF, 0xFFFF};
#pragma GCC unroll 12
    for (std::size_t t = 0; t < kTargets; ++t) {
      const __m512 size = _mm512_abs_ps(_mm512_castsi512_ps(sums.of[t]));
      const __m512 limit = _mm512_castsi512_ps(_mm512_set1_epi32(static_cast<int>(below[t])));
      none[t % kChains] = _mm512_mask_cmp_ps_mask(none[t % kChains], size, limit, _CMP_LT_OQ);
    }
    if ((none[0] & none[1] & none[2]) == 0xFFFF) continue;
    __m512 values[kTargets];
    for (std::size_t t = 0; t < kTargets; ++t) values[t] = _mm512_castsi512_ps(sums.of[t]);
    if (report<kTest>(panel, vectors, values, result)) return group;
  }
  return n_groups;
}

}  // namespace

std::vector<TileKernel> avx512_tile_kernels() {
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512dq") ||
      !__builtin_cpu_supports("avx512vnni")) {
    return {};
  }
  using enum TileTest;
  std::vector<TileKernel> kernels{
      {"int8 avx512", Screen::int8, kTargets, 4, kLevels, kLevels, kOffset, 0, run_int8<targets>,
       run_int8<both>},
      {"f32 avx512", Screen::f32, kTargets, 1, 0, 0, 0, 0, run_float<targets, sum_vfmadd231ps>,
       run_float<both, sum_vfmadd231ps>}};
  if (__builtin_cpu_supports("avx512bf16")) {
    kernels.push_back({"bf16 avx512", Screen::bf16, kTargets, 2, 0, 0, 0, 0,
                       run_float<targets, sum_vdpbf16ps>, run_float<both, sum_vdpbf16ps>});
  }
  return kernels;
}

}  // namespace sfg::detail

#else

namespace sfg::detail {

std::vector<TileKernel> avx512_tile_kernels() {
  return {};
}

}  // namespace sfg::detail

#endif
