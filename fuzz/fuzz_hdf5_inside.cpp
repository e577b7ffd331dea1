// h5ad and MAT 7.3 inside this process, where libhdf5 itself is known to crash on damaged files:
// run it with -fork=1 -ignore_crashes=1 and give what it finds to the program, which reads in a
// child process (docs/RELIABILITY.md).
#include <string_view>

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
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto reader =
      sfg::detail::is_mat73(text) ? sfg::detail::read_mat73 : sfg::detail::read_h5ad;
  try {
    static_cast<void>(reader(file.path(), {}, run));
  } catch (const sfg::Error&) {
  }
  return 0;
}
