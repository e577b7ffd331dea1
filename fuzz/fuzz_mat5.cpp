// MAT files of version 5, our own decoder. fuzz_mat reads as users do.
#include "mat5_mutator.hpp"
#include "memory_file.hpp"
#include "read/readers.hpp"
#include "sfg/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const sfg::fuzz::MemoryFile file("table");
  const sfg::fuzz::OneSecond limit;
  file.set(bytes, size);
  sfg::RunContext run;
  run.threads = 1;
  run.memory_limit = std::size_t{64} << 20U;
  try {
    static_cast<void>(
        sfg::detail::read_mat(sfg::detail::InputBytes(file.path(), run.memory_limit), {}, run));
  } catch (const sfg::Error&) {
  }
  return 0;
}
