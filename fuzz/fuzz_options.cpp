// Text tables with the options by which they are read: the first bytes choose these, the others are
// the file.
#include "drawn_options.hpp"
#include "sfg/normalise.hpp"
#include "sfg/survey.hpp"
#include "table_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const sfg::fuzz::MemoryFile file("table");
  const sfg::fuzz::OneSecond limit;
  FuzzedDataProvider draws(bytes, size);
  const sfg::ReadOptions options = sfg::fuzz::drawn_options(draws);
  const auto missing =
      draws.PickValueInArray({sfg::Missing::mean, sfg::Missing::median, sfg::Missing::drop_feature,
                              sfg::Missing::drop_sample});
  const auto text = draws.ConsumeRemainingBytes<std::uint8_t>();
  file.set(text.data(), text.size());
  sfg::RunContext run;
  run.threads = 1;
  try {
    sfg::Dataset dataset = sfg::read_dataset(file.path(), options, run);
    if (n_features(dataset.matrix) == 0 && options.allow_no_features) return 0;
    sfg::fuzz::check(dataset);
    static_cast<void>(sfg::resolve_missing(dataset, missing));
    const sfg::Survey found = sfg::survey(dataset.matrix);
    if (found.missing + found.infinite > 0) std::abort();
  } catch (const sfg::Error& error) {
    if (error.code() == sfg::ErrorCode::internal) std::abort();
  }
  return 0;
}
