#include "table_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  return sfg::fuzz::read_table(sfg::Format::mat, bytes, size);
}
