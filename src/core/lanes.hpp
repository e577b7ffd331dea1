#pragma once

#include <cstddef>
#include <cstring>

// Numbers side by side, whose sums have a fixed order: the same bits wherever they are computed.
// Two sizes: four doubles, as in a register of AVX2, and sixteen floats, as in one of AVX-512.
namespace sfg::detail {

// All that takes or gives such numbers is inlined: how they would be passed between functions is no
// matter.
#pragma GCC diagnostic ignored "-Wpsabi"

#define SFG_INLINE inline __attribute__((always_inline))

template <typename Lanes, typename Value>
SFG_INLINE Lanes load_lanes(const Value* from) noexcept {
  if constexpr (requires { Lanes::kHalf; }) {
    return {load_lanes<decltype(Lanes::low)>(from),
            load_lanes<decltype(Lanes::high)>(from + Lanes::kHalf)};
  } else {
    Lanes lanes;
    std::memcpy(&lanes, from, sizeof lanes);
    return lanes;
  }
}

template <typename Lanes, typename Value>
SFG_INLINE void store_lanes(const Lanes& lanes, Value* to) noexcept {
  if constexpr (requires { Lanes::kHalf; }) {
    store_lanes(lanes.low, to);
    store_lanes(lanes.high, to + Lanes::kHalf);
  } else {
    std::memcpy(to, &lanes, sizeof lanes);
  }
}

#if defined(__x86_64__)

/// Bytes of the registers that kernels work with.
inline constexpr std::size_t kRegisterBytes = 32;

// (Of eight doubles, two registers, GCC 12 makes a mess.)
using DoubleLanes = double __attribute__((vector_size(32)));
using FloatLanes = float __attribute__((vector_size(64)));
using HalfFloatLanes = float __attribute__((vector_size(32)));

SFG_INLINE void split(const FloatLanes& all, HalfFloatLanes& low, HalfFloatLanes& high) noexcept {
  std::memcpy(&low, &all, sizeof low);
  std::memcpy(&high, reinterpret_cast<const char*>(&all) + sizeof low, sizeof high);
}

#else

// Registers of NEON. Of wider vectors GCC 12 keeps every sum in memory.
inline constexpr std::size_t kRegisterBytes = 16;

/// Two of something, one after the other, that are worked on in the same way.
template <typename Half, typename Value>
struct LanePair {
  static constexpr std::size_t kHalf = sizeof(Half) / sizeof(Value);
  Half low;
  Half high;

  SFG_INLINE friend LanePair operator+(const LanePair& a, const LanePair& b) noexcept {
    return {a.low + b.low, a.high + b.high};
  }
  SFG_INLINE friend LanePair operator-(const LanePair& a, const LanePair& b) noexcept {
    return {a.low - b.low, a.high - b.high};
  }
  SFG_INLINE friend LanePair operator*(const LanePair& a, const LanePair& b) noexcept {
    return {a.low * b.low, a.high * b.high};
  }
  SFG_INLINE friend LanePair operator*(const LanePair& a, Value factor) noexcept {
    return {a.low * factor, a.high * factor};
  }
  SFG_INLINE LanePair& operator+=(const LanePair& other) noexcept { return *this = *this + other; }
  SFG_INLINE Value operator[](std::size_t lane) const noexcept {
    return lane < kHalf ? low[lane] : high[lane - kHalf];
  }
};

using TwoDoubles = double __attribute__((vector_size(16)));
using FourFloats = float __attribute__((vector_size(16)));
using DoubleLanes = LanePair<TwoDoubles, double>;
using HalfFloatLanes = LanePair<FourFloats, float>;
using FloatLanes = LanePair<HalfFloatLanes, float>;

SFG_INLINE void split(const FloatLanes& all, HalfFloatLanes& low, HalfFloatLanes& high) noexcept {
  low = all.low;
  high = all.high;
}

#endif

#undef SFG_INLINE

}  // namespace sfg::detail
