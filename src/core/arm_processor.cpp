#include "core/arm_processor.hpp"

#if defined(__aarch64__) && defined(__linux__)

#include <sys/auxv.h>

namespace sfg::detail {

namespace {

// The kernel's promise to programs (asm/hwcap.h, which is younger than some systems' headers).
constexpr unsigned long kDotProducts = 1UL << 20;
constexpr unsigned long kBf16 = 1UL << 14;

}  // namespace

bool has_byte_dot_products() noexcept {
  return (getauxval(AT_HWCAP) & kDotProducts) != 0;
}

bool has_bf16_dot_products() noexcept {
  return (getauxval(AT_HWCAP2) & kBf16) != 0;
}

}  // namespace sfg::detail

#else

namespace sfg::detail {

// Elsewhere what the compiler was told: on a Mac every processor has sdot, and the compiler knows.
bool has_byte_dot_products() noexcept {
#if defined(__ARM_FEATURE_DOTPROD)
  return true;
#else
  return false;
#endif
}

bool has_bf16_dot_products() noexcept {
#if defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
  return true;
#else
  return false;
#endif
}

}  // namespace sfg::detail

#endif
