#include "memory_file.hpp"
#include "sfg/error.hpp"
#include "sfg/model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const sfg::fuzz::MemoryFile file("model");
  const sfg::fuzz::OneSecond limit;
  file.set(bytes, size);
  try {
    // What was read can be written and read again.
    const std::string text = sfg::model_to_json(sfg::load_model(file.path()));
    file.set(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    static_cast<void>(sfg::load_model(file.path()));
  } catch (const sfg::Error& error) {
    if (error.code() == sfg::ErrorCode::internal) std::abort();
  }
  return 0;
}
