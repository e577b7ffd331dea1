#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "io/record_file.hpp"
#include "sfg/dataset.hpp"
#include "sfg/experiment.hpp"

namespace sfg::detail {

/// What to do with a journal of another experiment.
enum class ForeignJournal { refuse, replace };

/// Finished cells on disk, so that an interrupted experiment can go on: records with the options,
/// one per data set, one per cell, as JSON.
class Journal {
 public:
  /// Opens the file or makes it. `options` says what experiment it is; if the file has other ones,
  /// it is refused (inconsistent_input) or begun anew. Throws cannot_write, also if another process
  /// has it open.
  Journal(std::filesystem::path path, const std::string& options, ForeignJournal foreign);

  /// The cells of one data set from now on. Throws inconsistent_input if the journal has a data set
  /// of that name with other contents (and it is not to be replaced).
  [[nodiscard]] ExperimentMemory cells_of(const std::string& name, const Dataset& dataset);

  /// Cells that were there when it was opened.
  [[nodiscard]] std::size_t n_recalled() const noexcept { return n_recalled_; }
  /// Bytes of a damaged end that were dropped.
  [[nodiscard]] std::size_t n_dropped() const noexcept { return n_dropped_; }

  /// Removes the file: everything is in its place.
  void finish() noexcept { file_.remove(); }

 private:
  struct DataCells {
    std::string fingerprint;
    std::map<CellKey, ExperimentCell> cells;
  };

  /// False if it belongs to another experiment.
  [[nodiscard]] bool load(const std::string& options);
  void begin(const std::string& options);

  RecordFile file_;
  ForeignJournal foreign_;
  std::map<std::string, DataCells> data_;  ///< by name
  std::size_t n_recalled_ = 0;
  std::size_t n_dropped_ = 0;
};

/// Of values, shape and labels: everything that an experiment looks at.
[[nodiscard]] std::string fingerprint_of(const Dataset& dataset);

}  // namespace sfg::detail
