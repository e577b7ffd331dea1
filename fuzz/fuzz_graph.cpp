#include "memory_file.hpp"
#include "npz_mutator.hpp"
#include "sfg/error.hpp"
#include "sfg/graph.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const sfg::fuzz::MemoryFile file("graph");
  const sfg::fuzz::OneSecond limit;
  file.set(bytes, size);
  try {
    const auto graph = sfg::load_graph(file.path(), {});
    const auto d = static_cast<std::size_t>(graph.n_features());
    const bool sound = graph.feature_names.size() == d && graph.angle.size() == d &&
                       graph.weights.size() == graph.neighbours.size();
    if (!sound) std::abort();
  } catch (const sfg::Error& error) {
    if (error.code() == sfg::ErrorCode::internal) std::abort();
  }
  return 0;
}
