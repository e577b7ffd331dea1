#pragma once

#include <cmath>
#include <cstdlib>

#include "memory_file.hpp"
#include "sfg/error.hpp"
#include "sfg/read.hpp"

// One program per format, all of this shape: the bytes become a file, the file a Dataset or an
// error of ours. Everything else (another exception, a crash, a leak, a large allocation) ends the
// program and is a finding.
namespace sfg::fuzz {

/// Options that change with the input, so that all of them are tried.
inline ReadOptions options_for(Format format, std::size_t size) {
  ReadOptions options;
  options.input_format = format;
  const bool can_be_turned = format != Format::svmlight;
  options.features_in_rows = can_be_turned && (size & 1U) != 0;
  options.suffix_duplicates = (size & 2U) != 0;
  if ((size & 4U) != 0) options.labels = "class";
  return options;
}

/// What every reader promises.
inline void check(const Dataset& dataset) {
  const auto n_columns = static_cast<std::size_t>(n_features(dataset.matrix));
  const auto n_rows = static_cast<std::size_t>(n_samples(dataset.matrix));
  bool sound = dataset.feature_names.size() == n_columns && n_columns > 0 && n_rows > 0;
  sound = sound && (dataset.sample_names.empty() || dataset.sample_names.size() == n_rows);
  sound = sound && (!dataset.labels || dataset.labels->values.size() == n_rows);
  if (const auto* sparse = std::get_if<SparseMatrix>(&dataset.matrix)) {
    sound = sound && sparse->starts.size() == n_columns + 1 &&
            sparse->rows.size() == static_cast<std::size_t>(sparse->n_stored());
  }
  if (!sound) std::abort();
}

inline int read_table(Format format, const std::uint8_t* bytes, std::size_t size) {
  static const MemoryFile file("table");
  const OneSecond limit;
  file.set(bytes, size);
  RunContext run;
  run.threads = 1;
  try {
    check(read_dataset(file.path(), options_for(format, size), run));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::internal) std::abort();
  }
  return 0;
}

}  // namespace sfg::fuzz
