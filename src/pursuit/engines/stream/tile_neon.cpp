// Kernels for 64-bit ARM: 16 features x 6 vectors in 24 of the 32 registers of NEON, or x 3 vectors
// where bytes are multiplied without sdot.
#include "pursuit/engines/stream/tile.hpp"

#if defined(__aarch64__) && defined(__GNUC__)

#include <algorithm>

#include "core/arm_processor.hpp"
#include "pursuit/engines/stream/sum_neon.hpp"

namespace sfg::detail {

namespace {

#if defined(__clang__)
#define SFG_DOT_PRODUCTS __attribute__((target("dotprod")))
#define SFG_BF16 __attribute__((target("bf16")))
#else
#define SFG_DOT_PRODUCTS __attribute__((target("arch=armv8.2-a+dotprod")))
#define SFG_BF16 __attribute__((target("arch=armv8.2-a+bf16")))
#endif

/// Bytes are signed on both sides here: features need no offset.
constexpr int kLargest = 127;
constexpr int kOffset = 0;
/// Words whose products are summed in 16 bits, see kHalfSegmentLength. It keeps sums of half a
/// segment within 16 bits, and these are of a quarter.
constexpr std::size_t kSegmentWords = 32;

/// Sums of whole numbers by sdot. The row before the words is that of the offset, all zero.
struct DotProductSums {
  static constexpr std::size_t kTargets = kSixVectors;
  SFG_NEON_INLINE static auto make(const TilePanel& panel, const TileTargets& vectors) noexcept {
    return sum_rows<ByteProducts>(panel.words, panel.n_words, vectors.words + kTargets);
  }
};

/// Sums of whole numbers in 16 bits. A row of zeros is before each segment.
struct SegmentSums {
  static constexpr std::size_t kTargets = kThreeVectors;
  SFG_NEON_INLINE static auto make(const TilePanel& panel, const TileTargets& vectors) noexcept {
    NeonSums<int32x4_t, kTargets> sums{};
    const std::uint32_t* targets = vectors.words;
    for (std::size_t done = 0; done < panel.n_words; done += kSegmentWords) {
      add_byte_segment(panel.words + done * kPanelFeatures,
                       std::min(kSegmentWords, panel.n_words - done), targets + kTargets, sums);
      targets += (kSegmentWords + 1) * kTargets;
    }
    return sums;
  }
};

template <typename Products>
struct FloatSums {
  static constexpr std::size_t kTargets = kSixVectors;
  SFG_NEON_INLINE static auto make(const TilePanel& panel, const TileTargets& vectors) noexcept {
    return sum_rows<Products>(panel.words, panel.n_words, vectors.words);
  }
};

SFG_NEON_INLINE float32x4_t to_real(int32x4_t sum) noexcept {
  return vcvtq_f32_s32(sum);
}
SFG_NEON_INLINE float32x4_t to_real(float32x4_t sum) noexcept {
  return sum;
}
SFG_NEON_INLINE int32x4_t size_of(int32x4_t sum) noexcept {
  return vabsq_s32(sum);
}
SFG_NEON_INLINE float32x4_t size_of(float32x4_t sum) noexcept {
  return vabsq_f32(sum);
}
SFG_NEON_INLINE int32x4_t larger(int32x4_t a, int32x4_t b) noexcept {
  return vmaxq_s32(a, b);
}
SFG_NEON_INLINE float32x4_t larger(float32x4_t a, float32x4_t b) noexcept {
  return vmaxq_f32(a, b);
}

/// One bit for each of four comparisons.
SFG_NEON_INLINE std::uint32_t mask(uint32x4_t comparison) noexcept {
  const uint32x4_t bits = {1, 2, 4, 8};
  return vaddvq_u32(vandq_u32(comparison, bits));
}

/// Finds for each vector the number below which no |sum| is that of a hit, see PanelInSums.
struct QuickTest {
  PanelInSums panel;

