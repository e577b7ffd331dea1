#pragma once

#include <cstddef>

// Libraries that few runs need (HDF5, matio, libarchive, librsvg and the sixty that these need in
// turn) take three quarters of the time of a small table to load. So the program is linked with a
// stub for each of their functions that it calls (tools/lazy-stubs), and loads a library when one
// of its functions is called for the first time.
namespace sfg::cli {

struct LazySymbol {
  const char* name;
  int library;  ///< its number among kLazyLibraries
};

/// A variable of a library: the program has a copy of it.
struct LazyData {
  const char* name;
  int library;
  void* copy;
  std::size_t size;
};

extern const char* const kLazyLibraries[];  ///< names to load them by; ends with a null pointer
extern const LazySymbol kLazyFunctions[];
extern const LazyData kLazyData[];

}  // namespace sfg::cli
