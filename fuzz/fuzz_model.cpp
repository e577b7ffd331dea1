#include "json_mutator.hpp"
#include "memory_file.hpp"
#include "sfg/drift.hpp"
#include "sfg/error.hpp"
#include "sfg/model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const sfg::fuzz::MemoryFile file("model");
  const sfg::fuzz::OneSecond limit;
  file.set(bytes, size);
  try {
    // What was read can be written and read again.
    const sfg::Model model = sfg::load_model(file.path());
    sfg::Dataset zeros;
    const auto n_features = static_cast<sfg::Index>(model.feature_names.size());
    zeros.matrix = sfg::DenseMatrix(3, n_features);
    zeros.feature_names = model.feature_names;
    zeros.name_source = model.name_source;
    const sfg::DriftReport report = sfg::check_drift(model, zeros);
    for (const auto& one : report.broken) static_cast<void>(sfg::describe(model, report, one));
    const std::string text = sfg::model_to_json(model);
    file.set(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    static_cast<void>(sfg::load_model(file.path()));
  } catch (const sfg::Error& error) {
    if (error.code() == sfg::ErrorCode::internal) std::abort();
  }
  return 0;
}
