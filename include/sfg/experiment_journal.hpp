#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "sfg/dataset.hpp"
#include "sfg/experiment.hpp"
#include "sfg/journal.hpp"

namespace sfg {

/// Finished cells on disk, so that an interrupted experiment can go on: records with the options,
/// one per data set, one per cell, as JSON.
class ExperimentJournal {
 public:
  /// Opens the file or makes it. `options` says what experiment it is (see options_json); if the
  /// file has other ones, it is refused (inconsistent_input) or begun anew. Throws cannot_write,
  /// also if another process has it open.
  ExperimentJournal(std::filesystem::path path, const std::string& options, ForeignJournal foreign);
  ~ExperimentJournal();
  ExperimentJournal(ExperimentJournal&&) noexcept;
  ExperimentJournal& operator=(ExperimentJournal&&) noexcept;

  /// The cells of one data set from now on, as long as the journal lives. Throws inconsistent_input
  /// if the journal has a data set of that name with other contents (and it is not to be replaced).
  [[nodiscard]] ExperimentCheckpoint cells_of(const std::string& name, const Dataset& dataset);

  /// Cells that were there when it was opened.
  [[nodiscard]] std::size_t n_recalled() const noexcept;
  /// Bytes of a damaged end that were dropped.
  [[nodiscard]] std::size_t n_dropped() const noexcept;

  /// Removes the file: everything is in its place.
  void finish() noexcept;

 private:
  class Records;
  std::unique_ptr<Records> records_;
};

}  // namespace sfg
