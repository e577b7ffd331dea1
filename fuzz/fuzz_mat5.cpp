// MAT files of version 5 inside this process: what matio does with bytes that passed our checks is
// seen by the sanitizers and steers the fuzzer. fuzz_mat reads as users do.
#include <string_view>

#include "memory_file.hpp"
#include "read/readers.hpp"
#include "sfg/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  constexpr std::size_t kVersionPlace = 124;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  // Version 7.3 is HDF5, for which there is fuzz_hdf5_inside.
  if (size > kVersionPlace + 2 && (text[kVersionPlace] == 2 || text[kVersionPlace + 1] == 2)) {
    return -1;
  }
  static const sfg::fuzz::MemoryFile file("table");
  const sfg::fuzz::OneSecond limit;
  file.set(bytes, size);
  sfg::RunContext run;
  run.threads = 1;
  run.memory_limit = std::size_t{64} << 20U;
  try {
    static_cast<void>(sfg::detail::read_mat(file.path(), {}, run));
  } catch (const sfg::Error&) {
  }
  return 0;
}
