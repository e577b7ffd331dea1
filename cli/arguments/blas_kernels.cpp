#include "blas_kernels.hpp"

#include <cblas.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace sfg::cli {

namespace {

constexpr const char* kChoice = "OPENBLAS_CORETYPE";

/// The newest kernels of OpenBLAS that run here; null: those from before AVX it is.
const char* kernels_of_this_processor() {
#if defined(__x86_64__)
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  if (has_avx512) return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return nullptr;
}

}  // namespace

std::string blas_kernels() {
  return openblas_get_corename();
}

void use_kernels_of_this_processor(char** argv) {
  constexpr std::string_view kFromBeforeAvx = "Prescott";
  if (blas_kernels() != kFromBeforeAvx || std::getenv(kChoice) != nullptr) return;
  const char* better = kernels_of_this_processor();
  if (better == nullptr || setenv(kChoice, better, 0) != 0) return;
  execv("/proc/self/exe", argv);
  // Not possible here: slower, but it works.
}

}  // namespace sfg::cli
