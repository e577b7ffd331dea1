// Kernels for AVX-512: 16 features x 12 vectors in twelve registers.
#include "pursuit/engines/stream/tile.hpp"

#if defined(__x86_64__) && defined(__GNUC__)

#include "pursuit/engines/stream/sum_avx512.hpp"

namespace sfg::detail {

namespace {

#define SFG_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")))
#define SFG_AVX512_INLINE \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni"), always_inline)) inline

constexpr std::size_t kTargets = 12;
/// The sums are 32 bits wide and nothing saturates: 7 bits and sign.
constexpr int kLargest = 127;
constexpr int kOffset = 128;
/// Chains of comparisons side by side, so that one need not wait for the other.
constexpr std::size_t kChains = 3;

/// One number for each vector of a group.
SFG_AVX512_INLINE __m512 load_group(const float* numbers) noexcept {
  return _mm512_maskz_loadu_ps((1U << kTargets) - 1, numbers);
}

/// One number for each vector, to be read one by one: from memory, where a broadcast is part of the
/// instruction that uses it. Made before the sums: read at once, it would have to wait until all
/// that came before is done.
struct GroupNumbers {
  alignas(64) std::uint32_t words[16];

  SFG_AVX512_INLINE explicit GroupNumbers(__m512i numbers) noexcept {
    _mm512_store_si512(words, numbers);
    asm volatile("" : "+m"(words));  // or GCC keeps them in a register and takes that apart
  }
  SFG_AVX512_INLINE explicit GroupNumbers(__m512 numbers) noexcept
      : GroupNumbers(_mm512_castps_si512(numbers)) {}
  [[nodiscard]] SFG_AVX512_INLINE __m512i whole(std::size_t t) const noexcept {
    return _mm512_set1_epi32(static_cast<int>(words[t]));
  }
  [[nodiscard]] SFG_AVX512_INLINE __m512 real(std::size_t t) const noexcept {
    return _mm512_castsi512_ps(whole(t));
  }
};

/// The most that the values of a panel may be off, for each vector.
SFG_AVX512_INLINE __m512 errors(const TilePanel& panel, const TileTargets& vectors) noexcept {
  return _mm512_add_ps(_mm512_mul_ps(load_group(vectors.error), _mm512_set1_ps(panel.error)),
                       _mm512_mul_ps(load_group(vectors.length), _mm512_set1_ps(panel.length)));
}

/// The values of one vector, and which of them are hits.
template <TileTest kTest>
struct Tested {
  __m512 value;
  __mmask16 hits;
  __mmask16 lane_hits = 0;

  SFG_AVX512_INLINE Tested(const TilePanel& panel, const TileTargets& vectors, std::size_t t,
                           __m512 sum, __m512 limit, __m512 slack) noexcept {
    const __m512 part =
        _mm512_mul_ps(_mm512_loadu_ps(panel.along), _mm512_set1_ps(vectors.along[t]));
    value = _mm512_fmadd_ps(sum, _mm512_loadu_ps(panel.scale), part);
    const __m512 size = _mm512_abs_ps(value);
    hits = _mm512_cmp_ps_mask(size, limit, _CMP_GE_OQ);
    if constexpr (kTest == TileTest::both) {
      const __m512 bound =
          _mm512_mul_ps(_mm512_add_ps(size, slack), _mm512_set1_ps(vectors.unit[t]));
      lane_hits = _mm512_cmp_ps_mask(bound, _mm512_loadu_ps(panel.lane_threshold), _CMP_GE_OQ);
    }
  }
  [[nodiscard]] SFG_AVX512_INLINE std::uint32_t any() const noexcept {
    return static_cast<std::uint32_t>(hits) | lane_hits;
  }
};

/// Values and hits of a group; whether there is any hit.
template <TileTest kTest>
SFG_AVX512_INLINE bool report(const TilePanel& panel, const TileTargets& vectors,
                              const __m512* sums, TileResult& result) noexcept {
  std::uint32_t any = 0;
  for (std::size_t t = 0; t < kTargets; ++t) {
    const float error = vectors.error[t] * panel.error + vectors.length[t] * panel.length;
    const Tested<kTest> tested(panel, vectors, t, sums[t],
                               _mm512_set1_ps(vectors.threshold[t] - error),
                               _mm512_set1_ps(error + vectors.slack[t]));
    _mm512_store_ps(result.values + t * kPanelFeatures, tested.value);
    result.hits[t] = tested.hits;
    result.lane_hits[t] = tested.lane_hits;
    any |= tested.any();
  }
  return any != 0;
}

/// Finds for each vector the largest |sum| that surely is no hit, see PanelInSums.
struct QuickTest {
  __m512 limit;
  __m512 error;
  __m512 length;
  __m512 along;

  SFG_AVX512_INLINE explicit QuickTest(const PanelInSums& panel) noexcept
      : limit(_mm512_set1_ps(panel.limit)),
        error(_mm512_set1_ps(panel.error)),
        length(_mm512_set1_ps(panel.length)),
        along(_mm512_set1_ps(panel.along)) {}