  SFG_NEON_INLINE void four_limits(const TileTargets& vectors, std::size_t first,
                                   float* limits) const noexcept {
    const float32x4_t along = vabsq_f32(vld1q_f32(vectors.along + first));
    float32x4_t most = vmulq_n_f32(along, panel.along);
    most = vfmaq_n_f32(most, vld1q_f32(vectors.length + first), panel.length);
    most = vfmaq_n_f32(most, vld1q_f32(vectors.error + first), panel.error);
    const float32x4_t threshold = vld1q_f32(vectors.threshold + first);
    vst1q_f32(limits + first, vfmaq_n_f32(vnegq_f32(most), threshold, panel.limit));
  }
};

/// Whether every |sum| is below its vector's limit: then the group has no hit. (A limit that is no
/// number lets the exact test decide.)
template <std::size_t n_vectors, typename Sum>
SFG_NEON_INLINE bool all_below(const NeonSums<Sum, n_vectors>& sums, const float* limits) noexcept {
  uint32x4_t below = vdupq_n_u32(~0U);
  for_each_constant<n_vectors>([&](auto t) SFG_NEON_INLINED {
    const Sum* of = sums.of + t * kPanelRegisters;
    const Sum largest =
        larger(larger(size_of(of[0]), size_of(of[1])), larger(size_of(of[2]), size_of(of[3])));
    below = vandq_u32(below, vcltq_f32(to_real(largest), vdupq_n_f32(limits[t])));
  });
  return vminvq_u32(below) != 0;
}

/// The values of one vector with four features, and which of them are hits.
template <TileTest kTest>
struct Tested {
  float32x4_t value;
  uint32x4_t hits;
  uint32x4_t lane_hits;

  SFG_NEON_INLINE Tested(const TilePanel& panel, const TileTargets& vectors, std::size_t t,
                         std::size_t part, float32x4_t sum) noexcept {
    const float error = vectors.error[t] * panel.error + vectors.length[t] * panel.length;
    const float32x4_t along = vmulq_n_f32(vld1q_f32(panel.along + 4 * part), vectors.along[t]);
    value = vfmaq_f32(along, sum, vld1q_f32(panel.scale + 4 * part));
    const float32x4_t size = vabsq_f32(value);
    hits = vcgeq_f32(size, vdupq_n_f32(vectors.threshold[t] - error));
    lane_hits = vdupq_n_u32(0);
    if constexpr (kTest == TileTest::both) {
      const float32x4_t more = vaddq_f32(size, vdupq_n_f32(error + vectors.slack[t]));
      lane_hits =
          vcgeq_f32(vmulq_n_f32(more, vectors.unit[t]), vld1q_f32(panel.lane_threshold + 4 * part));
    }
  }
};

template <TileTest kTest, std::size_t n_vectors, typename Sum>
SFG_NEON_INLINE bool any_hit(const TilePanel& panel, const TileTargets& vectors,
                             const NeonSums<Sum, n_vectors>& sums) noexcept {
  uint32x4_t any = vdupq_n_u32(0);
  for_each_constant<n_vectors * kPanelRegisters>([&](auto number) SFG_NEON_INLINED {
    const Tested<kTest> tested(panel, vectors, number / kPanelRegisters, number % kPanelRegisters,
                               to_real(sums.of[number]));
    any = vorrq_u32(any, vorrq_u32(tested.hits, tested.lane_hits));
  });
  return vmaxvq_u32(any) != 0;
}

/// All values and hits of a group; whether there is any hit.
template <TileTest kTest, std::size_t n_vectors, typename Sum>
SFG_NEON_INLINE bool report(const TilePanel& panel, const TileTargets& vectors,
                            const NeonSums<Sum, n_vectors>& sums, TileResult& result) noexcept {
  // A loop over the sums themselves would keep them in memory from the start.
  float32x4_t real[n_vectors * kPanelRegisters];
  for_each_constant<n_vectors * kPanelRegisters>(
      [&](auto number) SFG_NEON_INLINED { real[number] = to_real(sums.of[number]); });
  std::uint32_t any = 0;
  for (std::size_t t = 0; t < n_vectors; ++t) {
    std::uint32_t hits = 0;
    std::uint32_t lane_hits = 0;
    for (std::size_t part = 0; part < kPanelRegisters; ++part) {
      const std::size_t number = t * kPanelRegisters + part;
      const Tested<kTest> tested(panel, vectors, t, part, real[number]);
      vst1q_f32(result.values + 4 * number, tested.value);
      hits |= mask(tested.hits) << (4 * part);
      lane_hits |= mask(tested.lane_hits) << (4 * part);
    }
    result.hits[t] = hits;
    result.lane_hits[t] = lane_hits;
    any |= hits | lane_hits;
  }
  return any != 0;
}

/// Most groups have no hit, which mostly shows before the sums are scaled.
template <typename Kind>
SFG_NEON_INLINE std::size_t run(const TilePanel& panel, const TileTargets* groups,
                                std::size_t n_groups, TileResult& result) noexcept {
  const QuickTest quick{PanelInSums(panel)};
  for (std::size_t group = 0; group < n_groups; ++group) {
    alignas(16) float limits[8];
    quick.four_limits(groups[group], 0, limits);
    quick.four_limits(groups[group], 4, limits);
    const auto sums = Kind::make(panel, groups[group]);
    if (all_below(sums, limits)) continue;
    if (report<TileTest::targets>(panel, groups[group], sums, result)) return group;
  }
  return n_groups;
}

/// With 16 limits of features a quick test would let most groups of correlated data pass.
template <typename Kind>
SFG_NEON_INLINE std::size_t run_both(const TilePanel& panel, const TileTargets* groups,
                                     std::size_t n_groups, TileResult& result) noexcept {
  for (std::size_t group = 0; group < n_groups; ++group) {
    const auto sums = Kind::make(panel, groups[group]);
    if (!any_hit<TileTest::both>(panel, groups[group], sums)) continue;
    if (report<TileTest::both>(panel, groups[group], sums, result)) return group;
  }
  return n_groups;
}

// One pair of functions for each set of instructions.
#define SFG_KERNEL(name, attributes, Kind)                                                    \
  attributes std::size_t run_##name(const TilePanel& panel, const TileTargets* groups,        \
                                    std::size_t n_groups, TileResult& result) noexcept {      \
    return run<Kind>(panel, groups, n_groups, result);                                        \
  }                                                                                           \
  attributes std::size_t run_both_##name(const TilePanel& panel, const TileTargets* groups,   \
                                         std::size_t n_groups, TileResult& result) noexcept { \
    return run_both<Kind>(panel, groups, n_groups, result);                                   \
  }

