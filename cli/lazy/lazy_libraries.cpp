#include "lazy_libraries.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstring>
#include <string_view>

#include "sfg/error.hpp"

extern "C" {
extern void* sfg_lazy_functions[];
/// Called by the stubs: the function of that number, which later calls jump to.
__attribute__((visibility("hidden"))) void* sfg_lazy_find(int number);
}

namespace sfg::cli {

namespace {

/// HDF5's types are variables that its first function sets, and its macros call it before each use.
constexpr std::string_view kSetsVariables = "H5open";

/// In the loader's words, whether it was there and found no room.
bool lacks_memory(std::string_view reason) {
  return reason.find("failed to map") != reason.npos || reason.find("allocate") != reason.npos;
}

[[noreturn]] void refuse(const char* library) {
  const char* given = dlerror();
  const std::string_view reason = given != nullptr ? given : "no reason was given";
  if (lacks_memory(reason)) {
    throw Error(ErrorCode::over_memory,
                fmt::format("{} cannot be loaded for want of memory ({}); raise the limit of the "
                            "process (ulimit -v)",
                            library, reason));
  }
  throw Error(ErrorCode::cannot_read,
              fmt::format("{} cannot be loaded ({}); install it again", library, reason));
}

/// Loaded once and kept: the system counts.
void* loaded(int library) {
  const char* name = kLazyLibraries[library];
  void* handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) refuse(name);
  return handle;
}

void* find(const char* name, int library) {
  void* place = dlsym(loaded(library), name);
  if (place == nullptr) refuse(kLazyLibraries[library]);
  return place;
}

int set_variables() {
  for (const LazySymbol* one = kLazyFunctions; one->name != nullptr; ++one) {
    if (one->name != kSetsVariables) continue;
    const auto open = reinterpret_cast<int (*)()>(find(one->name, one->library));
    if (const int status = open(); status < 0) return status;
  }
  for (const LazyData* one = kLazyData; one->name != nullptr; ++one) {
    std::memcpy(one->copy, find(one->name, one->library), one->size);
  }
  return 0;
}

}  // namespace

}  // namespace sfg::cli

void* sfg_lazy_find(int number) {
  using namespace sfg::cli;
  const LazySymbol& symbol = kLazyFunctions[number];
  void* place = symbol.name == kSetsVariables ? reinterpret_cast<void*>(&set_variables)
                                              : find(symbol.name, symbol.library);
  sfg_lazy_functions[number] = place;
  return place;
}
