#pragma once

// A function marked SFG_SIMD is compiled for several instruction sets; the loader picks the best
// one that the processor has. Sanitizers cannot follow that indirection, so they get the plain
// version.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SFG_SIMD __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SFG_SIMD
#endif
