#include "json_mutator.hpp"
#include "memory_file.hpp"
#include "sfg/error.hpp"
#include "sfg/published.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const sfg::fuzz::MemoryFile file("published");
  const sfg::fuzz::OneSecond limit;
  file.set(bytes, size);
  try {
    const auto published = sfg::read_published(file.path());
    for (const auto& [name, table] : published.tables) {
      const bool sound = table.counts.size() == published.thetas.size() &&
                         table.nmi.size() == table.sizes.size() &&
                         table.acc.size() == table.sizes.size();
      if (!sound) std::abort();
    }
  } catch (const sfg::Error& error) {
    if (error.code() == sfg::ErrorCode::internal) std::abort();
  }
  return 0;
}