  [[nodiscard]] SFG_AVX512_INLINE __m512 sums_below(const TileTargets& vectors) const noexcept {
    __m512 most = _mm512_mul_ps(_mm512_abs_ps(load_group(vectors.along)), along);
    most = _mm512_fmadd_ps(load_group(vectors.length), length, most);
    most = _mm512_fmadd_ps(load_group(vectors.error), error, most);
    return _mm512_fmsub_ps(load_group(vectors.threshold), limit, most);
  }
};

/// Sums of whole numbers. The quick test is on the sums as they are.
struct WholeSums {
  SFG_AVX512_INLINE static __m512i limits(__m512 below) noexcept {
    // Whatever the limit, sums above 2^30 get the exact test; one below zero lets every sum pass:
    // what lies outside would not fit into a whole number. One less makes up for the fraction that
    // is cut off.
    const __m512 one = _mm512_set1_ps(1);
    const __m512 most = _mm512_min_ps(_mm512_sub_ps(below, one), _mm512_set1_ps(0x1p30F));
    return _mm512_cvttps_epi32(_mm512_max_ps(most, _mm512_sub_ps(_mm512_setzero_ps(), one)));
  }
  SFG_AVX512_INLINE static Sums512 make(const TilePanel& panel,
                                        const TileTargets& vectors) noexcept {
    return sum_vpdpbusd(panel.words, panel.n_words, vectors.words + kTargets, vectors.words);
  }
  SFG_AVX512_INLINE static __mmask16 within(__mmask16 others, __m512i sum, __m512i limit) noexcept {
    return _mm512_mask_cmple_epi32_mask(others, _mm512_abs_epi32(sum), limit);
  }
  SFG_AVX512_INLINE static __m512 real(__m512i sum) noexcept { return _mm512_cvtepi32_ps(sum); }
};

/// Sums of floats, of words that `sum` multiplies.
template <Sums512 (*sum)(const std::uint32_t*, std::size_t, const std::uint32_t*,
                         const std::uint32_t*) noexcept>
struct FloatSums {
  alignas(64) static constexpr std::uint32_t kZeros[kTargets] = {};

  SFG_AVX512_INLINE static __m512i limits(__m512 below) noexcept {
    return _mm512_castps_si512(below);
  }
  SFG_AVX512_INLINE static Sums512 make(const TilePanel& panel,
                                        const TileTargets& vectors) noexcept {
    return sum(panel.words, panel.n_words, vectors.words, kZeros);
  }
  SFG_AVX512_INLINE static __mmask16 within(__mmask16 others, __m512i sums,
                                            __m512i limit) noexcept {
    return _mm512_mask_cmp_ps_mask(others, _mm512_abs_ps(real(sums)), real(limit), _CMP_LT_OQ);
  }
  SFG_AVX512_INLINE static __m512 real(__m512i sums) noexcept { return _mm512_castsi512_ps(sums); }
};

template <typename Kind>
SFG_AVX512_INLINE void to_real(const Sums512& sums, __m512* real) noexcept {
  for (std::size_t t = 0; t < kTargets; ++t) real[t] = Kind::real(sums.of[t]);
}

/// Most groups have no hit, which mostly shows before the sums are scaled.
template <typename Kind>
SFG_AVX512 std::size_t run(const TilePanel& panel, const TileTargets* groups, std::size_t n_groups,
                           TileResult& result) noexcept {
  const QuickTest quick{PanelInSums(panel)};
  for (std::size_t group = 0; group < n_groups; ++group) {
    const GroupNumbers limits(Kind::limits(quick.sums_below(groups[group])));
    const Sums512 sums = Kind::make(panel, groups[group]);
    __mmask16 within[kChains] = {0xFFFF, 0xFFFF, 0xFFFF};
#pragma GCC unroll 12
    for (std::size_t t = 0; t < kTargets; ++t) {
      within[t % kChains] = Kind::within(within[t % kChains], sums.of[t], limits.whole(t));
    }
    if ((within[0] & within[1] & within[2]) == 0xFFFF) continue;
    __m512 real[kTargets];
    to_real<Kind>(sums, real);
    if (report<TileTest::targets>(panel, groups[group], real, result)) return group;
  }
  return n_groups;
}

/// With 16 limits of features a quick test would let three groups in four of correlated data pass.
template <typename Kind>
SFG_AVX512 std::size_t run_both(const TilePanel& panel, const TileTargets* groups,
                                std::size_t n_groups, TileResult& result) noexcept {
  for (std::size_t group = 0; group < n_groups; ++group) {
    const TileTargets& vectors = groups[group];
    const __m512 error = errors(panel, vectors);
    const GroupNumbers limits(_mm512_sub_ps(load_group(vectors.threshold), error));
    const GroupNumbers slacks(_mm512_add_ps(error, load_group(vectors.slack)));
    __m512 real[kTargets];
    to_real<Kind>(Kind::make(panel, vectors), real);
    std::uint32_t any = 0;
#pragma GCC unroll 12
    for (std::size_t t = 0; t < kTargets; ++t) {
      any |=
          Tested<TileTest::both>(panel, vectors, t, real[t], limits.real(t), slacks.real(t)).any();
    }
    if (any != 0 && report<TileTest::both>(panel, vectors, real, result)) return group;
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
  std::vector<TileKernel> kernels;
  const auto add = [&kernels]<typename Kind>(const char* name, Screen screen, int per_word,
                                             int largest_integer, int offset, double speed, Kind) {
    kernels.push_back({name, screen, kTargets, per_word, largest_integer, largest_integer, offset,
                       0, run<Kind>, run_both<Kind>, speed});
  };
  add("int8 avx512", Screen::int8, 4, kLargest, kOffset, 215, WholeSums());
  add("f32 avx512", Screen::f32, 1, 0, 0, 57, FloatSums<sum_vfmadd231ps>());
  if (__builtin_cpu_supports("avx512bf16")) {
    add("bf16 avx512", Screen::bf16, 2, 0, 0, 113, FloatSums<sum_vdpbf16ps>());
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
