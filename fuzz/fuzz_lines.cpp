// Lists of features and labels, one per line, packed or not, and the truth about planted data.
#include "memory_file.hpp"
#include "sfg/error.hpp"
#include "sfg/read.hpp"
#include "sfg/synth.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const sfg::fuzz::MemoryFile file("lines");
  const sfg::fuzz::OneSecond limit;
  file.set(bytes, size);
  try {
    for (const std::string& line : sfg::read_lines(file.path())) {
      if (line.empty() || line.find('\n') != std::string::npos) std::abort();
    }
    sfg::Dataset dataset;
    dataset.matrix = sfg::DenseMatrix(1, 3);
    dataset.feature_names = {"a", "b", "c"};
    dataset.name_source = sfg::NameSource::file;
    static_cast<void>(sfg::load_truth(file.path(), dataset));
  } catch (const sfg::Error& error) {
    if (error.code() == sfg::ErrorCode::internal) std::abort();
  }
  return 0;
}