SFG_KERNEL(dot_products, SFG_DOT_PRODUCTS, DotProductSums)
SFG_KERNEL(bf16, SFG_BF16, FloatSums<Bf16Products>)
SFG_KERNEL(segments, , SegmentSums)
SFG_KERNEL(f32, , FloatSums<FloatProducts>)
#undef SFG_KERNEL

}  // namespace

std::vector<TileKernel> neon_tile_kernels() {
  std::vector<TileKernel> kernels;
  // Rates are reckoned from what ARM documents of its processors, docs/PERFORMANCE.md.
  if (has_byte_dot_products()) {
    kernels.push_back({"int8 dotprod", Screen::int8, kSixVectors, 4, kLargest, kLargest, kOffset, 0,
                       run_dot_products, run_both_dot_products, 80});
  }
  kernels.push_back({"int8 neon", Screen::int8, kThreeVectors, 4, kLargest, kLargest, kOffset,
                     kSegmentWords, run_segments, run_both_segments, 13});
  kernels.push_back({"f32 neon", Screen::f32, kSixVectors, 1, 0, 0, 0, 0, run_f32, run_both_f32,
                     has_byte_dot_products() ? 20.0 : 7.0});
  if (has_bf16_dot_products()) {
    kernels.push_back(
        {"bf16 neon", Screen::bf16, kSixVectors, 2, 0, 0, 0, 0, run_bf16, run_both_bf16, 40});
  }
  return kernels;
}

}  // namespace sfg::detail

#else

namespace sfg::detail {

std::vector<TileKernel> neon_tile_kernels() {
  return {};
}

}  // namespace sfg::detail

#endif
